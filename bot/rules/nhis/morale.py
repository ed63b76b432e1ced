"""Morale checks of the units of a hex, as after a Hit: leaders first, the others helped by a prepared leader."""

from __future__ import annotations

from bot.rules.chart import Charts
from bot.rules.given import Given
from bot.rules.nhis.results import Results, Struck
from bot.rules.nhis.targets import targets_of
from bot.rules.sequence import Plan


def plan(charts: Charts, given: Given) -> Plan[Struck]:
    """Morale checks of `targets` with `hit_number` added to each die. Source: Hit paragraph."""
    units, flamethrower = given.units("targets"), given.flag("flamethrower")
    results = Results(targets_of(charts, units, flamethrower=flamethrower, checks=("shakeable", "unshakable")))
    start = results.hit(given.int("hit_number"), alone=given.flag("no_leadership"))
    return Plan(start, results.steps(), results.settled, opening={"targets": []}, rows=results.rows())
