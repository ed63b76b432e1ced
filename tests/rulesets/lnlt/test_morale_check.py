"""Morale checks, PAC 01."""

from fractions import Fraction

from tests.examples import odds, play_example


def test_a_squad_fails_and_its_leader_passes() -> None:
    """Squad 5: 2+4-0 is 6, over 5. Leader 6: 3+3 is 6, passes."""
    played = play_example(
        "lnlt", "morale-check", {"units": "squad morale=5; leader morale=6"}, [2, 4, 3, 3]
    )
    assert played.out == {
        "units": [
            {"unit": "squad", "roll": 6, "total": 6, "result": "fail"},
            {"unit": "leader", "roll": 6, "total": 6, "result": "pass"},
        ],
        "outcome": "fail",
    }


def test_odds_of_a_pass_match_a_count_by_hand() -> None:
    """10 of 36 rolls are at or under 5."""
    chances = odds("lnlt", "morale-check", {"units": "squad morale=5"})
    assert chances == {"pass": Fraction(10, 36), "fail": Fraction(26, 36)}
    second = odds(
        "lnlt",
        "morale-check",
        {"units": "squad morale=5; leader morale=2"},
        "units[1].result",
        "outcome",
    )
    assert second["pass|pass"] == Fraction(10, 36) * Fraction(1, 36)
