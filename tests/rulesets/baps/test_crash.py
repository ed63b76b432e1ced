"""Vehicles out of control."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.rulesets.baps.rosters import changes, roster, unit


def crash(dice: list[int], **given: Any) -> dict[str, Any]:
    return play_example("baps", "crash", given, dice).out


def test_a_half_move_hurts_nobody() -> None:
    out = crash([4], occupants=3)
    assert out == {
        "roll": 4,
        "total": 4,
        "result": "half-straight-stop",
        "row": "none",
        "occupants": [],
    }


def test_running_into_a_wall_at_half_speed() -> None:
    """Row -2, column 1, for each by himself: 15 S, 18 wound-2, 20 K."""
    out = crash([10, 15, 18, 20], occupants=3, hits_object=True)
    assert (out["result"], out["row"]) == ("half-left-stop", -2)
    assert [man["result"] for man in out["occupants"]] == ["suppressed", "wound-2", "killed"]
    assert out["occupants"][0] == {
        "unit": "soldier",
        "rolls": [15],
        "result": "suppressed",
        "wounds": 0,
        "after": "suppressed",
    }


def test_a_stop_shakes_everybody_up() -> None:
    """+1 each: 16 is 18, a stop on row 0, wall or not."""
    for hits in (False, True):
        out = crash([16, 11], moved_quickly=True, turned=True, hits_object=hits)
        assert (out["roll"], out["total"], out["result"], out["row"]) == (16, 18, "stop", 0)
        assert out["occupants"][0]["result"] == "suppressed"


def test_flip_and_full_speed() -> None:
    out = crash([20, 8], moved_quickly=True, turned=True)
    assert (out["total"], out["result"], out["row"]) == (22, "flip", 2)
    assert out["occupants"][0]["result"] == "none"
    out = crash([20, 19], turned=True, hits_object=True)
    assert (out["total"], out["result"], out["row"]) == (21, "quick-straight", 0)
    assert out["occupants"][0]["result"] == "killed"
    assert crash([20], turned=True)["row"] == "none"


def test_an_empty_vehicle_rolls_for_nobody() -> None:
    out = crash([17], occupants=0)
    assert (out["row"], out["occupants"]) == (0, [])


def test_the_roster_takes_the_injuries() -> None:
    men = roster(unit("Abe", "crewman", wounds=2), unit("Bob", "crewman"))
    played = play_example("baps", "crash", {"occupants": "Abe; Bob"}, [17, 14, 11], men)
    assert changes(played) == {"Abe": {"state": "killed"}, "Bob": {"state": "suppressed"}}


def test_odds_match_a_count_by_hand() -> None:
    assert odds("baps", "crash", {}) == {
        "half-straight-stop": Fraction(4, 20),
        "half-left-stop": Fraction(6, 20),
        "half-right-stop": Fraction(6, 20),
        "stop": Fraction(4, 20),
    }
    hurt = odds("baps", "crash", {"occupants": 2}, "occupants[1].result")
    assert hurt["killed"] == Fraction(4, 20) * Fraction(2, 20)
    assert hurt["none"] == 1 - Fraction(4, 20) * Fraction(10, 20)
    assert odds("baps", "crash", {}, "total")["20"] == Fraction(1, 20)


def test_the_roster_vehicle_brings_its_crew_and_takes_their_losses() -> None:
    """Stop is row 0, column 1: 11 suppresses, 14 is one wound and the third of a man with two,
    20 kills.
    """
    tank = roster(unit("Tiger", "vehicle", state="operable", crew=3, crew_wounds=(2,)))
    played = play_example("baps", "crash", {"unit": "Tiger"}, [18, 14, 20, 11], tank)
    assert [man["after"] for man in played.out["occupants"]] == ["killed", "killed", "suppressed"]
    assert changes(played) == {"Tiger": {"crew": 1, "crew_lost": 2, "crew_wounds": None}}
    moved = play_example("baps", "crash", {"unit": "Tiger"}, [1], tank)
    assert moved.resolution.headline == "Tiger: half a move straight ahead, then a stop"
    # until its next movement phase
    assert changes(moved) == {"Tiger": {"mark": {"out-of-control"}}}
