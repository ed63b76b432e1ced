"""Attack DR that are also a NMC, table 6b."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import odds, play_example
from tests.refusing import refuses


def check(dice: list[int], **given: object) -> dict[str, Any]:
    return play_example("asl", "fpf-check", given, dice).out


def test_infantry_fires_whatever_becomes_of_it() -> None:
    """8 is over morale 7: it breaks, but the attack counts."""
    assert check([4, 4], morale=7) == {
        "dr": 8,
        "nmc": "break",
        "casualty": False,
        "attack": "resolved",
        "malfunction": False,
    }
    assert check([3, 4], morale=7)["nmc"] == "pin"
    assert check([2, 4], morale=7)["nmc"] == "pass"


@pytest.mark.parametrize(
    ("dice", "nmc", "attack"),
    [([3, 4], "pass", "resolved"), ([4, 4], "pin", "voided"), ([4, 5], "break", "voided")],
)
def test_a_gun_crew_must_pass(dice: list[int], nmc: str, attack: str) -> None:
    out = check(dice, attacker="gun", morale=8)
    assert (out["nmc"], out["attack"]) == (nmc, attack)


def test_a_void_shot_may_still_malfunction() -> None:
    out = check([5, 6], attacker="gun", morale=8, b_number=11)
    assert (out["attack"], out["malfunction"]) == ("voided", True)
    assert check([5, 6], attacker="infantry", morale=8, b_number=11)["malfunction"] is False
    assert check([5, 5], attacker="gun", morale=8, b_number=11)["malfunction"] is False


def test_modifiers_are_the_checks_alone() -> None:
    """-2 lets the 9 pass morale 8; the DR itself stays 9."""
    out = check([4, 5], attacker="gun", morale=8, drm=-2, b_number=9)
    assert (out["dr"], out["nmc"], out["attack"], out["malfunction"]) == (
        9,
        "pass",
        "resolved",
        True,
    )


def test_a_12_always_breaks() -> None:
    out = check([6, 6], morale=10, drm=-5)
    assert (out["nmc"], out["casualty"]) == ("break", True)


def test_the_roster_brings_morale_and_takes_the_state() -> None:
    crew = RosterUnit("Crew A", "ge1", "crew", numbers={"morale": 8})
    played = play_example(
        "asl", "fpf-check", {"attacker": "gun", "unit": "ge1"}, [4, 4], {"ge1": crew}
    )
    (change,) = played.resolution.changes
    assert (change.unit, change.set) == ("Crew A", {"state": "pinned"})


def test_morale_is_needed() -> None:
    with refuses("missing morale"):
        check([])


def test_odds_of_the_check() -> None:
    """Morale 8: below are 21 of 36 rolls, 8 is 5, above 10."""
    expected = {"pass": Fraction(21, 36), "pin": Fraction(5, 36), "break": Fraction(10, 36)}
    assert odds("asl", "fpf-check", {"morale": 8}) == expected
    both = odds(
        "asl",
        "fpf-check",
        {"attacker": "gun", "morale": 8, "b_number": 11},
        "attack",
        "malfunction",
    )
    assert both == {
        "resolved|false": Fraction(21, 36),
        "voided|false": Fraction(12, 36),
        "voided|true": Fraction(3, 36),
    }
