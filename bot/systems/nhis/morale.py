"""Morale checks of the units of a hex, as after a Hit: leaders first, the others helped by a prepared leader."""

from __future__ import annotations

from bot.rules.inputs.given import Given
from bot.rules.later import Steps
from bot.rules.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.nhis.results import Results, Struck
from bot.systems.nhis.targets import Cards, targets_of


def plan(tables: Tables, given: Given) -> Plan[Struck]:
    """Morale checks of `targets` with `hit_number` added to each die. Source: Hit paragraph."""
    units, flamethrower = given.units("targets"), given.flag("flamethrower")
    results = Results(targets_of(units, checks=("shakeable", "unshakable")), Cards(tables, flamethrower=flamethrower))
    start = results.hit(given.int("hit_number"), alone=given.flag("no_leadership"))
    return Plan(start, Steps(results.steps()), results.settled, opening={"targets": []}, rows=results.rows)
