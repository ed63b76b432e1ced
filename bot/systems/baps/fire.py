"""Small arms fire of one unit at everybody in the target area."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds.later import Later
from bot.rules.sequence.sequence import Line, Plan
from bot.rules.tables.formula import plain
from bot.rules.tables.table import Tables
from bot.systems.baps.aimed import fire_plan
from bot.systems.baps.ammunition import Checker, kind_of, refuse_jammed
from bot.systems.baps.men import called, living
from bot.systems.baps.volley import Volley

HOW = ("suppressed", "moving", "hasty", "heroic")
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


class Firer(NamedTuple):
    """A soldier who fires: the weapon, the attack factor, fractions kept, and what the story calls the weapon."""

    weapon: str
    factor: int | float
    armed: str


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """Fire of `attackers` at `targets`. Source: Infantry Charts, Normal Fires to ammunition.

    Raises UserError for an attacker without a weapon, with one that is jammed, or without a shot at the range.
    """
    attackers = living(given.units("attackers"), "attackers")
    refuse_jammed(attackers)
    names, read = called(attackers), dict[int, Firer]()  # once for those who were given together
    for unit, name in zip(attackers, names, strict=True):
        if id(unit) not in read:
            read[id(unit)] = _firer(tables, given, unit, name)
    firers = [read[id(unit)] for unit in attackers]
    leader = given.int("leader")
    total = sum(firer.factor for firer in firers) + leader
    attack = floor(total)
    opening: dict[str, Any] = {}
    for at, (unit, firer) in enumerate(zip(attackers, firers, strict=True)):
        opening[f"attackers[{at}].unit"] = unit.word
        opening[f"attackers[{at}].factor"] = firer.factor
    line = Line(
        "attack",
        parts=(("leader rating", leader),) if leader else (),
        total=attack,
        result="fraction dropped" if attack != total else "",
        contributors=_by_weapon(firers),
    )
    checkers = Later(
        lambda: [
            Checker(unit.word, name, kind_of(tables, firer.weapon), unit.name)
            for unit, name, firer in zip(attackers, names, firers, strict=True)
        ]
    )
    return fire_plan(tables, given, attack, checkers, opening=opening, line=line)


def _firer(tables: Tables, given: Given, unit: Unit, name: str) -> Firer:
    """One soldier. Raises UserError without a weapon or a shot."""
    weapon, modifiers = unit.get("weapon"), tables["attack-modifiers"]
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
    how = [flag for flag in HOW if flag in unit.flags]
    if unit.has("no_assistant") and weapon in modifiers.constants["machine_guns"]:
        how.append("no_assistant")
    armed = " ".join((*how, SAID.get(weapon, weapon.replace("-", " ")))).replace("no_assistant", "unassisted")
    return Firer(weapon, plain(factor * modifiers(**dict.fromkeys(how, True))["factor"]), armed)


def _by_weapon(firers: Iterable[Firer]) -> tuple[tuple[str, int | float], ...]:
    """The factors summed up by weapon: `rifles 27`, `moving LMG 4`."""
    found: dict[str, list[int | float]] = {}
    for firer in firers:
        found.setdefault(firer.armed, []).append(firer.factor)
    return tuple((name if len(each) == 1 else f"{name}s", plain(sum(each))) for name, each in found.items())
