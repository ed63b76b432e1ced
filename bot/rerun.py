"""Plays a logged event again from its inputs, units and dice: a third reading of the one definition of a procedure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.charts import System, systems
from bot.game.state import Json, unit_from_json
from bot.game.version import tables_version
from bot.procedures import resolve
from bot.rules.dice import Script
from bot.rules.expression import parse, roll
from bot.rules.units import Roster


def outcome_again(event: Mapping[str, Any]) -> Json | None:
    """The `out` that an event must have; None for what cannot be told here: no roll, or other rules and tables.

    Raises UserError for inputs and dice that lead to no outcome.
    """
    kind, inputs = event.get("kind"), dict(event.get("inputs") or {})
    script = Script([die["value"] for die in event.get("dice") or ()])
    if kind == "roll":
        out: Json = roll(parse(str(inputs.get("dice", ""))), script).out()
    else:
        system = systems().get(str(event.get("system")))
        if kind not in ("sequence", "table") or system is None or event.get("tables") != tables_version(system.id):
            return None
        out = _by_table(system, event, inputs, script) if kind == "table" else _by_steps(system, event, inputs, script)
    script.finish()
    return out


def _by_steps(system: System, event: Mapping[str, Any], inputs: Json, script: Script) -> Json:
    """The outcome of a procedure; the roster units that it used stand in the event as they were then."""
    units = [unit_from_json(data) for data in event.get("used") or ()]
    roster: Roster = {name.casefold(): unit for unit in units for name in (unit.handle, unit.name)}
    return dict(resolve(system.sequence(str(event.get("target"))), inputs, script, roster).out)


def _by_table(system: System, event: Mapping[str, Any], inputs: Json, script: Script) -> Json:
    """The outcome of a table whose own roll was rolled."""
    chart = system.table(str(event.get("target")))
    for option, dice in chart.owes(inputs):
        inputs[option] = sum(value for die in dice if isinstance(value := script.draw(die), int))
    return dict(chart.read(inputs).out)
