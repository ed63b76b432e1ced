"""Rallying, PAC 11."""

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def rally(dice: list[int], **given: Any) -> list[dict[str, Any]]:
    """The answers of the units."""
    out = play_example("lnlt", "rally", given, dice).out
    answers: list[dict[str, Any]] = out["units"]
    assert out["outcome"] == answers[0]["result"]
    return answers


def test_a_leader_rallies_by_himself_and_then_helps_the_rest() -> None:
    """3 + 3 is at his 6; the squad's 2 + 3 less his 1 is at 4."""
    answers = rally([3, 3, 2, 3], units="leader morale=6 lm=1; squad morale=4", rallier="none")
    assert answers == [
        {"unit": "leader", "roll": 6, "total": 6, "result": "rallied"},
        {"unit": "squad", "roll": 5, "total": 4, "result": "rallied"},
    ]


def test_when_he_fails_the_squad_may_not_try() -> None:
    """No leader, no attempt, no dice; a weapon team and a marked squad try by themselves."""
    answers = rally(
        [6, 6, 1, 1, 6, 5],
        units="leader morale=6; squad morale=4; weapon-team morale=4; squad morale=4 sr; half-squad morale=5",
        rallier="none",
    )
    assert [answer["result"] for answer in answers] == [
        "fails",
        "not-allowed",
        "rallied",
        "fails",
        "not-allowed",
    ]
    assert (answers[1]["roll"], answers[1]["total"]) == ("none", "none")


def test_nobody_may_try_and_no_dice_are_rolled() -> None:
    """A squad alone."""
    assert rally([], units="squad; crew", rallier="none") == [
        {"unit": "squad", "roll": "none", "total": "none", "result": "not-allowed"},
        {"unit": "crew", "roll": "none", "total": "none", "result": "not-allowed"},
    ]


def test_cover_and_the_leader_in_the_hex_but_no_lm_for_leaders() -> None:
    """-2 for cover; the squad also has the good order leader's 2; of 2 and 1 the higher counts."""
    answers = rally([4, 4, 4, 4], units="leader morale=6 lm=1; squad morale=4", lm=2, cover=True)
    assert [answer["total"] for answer in answers] == [6, 4]


def test_a_hero_rallies_troops_and_vehicles_rally_themselves() -> None:
    """A tank needs nobody."""
    assert rally([1, 1], units="squad morale=4", rallier="hero")[0]["result"] == "rallied"
    assert rally([3, 4], units="armored-vehicle morale=6", rallier="none")[0]["result"] == "fails"


def test_a_wound_stays_when_the_leader_rallies() -> None:
    """shaken-wounded becomes wounded, shaken becomes good-order."""
    units = roster(
        unit("Minh", "leader", state="shaken-wounded", morale=6),
        unit("VC 1", "squad", state="shaken", morale=4),
    )
    played = play_example("lnlt", "rally", {"units": "Minh; VC 1"}, [1, 1, 1, 1], units)
    assert [dict(change.set) for change in played.resolution.changes] == [
        {"state": "wounded"},
        {"state": "good-order"},
    ]


def test_refusals() -> None:
    """A unit of the roster that is not shaken, a missing morale."""
    units = roster(unit("VC 1", "squad", morale=4))
    with refuses("unit-unfit VC 1"):
        play_example("lnlt", "rally", {"units": "VC 1"}, [], units)
    with refuses("unit-needs morale"):
        rally([], units="squad")
    with refuses("unit-needs morale"):
        rally([], units="leader morale=5; squad", rallier="none")


def test_odds_of_the_squad_match_a_count_by_hand() -> None:
    """The leader's 6 is 15 of 36; then 2d6 - 1 at or under 4 is 10 of 36."""
    given = {"units": "leader morale=6 lm=1; squad morale=4", "rallier": "none"}
    chances = odds("lnlt", "rally", given, "units[1].result")
    led = Fraction(15, 36)
    assert chances == {
        "rallied": led * Fraction(10, 36),
        "fails": led * Fraction(26, 36),
        "not-allowed": 1 - led,
    }
