"""WP morale checks, tables 18 and 8."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import icepool
import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import odds, play_example
from tests.refusing import refuses


def check(dice: list[int], target: str, **given: object) -> dict[str, Any]:
    return play_example("asl", "wp-morale", {"target": target, **given}, dice).out


@pytest.mark.parametrize(
    ("dice", "final", "result", "casualty"),
    [
        ([3, 4], 6, "pass", False),
        ([4, 4], 7, "pin", False),
        ([5, 4], 8, "break", False),
        ([6, 6], 11, "break", True),
    ],
)
def test_personnel_in_woods(dice: list[int], final: int, result: str, casualty: bool) -> None:
    """Direct fire in woods is -1 against morale 7."""
    out = check(dice, "personnel", tem="woods", morale=7)
    assert out == {"mc_drm": -1, "final": final, "result": result, "casualty": casualty}


def test_leadership_is_added_but_a_12_fails_all_the_same() -> None:
    out = check([6, 6], "personnel", tem="stone-building", morale=10, drm=-3)
    assert (out["final"], out["result"], out["casualty"]) == (6, "break", True)


def test_crews_of_afvs_are_stunned() -> None:
    assert check([5, 6], "ce-ct-afv", morale=8) == {
        "mc_drm": -2,
        "final": 9,
        "result": "stun",
        "casualty": False,
    }
    assert check([5, 6], "ot-afv", morale=8, tem="woods")["result"] == "stun"


def test_air_burst_breaks_the_crew_of_an_open_topped_afv() -> None:
    out = check([5, 6], "ot-afv", morale=8, tem="woods", fire="indirect")
    assert (out["mc_drm"], out["final"], out["result"]) == (-1, 10, "break")
    assert check([5, 6], "ce-ct-afv", morale=8, tem="woods", fire="indirect")["result"] == "stun"


def test_a_buttoned_up_afv_takes_no_check() -> None:
    out = check([], "bu-ct-afv", tem="hedge")
    assert out == {"mc_drm": "not-applicable", "result": "not-applicable", "casualty": False}


@pytest.mark.parametrize(
    ("tem", "fire", "critical", "baz45", "expected"),
    [
        ("pillbox-ca", "direct", True, False, 3),
        ("pillbox-ca", "direct", False, False, None),
        ("pillbox-ca", "indirect", True, False, None),
        ("pillbox-ca", "grenade", True, False, None),
        ("pillbox-nca", "direct", True, True, None),
        ("pillbox-nca", "grenade", False, False, None),
        ("pillbox-same-hex", "direct", True, True, 0),
        ("pillbox-same-hex", "direct", True, False, None),
        ("pillbox-same-hex", "direct", False, True, None),
        ("pillbox-same-hex", "indirect", True, True, None),
        ("pillbox-same-hex", "grenade", False, False, -5),
        ("pillbox-same-hex", "grenade", True, False, 0),
    ],
)
def test_pillboxes(tem: str, fire: str, critical: bool, baz45: bool, expected: int | None) -> None:
    given = {"tem": tem, "fire": fire, "critical_hit": critical, "baz45": baz45, "morale": 7}
    out = check([] if expected is None else [3, 3], "personnel", **given)
    assert out["mc_drm"] == ("not-applicable" if expected is None else expected)
    if expected is not None:
        assert out["final"] == 6 + expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"target": "personnel"}, "missing morale"),
        ({"target": "personnel", "morale": 7, "critical_hit": True}, "not-together critical_hit"),
        ({"target": "personnel", "morale": 7, "fire": "grenade"}, "not-together fire"),
        ({"target": "ot-afv", "morale": 7, "tem": "stone-building"}, "not-together tem"),
        ({"target": "ce-ct-afv", "morale": 7, "tem": "pillbox-ca"}, "not-together tem"),
    ],
)
def test_what_the_cards_do_not_give_is_refused(given: dict[str, object], said: str) -> None:
    with refuses(said):
        play_example("asl", "wp-morale", given, [])


def test_the_roster_brings_morale_and_takes_the_state() -> None:
    squad = RosterUnit("2nd Squad", "us2", "squad", numbers={"morale": 6})
    roster = {"us2": squad, "2nd squad": squad}
    for dice, state in (([2, 2], None), ([3, 3], "pinned"), ([5, 5], "broken")):
        played = play_example(
            "asl", "wp-morale", {"target": "personnel", "unit": "us2"}, dice, roster
        )
        assert [change.set for change in played.resolution.changes] == (
            [{"state": state}] if state else []
        )
    typed = play_example(
        "asl", "wp-morale", {"target": "personnel", "unit": "us2", "morale": 9}, [4, 4], roster
    )
    assert typed.out["result"] == "pass"


def test_odds_of_a_check() -> None:
    """Morale 7, no modifier: below 7 are 15 of 36 rolls, 7 is 6, above 15."""
    expected = {"pass": Fraction(15, 36), "pin": Fraction(6, 36), "break": Fraction(15, 36)}
    assert odds("asl", "wp-morale", {"target": "personnel", "morale": 7}) == expected
    assert odds("asl", "wp-morale", {"target": "bu-ct-afv"}) == {"not-applicable": Fraction(1)}


def test_odds_against_a_second_opinion() -> None:
    """An AFV's crew, morale 10: -2 lets an 11 pass; only the 12 stuns, casualty and all."""
    second = (2 @ icepool.d6).map(
        lambda dr: "stun" if dr == 12 or dr - 2 > 10 else "pin" if dr - 2 == 10 else "pass"
    )
    counted = odds("asl", "wp-morale", {"target": "ce-ct-afv", "morale": 10})
    assert counted == {name: second.probability(name) for name in second.outcomes()}


def test_a_pin_does_not_rally_a_broken_squad() -> None:
    squad = RosterUnit("3rd Squad", "us3", "squad", numbers={"morale": 6}, state="broken")
    played = play_example(
        "asl", "wp-morale", {"target": "personnel", "unit": "us3"}, [3, 3], {"us3": squad}
    )
    assert (played.out["result"], played.resolution.changes) == ("pin", ())


def test_the_answer_says_why_there_is_no_check() -> None:
    buttoned = play_example("asl", "wp-morale", {"target": "bu-ct-afv"}, [])
    assert "BU" in buttoned.lines[0].result
    bunker = play_example(
        "asl", "wp-morale", {"target": "personnel", "tem": "pillbox-ca", "fire": "indirect"}, []
    )
    assert bunker.lines[0].result == "indirect WP from the CA forces none"
    burst = play_example(
        "asl",
        "wp-morale",
        {"target": "ot-afv", "tem": "woods", "fire": "indirect", "morale": 7},
        [4, 5],
    )
    assert burst.resolution.next_steps == (
        "Air Burst: the crew breaks instead of being Stunned (D5.311).",
    )
