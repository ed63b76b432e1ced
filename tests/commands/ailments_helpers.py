"""Helpers of tests/commands/units/test_ailments.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import Iterator

from bot.rules.inputs.units import RosterUnit
from bot.rulesets.system import System


def at_worst(system: System) -> Iterator[RosterUnit]:
    """A unit for each number of the game that counts losses, with one and with two of them."""
    units = system.game["units"]
    for key in units["hurt"]:
        if key in (units.get("attributes") or {}):
            for lost in (1, 2):
                yield RosterUnit("Able", "us1", units["types"][0], "US", numbers={key: lost})
