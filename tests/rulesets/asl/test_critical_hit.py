"""To Hit DR with Critical and Improbable Hits, table 9."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import icepool
import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import odds, play_example


def shot(dice: list[int], target_type: str, th_number: int, **given: object) -> dict[str, Any]:
    return play_example(
        "asl", "critical-hit", {"target_type": target_type, "th_number": th_number, **given}, dice
    ).out


def test_an_ordinary_hit_and_a_miss() -> None:
    """TH# 8 with +1: 7 hits exactly, 8 misses; the card gives no location."""
    hit = {
        "original": 7,
        "final": 8,
        "needed": 7,
        "case": "none",
        "dr": 0,
        "result": "hit",
        "location": "none",
    }
    assert shot([3, 4], "vehicle", 8, drm=1) == hit
    assert shot([4, 4], "vehicle", 8, drm=1)["result"] == "miss"


def test_case_g_is_critical_at_once() -> None:
    out = shot([1, 1], "vehicle", 8, drm=1, hull_down=True)
    assert (out["case"], out["dr"], out["result"], out["location"]) == (
        "g",
        0,
        "critical-hit",
        "turret",
    )
    assert shot([1, 1], "area", 8)["location"] == "hull"
    assert shot([1, 1], "area", 8, afv=False)["location"] == "none"


@pytest.mark.parametrize(
    ("dr", "hull_down", "result", "location"),
    [
        (1, False, "critical-hit", "hull"),
        (1, True, "critical-hit", "turret"),
        (2, False, "hit", "turret"),
        (3, False, "hit", "hull"),
        (3, True, "miss", "none"),
        (4, False, "miss", "none"),
    ],
)
def test_an_improbable_hit(dr: int, hull_down: bool, result: str, location: str) -> None:
    """TH# 3 with +2 needs 1: case A."""
    out = shot([1, 1, dr], "vehicle", 3, drm=2, hull_down=hull_down)
    assert (out["needed"], out["case"], out["dr"]) == (1, "a", dr)
    assert (out["result"], out["location"]) == (result, location)


def test_needing_a_2() -> None:
    assert shot([1, 1, 6], "vehicle", 4, drm=2)["result"] == "hit"
    out = shot([1, 1, 1], "area", 4, drm=2, afv=False)
    assert (out["case"], out["result"], out["location"]) == ("f", "critical-hit", "none")
    # Case E, TH# 5: a dr of 2 is no more than 2.5, one of 3 is.
    assert shot([1, 1, 2], "infantry", 5, drm=3)["result"] == "critical-hit"
    assert shot([1, 1, 3], "infantry", 5, drm=3)["result"] == "hit"


def test_infantry_target_type_below_half_the_number() -> None:
    """TH# 7: half is 3.5. A Final DR of 3 is critical without a dr, a 4 is an ordinary hit."""
    assert shot([1, 2], "infantry", 7)["result"] == "critical-hit"
    assert shot([1, 3], "infantry", 7)["result"] == "hit"
    assert shot([1, 3], "vehicle", 9)["result"] == "hit"
    at_once = shot([1, 1], "infantry", 7)
    assert (at_once["case"], at_once["dr"], at_once["result"]) == ("h", 0, "critical-hit")


def test_case_h_with_a_dr() -> None:
    """TH# 7 with +2: Final 4 is not below 3.5; then a dr of 3 is critical, a 4 is not."""
    assert shot([1, 1, 3], "infantry", 7, drm=2)["result"] == "critical-hit"
    out = shot([1, 1, 4], "infantry", 7, drm=2)
    assert (out["case"], out["dr"], out["result"], out["location"]) == ("h", 4, "hit", "none")


def test_without_critical_hits_a_hit_stays_in_its_place() -> None:
    out = shot([1, 1, 1], "vehicle", 3, drm=2, no_ch=True)
    assert (out["dr"], out["result"], out["location"]) == (1, "hit", "hull")
    assert shot([1, 1, 4], "vehicle", 3, drm=2, no_ch=True)["result"] == "miss"
    case_d = shot([1, 1], "vehicle", 4, drm=2, no_ch=True, hull_down=True)
    assert (case_d["case"], case_d["dr"], case_d["result"], case_d["location"]) == (
        "d",
        0,
        "hit",
        "turret",
    )
    assert shot([1, 1], "infantry", 4, drm=2, no_ch=True)["location"] == "none"
    assert shot([1, 1], "vehicle", 9, no_ch=True)["result"] == "hit"
    assert shot([1, 1], "infantry", 9, no_ch=True)["result"] == "hit"
    assert shot([1, 2], "infantry", 9, no_ch=True)["result"] == "hit"


