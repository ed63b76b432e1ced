"""Hand grenade, rifle grenade or light mortar at an aim point."""

from __future__ import annotations

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.baps.blasts import blast_of
from bot.systems.baps.indirect import aim_plan
from bot.systems.baps.volley import Volley


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """1d20 less the cover of the aim point. Source: Infantry Charts, Attack Factors for Special Weapons.

    Raises UserError for a range without a shot, and for an automatic hit with anything but a hand grenade.
    """
    weapon, inches = given.word("weapon"), given.number("range")
    shot = tables["special-weapons"](weapon=weapon, range=inches, shot=given.word("shot"))
    if shot["need"] == "not-allowed":
        raise UserError(
            f"A {weapon.replace('-', ' ')} has no shot at {inches:g} {'inch' if inches == 1 else 'inches'}.",
            hint="Table special-weapons has its bands.",
            option="range",
            code="out-of-reach",
        )
    if given.flag("auto_hit") and weapon != "hand-grenade":
        raise UserError(
            "Only a hand grenade hits by heroic action.",
            hint="Leave out auto_hit.",
            option="auto_hit",
            code="not-together",
        )
    need, cover = int(shot["need"]), int(tables["cover"](cover=given.word("cover"))["modifier"])
    return aim_plan(
        given,
        blast_of(tables, given, cover="blast_cover"),
        need=need,
        hits=lambda die: die - cover >= need,
        parts=(("cover of the aim point", -cover),) if cover else (),
        scatter=str(shot["scatter"]),
        weapon=f"the {weapon.replace('-', ' ')}",
    )
