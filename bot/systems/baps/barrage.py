"""An artillery round comes down."""

from __future__ import annotations

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.baps.blasts import blast_of, blast_plan
from bot.systems.baps.volley import Volley


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
    then = ("Their unit owes a morale check with event artillery-fire.",)
    return blast_plan(blast_of(tables, given, zones="sheaf-zone"), then=then)
