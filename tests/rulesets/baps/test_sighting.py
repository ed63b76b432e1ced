"""Sighting in woods, thrown tracks and calls for artillery."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import icepool

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit


def test_light_woods_are_the_sum_of_four_dice() -> None:
    assert play_example("baps", "sighting", {"woods": "light"}, [1, 2, 3, 4]).out == {
        "distance": 10
    }
    assert play_example("baps", "sighting", {"woods": "light"}, [4, 4, 4, 4]).out == {
        "distance": 16
    }


def test_heavy_woods_are_one_die_and_two() -> None:
    assert play_example("baps", "sighting", {"woods": "heavy"}, [1]).out == {"distance": 3}


def test_woods_must_be_named() -> None:
    with refuses("missing woods"):
        play_example("baps", "sighting", {}, [])


def test_odds_of_sighting_agree_with_icepool() -> None:
    sums = 4 @ icepool.d4
    assert odds("baps", "sighting", {"woods": "light"}) == {
        str(total): Fraction(ways, 256) for total, ways in sums.items()
    }


# -- thrown tracks ----------------------------------------------------------------------------------------------------


def test_a_track_is_thrown_at_its_number() -> None:
    given = {"cover": "heavy", "speed": "fast"}
    assert play_example("baps", "throw-track", given, [14]).out == {"roll": 14, "result": "thrown"}
    assert play_example("baps", "throw-track", given, [13]).out == {"roll": 13, "result": "safe"}


def test_slow_on_open_ground_rolls_nothing() -> None:
    assert play_example("baps", "throw-track", {"cover": "open", "speed": "slow"}, []).out == {
        "roll": "none",
        "result": "safe",
    }
    assert (
        play_example("baps", "throw-track", {"cover": "open", "speed": "fast"}, [20]).out["result"]
        == "thrown"
    )


def test_the_vehicle_takes_the_lost_track() -> None:
    tanks = roster(unit("Tiger 1", "vehicle", state="operable"))
    given = {"cover": "medium", "speed": "slow", "unit": "Tiger 1"}
    assert changes(play_example("baps", "throw-track", given, [19], tanks)) == {
        "Tiger 1": {"mark": {"track-hit"}}
    }
    assert changes(play_example("baps", "throw-track", given, [18], tanks)) == {}


def test_odds_of_throwing_a_track() -> None:
    chances = odds("baps", "throw-track", {"cover": "very-heavy", "speed": "fast"})
    assert chances == {"thrown": Fraction(9, 20), "safe": Fraction(11, 20)}
    assert odds("baps", "throw-track", {"cover": "open", "speed": "slow"}) == {"safe": Fraction(1)}


# -- artillery --------------------------------------------------------------------------------------------------------


def artillery(dice: list[int], **given: Any) -> dict[str, Any]:
    return play_example("baps", "artillery", given, dice).out


def test_off_board_artillery_rolls_for_its_delay() -> None:
    assert artillery([2, 3], location="off-board", turn=3) == {
        "delay": 9,
        "impact_turn": 12,
        "fire_turn": "none",
        "call_turn": 3,
    }
    out = artillery([4], location="off-board", mission="immediate", can_see=True)
    assert (out["delay"], out["impact_turn"]) == (5, 6)


def test_on_board_artillery_follows_its_steps() -> None:
    out = artillery([], turn=5)
    assert out == {"delay": 4, "impact_turn": 9, "fire_turn": 8, "call_turn": 5}
    out = artillery([], mission="immediate", can_see=True, turn=5)
    assert out == {"delay": 1, "impact_turn": 6, "fire_turn": 5, "call_turn": "none"}


def test_hand_held_weapons_land_a_turn_later() -> None:
    out = artillery([], location="hand-held", mission="pre-planned", turn=2)
    assert out == {"delay": 1, "impact_turn": 3, "fire_turn": 2, "call_turn": "none"}


def test_a_turn_is_a_turn() -> None:
    with refuses("bad-value turn"):
        artillery([], turn=0)


def test_odds_of_the_delay() -> None:
    chances = odds("baps", "artillery", {"location": "off-board"})
    assert chances["9"] == Fraction(4, 16)
    assert odds("baps", "artillery", {"location": "off-board"}, "impact_turn")["7"] == Fraction(
        1, 16
    )
    assert odds("baps", "artillery", {}) == {"4": Fraction(1)}
