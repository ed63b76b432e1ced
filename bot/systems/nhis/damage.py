"""A Damaged result on the units of a hex: points drawn at random, the shaken, and checks of the unshakable."""

from __future__ import annotations

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.nhis.results import Results, Struck
from bot.systems.nhis.results_odds import Apart
from bot.systems.nhis.targets import Cards, targets_of


def plan(tables: Tables, given: Given) -> Plan[Struck]:
    """`points` damage points on `targets`. Source: Damaged and Damaged-2/3 paragraphs."""
    units, flamethrower = given.units("targets"), given.flag("flamethrower")
    results = Results(targets_of(units, checks=("unshakable",)), Cards(tables, flamethrower=flamethrower))
    start = results.damaged(given.int("points"))
    opening, lines = {"targets": [], **start.told}, tuple(start.story())
    steps, apart = results.steps(), Apart(results)
    return Plan(start.after, steps, results.settled, opening, lines=lines, rows=results.rows, apart=apart)
