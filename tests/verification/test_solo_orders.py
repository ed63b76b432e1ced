"""Hosts that cheat for a side that plays itself, with genuine dice: `verify` names each of them.

Each cheat changes one function that play uses, so that chain, dice and outcomes of the log are
right, and only the orders are not those of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.commands.solo import self_play
from bot.game.self_play import (
    get_order_rule,
    get_phase_rule,
    list_able_units,
    list_enemies,
    list_order_words,
)
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.system import System
from tools import fuzz

pytestmark = pytest.mark.scenes(6)

SEED = 1


def leave_out_a_unit(*about: Any) -> list[RosterUnit]:
    return list_able_units(*about)[1:]


def change_their_order(*about: Any) -> list[RosterUnit]:
    return list_able_units(*about)[::-1]


def forget_who_had_an_order(*_: Any) -> list[str]:
    return []


def choose_an_order(system: System, order: str) -> list[str]:
    """Let every unit fall back, whatever was rolled for it."""
    return ["fall-back"]


def pass_over_an_order(system: System, order: str) -> list[str]:
    return list_order_words(system, order)[-1:]


def see_any_enemy(game: Any, system: System, side: str, _: Any) -> list[RosterUnit]:
    """Let small arms fire at the vehicle, too."""
    return list_enemies(game, system, side, {})[::-1]


def take_cover_away(system: System, order: str) -> Any:
    rule = get_order_rule(system, order)
    if "how" not in rule:
        return rule
    return {**rule, "how": {button: {"tm": -2} for button in rule["how"]}}


def mark_more(system: System, order: str) -> Any:
    rule = get_order_rule(system, order)
    return {**rule, "mark": ["moved", "melee"]} if rule.get("mark") else rule


def give_leaders_no_order(*about: Any) -> Any:
    """Let only squads have orders."""
    rule = get_phase_rule(*about)
    return {**rule, "types": ["squad"]} if "types" in rule else rule


async def give_no_order(*_: Any) -> None:
    return None


async def run_nothing(*_: Any) -> None:
    """Let no phase begin with the side's own sequence: its broken units do not rally."""


@pytest.mark.parametrize(
    ("name", "cheat", "fault"),
    [
        ("list_able_units", leave_out_a_unit, "its units are not those"),
        ("list_able_units", change_their_order, "its units are not those"),
        ("list_ordered_units", forget_who_had_an_order, "its units are not those"),
        ("get_phase_rule", give_leaders_no_order, "its units are not those"),
        ("list_order_words", choose_an_order, "it carries out fall-back, but"),
        ("list_order_words", pass_over_an_order, "it skips"),
        ("list_enemies", see_any_enemy, "its inputs are not what"),
        ("get_order_rule", take_cover_away, "its inputs are not what"),
        ("get_order_rule", mark_more, "does not get the markers"),
        ("_give_order", give_no_order, "has not had an order"),
        ("_run_for_phase", run_nothing, "left out rally when this phase began"),
    ],
)
async def test_a_cheat_with_genuine_dice_is_named(
    name: str, cheat: Callable[..., Any], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_play, name, cheat)
    monkeypatch.setattr(fuzz, "MOST_STEPS", 40)
    system = fuzz.find_fuzz_system("lnlt")
    failure = await fuzz.play_random_games(system, 1, SEED, fuzz.FuzzTally(), alone=True)
    assert failure is not None
    assert any(fault in found for found in failure.faults), failure.faults
    assert not any("crashed" in found for found in failure.faults), failure.faults