def test_odds_of_an_improbable_hit() -> None:
    """One roll in 36 shows 2; then 1 is critical, 2 and 3 hit."""
    expected = {
        "critical-hit": Fraction(1, 216),
        "hit": Fraction(2, 216),
        "miss": Fraction(213, 216),
    }
    assert odds("asl", "critical-hit", {"target_type": "vehicle", "th_number": 0}) == expected


def test_odds_against_a_second_opinion() -> None:
    """Infantry Target Type, TH# 9 with +3: needs 6 or less; Original 2 is Final 5, so a dr of 4
    or less is critical.
    """

    def result(colored: int, white: int, dr: int) -> str:
        final = colored + white + 3
        if final > 9:
            return "miss"
        critical = 2 * final < 9 or (colored + white == 2 and 2 * dr <= 9)
        return "critical-hit" if critical else "hit"

    second = icepool.map(result, icepool.d6, icepool.d6, icepool.d6)
    counted = odds("asl", "critical-hit", {"target_type": "infantry", "th_number": 9, "drm": 3})
    assert counted == {name: second.probability(name) for name in second.outcomes()}
    assert counted["critical-hit"] == Fraction(4, 216)


def test_the_answer_says_why_a_hit_is_critical() -> None:
    given = {"target_type": "infantry", "th_number": 8, "drm": 1}
    at_once = play_example("asl", "critical-hit", given, [1, 1])
    assert "case H, below half of that (4)" in at_once.lines[0].result
    by_dr = play_example("asl", "critical-hit", {**given, "drm": 3}, [1, 1, 4])
    assert by_dr.lines[1].result == "half the TH# is 4"
    machine_gun = play_example("asl", "critical-hit", {**given, "no_ch": True}, [1, 1])
    assert "no Critical Hit possible" in machine_gun.lines[0].result


CRITICAL = {"target_type": "infantry", "th_number": 8, "drm": 1}


def test_a_critical_hit_destroys_a_gun_and_its_crew_unless_it_is_wp() -> None:
    gun = RosterUnit("AT 1", "us1", "gun", state="working")
    played = play_example(
        "asl", "critical-hit", {**CRITICAL, "unit": "AT 1"}, [1, 1], {"at 1": gun}
    )
    assert played.resolution.unit_results[0].detail.endswith(
        ", destroying the Gun and eliminating its manning Infantry"
    )
    assert [(change.unit, change.set) for change in played.resolution.changes] == [
        ("AT 1", {"state": "destroyed"})
    ]
    smoke = play_example(
        "asl", "critical-hit", {**CRITICAL, "unit": "AT 1", "wp": True}, [1, 1], {"at 1": gun}
    )
    assert (smoke.resolution.changes, "destroyed" in smoke.resolution.unit_results[0].detail) == (
        (),
        False,
    )
    plain_hit = play_example("asl", "critical-hit", {**CRITICAL, "gun": True}, [3, 4])
    assert (plain_hit.resolution.unit_results[0].detail, plain_hit.resolution.notes) == ("", ())
    typed = play_example("asl", "critical-hit", {**CRITICAL, "gun": True}, [1, 1])
    assert "destroying the Gun" in typed.resolution.unit_results[0].detail


def test_a_critical_hit_reminds_whom_it_strikes() -> None:
    """One Location by Random Selection; on the Vehicle Target Type the vehicle, others are hit
    collaterally.
    """
    area = play_example("asl", "critical-hit", {**CRITICAL, "target_type": "area"}, [1, 1])
    assert area.out["result"] == "critical-hit"
    assert "Random Selection" in area.resolution.notes[0]
    vehicle = play_example("asl", "critical-hit", {**CRITICAL, "target_type": "vehicle"}, [1, 1])
    assert vehicle.resolution.notes == ("Any others hit collaterally are attacked as usual.",)
