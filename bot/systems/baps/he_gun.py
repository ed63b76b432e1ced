"""HE round of a gun at men."""

from __future__ import annotations

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan, parts_of
from bot.rules.tables.table import Tables
from bot.systems.baps.blasts import blast_of
from bot.systems.baps.indirect import aim_plan
from bot.systems.baps.shot import hits_vehicle, shot_modifiers
from bot.systems.baps.volley import Volley


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
    need, modifiers = int(shot["need"]), shot_modifiers(tables, given, side=given.flag("side"))
    return aim_plan(
        given,
        blast_of(tables, given, cover="blast_cover"),
        need=need,
        hits=lambda die: hits_vehicle(die, int(modifiers["total"]), need),
        parts=parts_of(modifiers.parts),
        scatter=str(shot["he_scatter"]),
        weapon="the round",
    )
