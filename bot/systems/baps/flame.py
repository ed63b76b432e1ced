"""Attack of one flame thrower at everybody in the target area."""

from __future__ import annotations

from math import floor

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Line, Plan
from bot.rules.tables.table import Tables
from bot.systems.baps.aimed import fire_plan
from bot.systems.baps.ammunition import Checker
from bot.systems.baps.volley import Volley

WEAPON = "flame-thrower"


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """A flame thrower at `targets`. Source: Infantry Charts, Attack Factors for Special Weapons.

    Raises UserError beyond 27 inches.
    """
    inches, leader = given.number("range"), given.int("leader")
    factor = tables["flame-thrower"](range=inches)["factor"]
    if factor == "not-allowed":
        raise UserError(
            f"A flame thrower does not reach {inches:g} inches.",
            hint="27 is its limit.",
            option="range",
            code="out-of-reach",
        )
    how = [flag for flag in ("suppressed", "moving", "hasty") if given.flag(flag)]
    factor *= tables["attack-modifiers"](**dict.fromkeys(how, True))["factor"]
    attack = floor(factor + leader)
    parts = (("leader rating", leader),) if leader else ()
    return fire_plan(
        tables,
        given,
        attack,
        lambda: (Checker(WEAPON, WEAPON, "other"),),
        opening={},
        line=Line("attack", (), parts, attack, contributors=((" ".join((*how, "flame thrower")), factor),)),
        then=("Their unit owes a morale check with event flame-weapon.",),
    )
