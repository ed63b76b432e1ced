"""Blast of a grenade or shell at a known point of impact."""

from __future__ import annotations

from bot.rules.inputs.given import Given
from bot.rules.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.baps.blasts import blast_of, blast_plan, rows_of
from bot.systems.baps.volley import Volley

ZONES = ("lethal", "burst")


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """Men in the `lethal` and `burst` radius. Source: Vehicle Charts, Radii of Effect chart."""
    rows = rows_of(tables, "he-radii", ZONES)
    return blast_plan(blast_of(tables, given, rows, cover=given.word("cover"), inside=given.flag("inside")))
