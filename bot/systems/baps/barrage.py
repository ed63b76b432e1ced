"""An artillery round comes down."""

from __future__ import annotations

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.baps.blasts import blast_of, blast_plan, rows_of
from bot.systems.baps.volley import Volley

ZONES = ("vaporize", "lethal", "burst")


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """Men in the three radii of an artillery `weapon`. Source: Vehicle Charts, Artillery Sheaf Data.

    Raises UserError for men in a radius that the weapon does not have.
    """
    weapon = given.word("weapon")
    if given.units("vaporize") and not tables["artillery-sheaf"](weapon=weapon)["vaporize"]:
        raise UserError(
            f"{weapon} has no vaporize radius.",
            hint="Put these men into lethal.",
            option="vaporize",
            code="not-together",
        )
    rows = rows_of(tables, "sheaf-zone", ZONES)
    blast = blast_of(tables, given, rows, cover=given.word("cover"), inside=given.flag("inside"))
    return blast_plan(blast, then=("Their unit owes a morale check with event artillery-fire.",))
