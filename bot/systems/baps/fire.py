"""Small arms fire of one unit at everybody in the target area."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Line, Plan
from bot.rules.tables.formula import plain
from bot.rules.tables.table import Table, Tables
from bot.systems.baps.aimed import fire_plan
from bot.systems.baps.ammunition import Checker, kind_of, refuse_jammed
from bot.systems.baps.men import called, living
from bot.systems.baps.volley import Volley

SAID = {
    "submachine-gun": "SMG",
    "rifle-bolt": "rifle",
    "rifle-semi": "rifle",
    "rifle-auto": "rifle",
    "lmg-belt": "LMG",
    "lmg-magazine": "LMG",
    "medium-machine-gun": "MMG",
    "heavy-machine-gun": "HMG",
}
"""Weapons as players call them, where that differs from the chart."""


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """Fire of `attackers` at `targets`. Source: Infantry Charts, Normal Fires to ammunition.

    Raises UserError for an attacker without a weapon, with one that is jammed, or without a shot at the range.
    """
    attackers = living(given.units("attackers"), "attackers")
    refuse_jammed(attackers)
    names = called(attackers)
    factors = [factor_of(tables, given, unit, name) for unit, name in zip(attackers, names, strict=True)]
    leader = given.int("leader")
    total = sum(factors) + leader
    attack = floor(total)
    checkers = [
        Checker(unit.word, name, kind_of(tables, str(unit.get("weapon"))))
        for unit, name in zip(attackers, names, strict=True)
    ]
    dropped = "fraction dropped" if attack != total else ""
    opening: dict[str, Any] = {}
    for at, (unit, factor) in enumerate(zip(attackers, factors, strict=True)):
        opening |= {f"attackers[{at}].unit": unit.word, f"attackers[{at}].factor": factor}
    return fire_plan(
        tables,
        given,
        attack,
        checkers,
        soldiers=attackers,
        opening=opening,
        lines=(
            Line(
                "attack",
                parts=(("leader rating", leader),) if leader else (),
                total=attack,
                result=dropped,
                contributors=_by_weapon(tables, attackers, factors),
            ),
        ),
    )


def factor_of(tables: Tables, given: Given, unit: Unit, name: str) -> int | float:
    """The attack factor of one soldier, fractions kept. Raises UserError without a weapon or a shot."""
    weapon = unit.get("weapon")
    if weapon is None:
        raise UserError(
            f"{name} needs a weapon.",
            hint="Type it after the unit: soldier weapon=rifle-bolt.",
            option="attackers",
            code="no-weapon",
        )
    inches = unit.get("range", given.number("range"))
    factor = tables["attack-factors"](weapon=weapon, range=inches)["factor"]
    if factor == "not-allowed":
        raise UserError(
            f"{name} has no shot with {weapon} at {inches:g} inches.",
            hint="Leave that one out.",
            option="attackers",
            code="out-of-reach",
        )
    return plain(factor * multiplier(tables["attack-modifiers"], unit, str(weapon)))


def _by_weapon(
    tables: Tables, attackers: Sequence[Unit], factors: Sequence[int | float]
) -> tuple[tuple[str, int | float], ...]:
    """The factors summed up by weapon: `rifles 27`, `moving LMG 4`."""
    found: dict[str, list[int | float]] = {}
    for unit, factor in zip(attackers, factors, strict=True):
        found.setdefault(_armed(tables, unit), []).append(factor)
    return tuple((name if len(each) == 1 else f"{name}s", plain(sum(each))) for name, each in found.items())


def _armed(tables: Tables, unit: Unit) -> str:
    """The weapon of a firer as players call it, with what halves or doubles it."""
    weapon = str(unit.get("weapon"))
    why = [flag for flag in ("suppressed", "moving", "hasty", "heroic") if unit.has(flag)]
    why += ["unassisted"] * (
        unit.has("no_assistant") and weapon in tables["attack-modifiers"].constants["machine_guns"]
    )
    return " ".join((*why, SAID.get(weapon, weapon.replace("-", " "))))


def multiplier(modifiers: Table, unit: Unit, weapon: str) -> float:
    """What the attack factor is multiplied by; a missing assistant matters to machine guns only."""
    flags = {flag: unit.has(flag) for flag in ("suppressed", "moving", "hasty", "heroic")}
    alone = unit.has("no_assistant") and weapon in modifiers.constants["machine_guns"]
    factor: float = modifiers(**flags, no_assistant=alone)["factor"]
    return factor
