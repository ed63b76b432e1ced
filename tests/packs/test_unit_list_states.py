"""The list of units names the states of every game and pack."""

from __future__ import annotations

from itertools import product

import pytest

from bot.commands.units.unit_list import build_unit_tables
from bot.game.counter_faces import can_have, describe_state
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import load_shared_systems


@pytest.mark.usefixtures("packs")
def test_the_list_names_each_state_that_is_not_the_normal_one() -> None:
    """Also one called *reduced*, which a sign says only of a counter on its other side."""
    for system in load_shared_systems().values():
        units = system.game.get("units") or {}
        for state, kind in product(units.get("states") or (), units.get("types") or ()):
            unit = RosterUnit("A unit", "us1", kind, "US", state=state)
            if can_have(unit, state, system) and describe_state(unit, system):
                [table] = build_unit_tables([unit], {"US": "US"}, system)
                assert table.rows[0][3], (system.id, kind, state)
