"""A vehicle with the marker motion counts as moving where table 4 or 17 has a number for it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit, index_by_name
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import count_odds
from tests.examples import play_example

TANK = RosterUnit("Pz", "de1", "afv", "German", {"usage": 8}, "normal", frozenset({"motion"}))
UNITS = index_by_name([TANK])
SMOKE = {"unit": "Pz", "dispenser": "sm"}
MOLOTOV = {"unit": "Pz", "weapon": "mol-adjacent"}


@pytest.mark.parametrize(
    ("sequence", "given", "option"),
    [("smoke", SMOKE, "moved"), ("flame-attack", MOLOTOV, "moving")],
)
def test_the_odds_are_those_with_the_option_typed(
    sequence: str, given: dict[str, Any], option: str
) -> None:
    """The marker counts like the option, once; typed no leaves it out."""

    def odds(**more: Any) -> Any:
        return count_odds(
            find_shared_system("asl").find_sequence(sequence), given | more, (), UNITS
        )

    assert odds() == odds(**{option: True})
    assert odds() != odds(**{option: False})


def test_smoke_in_motion_by_hand() -> None:
    """Table 4: 7 + 2 moved + 1 buttoned up = 10, more than 8."""
    out = play_example("asl", "smoke", SMOKE, [3, 4], UNITS).out
    assert (out["total"], out["result"]) == (10, "failed")


def test_a_molotov_against_motion_by_hand() -> None:
    """Table 17, situation 1: TK# 4, so that a DR of 6 does nothing."""
    out = play_example("asl", "flame-attack", MOLOTOV, [3, 3], UNITS).out
    assert (out["tk"], out["result"]) == (4, "none")
