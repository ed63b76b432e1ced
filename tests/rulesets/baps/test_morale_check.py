"""Morale checks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit


def check(die: int, **given: Any) -> dict[str, Any]:
    return play_example("baps", "morale-check", given, [die]).out


def test_less_than_the_men_passes() -> None:
    """Veteran +1, machine gun +1, light cover +2, leader -1: 3 on top of a 4 is under 8 men."""
    out = check(4, men=8, grade="veteran", event="mg-attack", cover="light", leader=1)
    assert out == {"roll": 4, "modifier": 3, "total": 7, "result": "pass"}


def test_as_many_as_the_men_pins_and_eleven_breaks() -> None:
    given = {"men": 8, "grade": "crack", "cover": "heavy"}
    assert check(8, **given)["result"] == "pinned"
    assert check(10, **given)["result"] == "pinned"
    assert check(10, **given, dark=True)["result"] == "broken"
    assert check(10, **{**given, "men": 13}, dark=True)["result"] == "pass"


def test_a_team_counts_three_times_and_the_state_matters() -> None:
    given = {"men": 3, "grade": "elite", "cover": "very-heavy", "crew_team": True}
    assert check(10, **given) == {"roll": 10, "modifier": -2, "total": 8, "result": "pass"}
    assert check(10, **given, state="broken", cannot_see=True, vehicle=True)["modifier"] == 4
    assert check(10, **given, state="broken", cannot_see=True, vehicle=True)["result"] == "broken"


def test_the_squad_brings_its_numbers_and_takes_the_result() -> None:
    """Pinned +1, open +3, green +2 make 6; 3 is 9 against 9 men: still pinned."""
    squads = roster(unit("1st Squad", "squad", state="pinned", men=9, grade="green"))
    played = play_example("baps", "morale-check", {"unit": "1st Squad"}, [3], squads)
    assert played.out == {"roll": 3, "modifier": 6, "total": 9, "result": "pinned"}
    assert changes(played) == {
        "1st Squad": {"state": "pinned"},
        "squad=1st Squad": {"state": "suppressed"},
    }
    broken = play_example("baps", "morale-check", {"unit": "1st Squad", "men": 4}, [5], squads)
    assert changes(broken) == {"1st Squad": {"state": "broken"}}
    passed = play_example(
        "baps", "morale-check", {"unit": "1st Squad", "state": "good"}, [3], squads
    )
    assert (passed.out["total"], changes(passed)) == (8, {})


def test_men_and_grade_must_come_from_somewhere() -> None:
    with refuses("missing men"):
        check(3, grade="green")
    with refuses("missing grade"):
        check(3, men=5)


def test_a_squad_without_men_does_not_check() -> None:
    squads = roster(unit("1st Squad", "squad", state="good", men=0, grade="green"))
    with refuses("nobody unit"):
        play_example("baps", "morale-check", {"unit": "1st Squad"}, [], squads)


def test_odds_match_a_count_by_hand() -> None:
    """Modifier 3 against 8 men: 1-4 pass, 5-7 pinned, 8-10 broken."""
    given = {"men": 8, "grade": "veteran", "event": "mg-attack", "cover": "light", "leader": 1}
    assert odds("baps", "morale-check", given) == {
        "pass": Fraction(4, 10),
        "pinned": Fraction(3, 10),
        "broken": Fraction(3, 10),
    }
