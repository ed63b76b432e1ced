"""HE round of a gun at men."""

from __future__ import annotations

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Plan, parts_of
from bot.rules.tables.table import Tables
from bot.systems.baps.blasts import blast_of, rows_of
from bot.systems.baps.indirect import aim_plan
from bot.systems.baps.shot import hits_vehicle, shot_modifiers
from bot.systems.baps.volley import Volley

ZONES = ("lethal", "burst")


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """1d20 plus the to-hit modifiers. Source: Vehicle Charts, Roll to Hit Vehicular Targets, HE scatter.

    Raises UserError beyond the gun's last band.
    """
    weapon, inches = given.word("weapon"), given.number("range")
    shot = tables["vehicle-to-hit"](weapon=weapon, range=inches)
    if shot["need"] == "not-allowed":
        raise UserError(
            f"A {weapon} gun does not reach {inches:g} inches.",
            hint="Table vehicle-to-hit has its bands.",
            option="range",
            code="out-of-reach",
        )
    need = int(shot["need"])
    modifiers = shot_modifiers(tables, given, side=given.flag("side"))
    rows = rows_of(tables, "he-radii", ZONES)
    return aim_plan(
        need,
        parts_of(modifiers.parts),
        str(shot["he_scatter"]),
        given.flag("direction"),
        blast_of(tables, given, rows, cover=given.word("blast_cover"), inside=given.flag("inside")),
        hits=lambda die: hits_vehicle(die, int(modifiers["total"]), need),
        weapon="the round",
    )
