"""Blast of a grenade or shell at a known point of impact."""

from __future__ import annotations

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.baps.blasts import blast_of, blast_plan
from bot.systems.baps.volley import Volley


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """Men in the `lethal` and `burst` radius. Source: Vehicle Charts, Radii of Effect chart."""
    return blast_plan(blast_of(tables, given))
