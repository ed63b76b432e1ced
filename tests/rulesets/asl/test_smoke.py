"""Vehicular smoke dispensers and grenades, table 4."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import find_shared_system
from tests.examples import odds, play_example
from tests.playing import Channel
from tests.refusing import refuses


def smoke(dice: list[int], **given: object) -> dict[str, Any]:
    return play_example("asl", "smoke", given, dice).out


def test_a_buttoned_up_dispenser_on_the_move() -> None:
    """sM: moved +2, BU +1, Case A 2, hindrance 1: 2 + 6 is 8, over 7."""
    given = {"dispenser": "sm", "usage_number": 7, "moved": True, "case_a": 2, "hindrance": 1}
    assert smoke([1, 1], **given) == {
        "drm": 6,
        "roll": 2,
        "total": 8,
        "needed": 7,
        "result": "failed",
        "smoke": "none",
        "placement": "none",
    }


def test_sm_smokes_along_the_turret_facing() -> None:
    """Crew exposed and not yet moved: no DRM; 7 meets 7."""
    out = smoke([3, 4], dispenser="sm", usage_number=7, crew="ce")
    assert (out["result"], out["smoke"], out["placement"]) == (
        "success",
        "dispersed",
        "1-3-hexes-of-tca",
    )


def test_case_a_counts_for_sm_only() -> None:
    out = smoke([3, 4], dispenser="sd", usage_number=8, case_a=3, hindrance=2)
    assert (out["drm"], out["total"], out["result"], out["placement"]) == (
        1,
        8,
        "success",
        "own-hex",
    )


@pytest.mark.parametrize(
    ("crew", "dr", "needed", "result"),
    [
        ("ot-bu", 1, 1, "success"),
        ("ot-bu", 2, 1, "failed"),
        ("ce", 2, 2, "success"),
        ("unarmored", 1, 1, "success"),
    ],
)
def test_grenades_are_one_die(crew: str, dr: int, needed: int, result: str) -> None:
    out = smoke([dr], dispenser="smoke-grenade", crew=crew, moved=True)
    assert (out["drm"], out["total"], out["needed"], out["result"]) == (0, dr, needed, result)
    assert out["smoke"] == ("full" if result == "success" else "none")


def test_sn_in_the_ccph_is_an_attack() -> None:
    """The BU modifier does not count there, and no counter is placed."""
    out = smoke([4, 4], dispenser="sn", usage_number=8, phase="ccph")
    assert (out["drm"], out["result"], out["smoke"], out["placement"]) == (
        0,
        "success",
        "none",
        "none",
    )
    in_mph = smoke([4, 4], dispenser="sn", usage_number=8)
    assert (in_mph["drm"], in_mph["result"]) == (1, "failed")
    assert smoke([4, 4], dispenser="sn", usage_number=8, crew="ce")["smoke"] == "dispersed"


@pytest.mark.parametrize(
    ("dispenser", "crew", "phase"),
    [
        ("sp", "ct-bu", "mph"),
        ("sn", "ot-bu", "mph"),
        ("sn", "ce", "ccph"),
        ("sd", "ct-bu", "ccph"),
        ("smoke-grenade", "ct-bu", "mph"),
    ],
)
def test_what_is_not_allowed_rolls_no_dice(dispenser: str, crew: str, phase: str) -> None:
    out = smoke([], dispenser=dispenser, crew=crew, phase=phase)
    assert out == {"result": "not-allowed", "smoke": "none", "placement": "none"}


def test_a_dispenser_needs_its_number() -> None:
    with refuses("missing usage_number"):
        smoke([], dispenser="sd")


def test_the_number_comes_from_the_vehicle_unless_it_is_typed() -> None:
    tank = RosterUnit("Tiger", "ge1", "afv", numbers={"usage": 6})
    given = {"dispenser": "sd", "crew": "ce", "unit": "Tiger"}
    assert play_example("asl", "smoke", given, [3, 3], {"tiger": tank}).out["needed"] == 6
    assert (
        play_example("asl", "smoke", {**given, "usage_number": 9}, [3, 3], {"tiger": tank}).out[
            "needed"
        ]
        == 9
    )


def test_odds_of_a_dispenser() -> None:
    """7 or less with +1 is 6 or less on two dice: 15 of 36."""
    expected = {"success": Fraction(15, 36), "failed": Fraction(21, 36)}
    assert odds("asl", "smoke", {"dispenser": "sd", "usage_number": 7}) == expected
    grenade = odds("asl", "smoke", {"dispenser": "smoke-grenade", "crew": "ce"})
    assert grenade == {"success": Fraction(2, 6), "failed": Fraction(4, 6)}


def test_the_first_line_names_dispenser_and_counter() -> None:
    thrown = play_example(
        "asl", "smoke", {"dispenser": "sm", "usage_number": 8, "crew": "ce"}, [3, 4]
    )
    assert thrown.resolution.headline == "sM success, +2 dispersed SMOKE 1-3 hexes along the TCA"
    shut = play_example("asl", "smoke", {"dispenser": "sp", "usage_number": 8}, [])
    assert shut.lines[0].result == "not allowed for a BU CT AFV in the MPh"


async def test_table_4_names_two_phases_and_others_need_an_override() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    smoke = 'asl smoke sm usage_number=8 unit="Half-track 1"'
    phases = [phase["name"] for phase in find_shared_system("asl").game["phases"]]
    for phase in phases:
        reply = await channel.say("Anna", f"{smoke} odds")
        assert reply.error == (phase not in ("movement", "close-combat")), phase
        await channel.do("Anna", f"{smoke} anyway")
        await channel.do("Anna", "game next")
