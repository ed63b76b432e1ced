"""Morale checks of the units of a hex, as after a Hit: leaders first, the others helped by a prepared leader."""

from __future__ import annotations

from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan
from bot.rules.tables.table import Tables
from bot.systems.nhis.results import Results, Struck
from bot.systems.nhis.results_odds import Apart
from bot.systems.nhis.targets import Cards, targets_of


def plan(tables: Tables, given: Given) -> Plan[Struck]:
    """Morale checks of `targets` with `hit_number` added to each die. Source: Hit paragraph."""
    units, flamethrower = given.units("targets"), given.flag("flamethrower")
    results = Results(targets_of(units, checks=("shakeable", "unshakable")), Cards(tables, flamethrower=flamethrower))
    start = results.hit(given.int("hit_number"), alone=given.flag("no_leadership"))
    opening: dict[str, Any] = {"targets": []}
    steps, apart = results.steps(), Apart(results)
    return Plan(start, steps, results.settled, opening, rows=results.rows, apart=apart)
