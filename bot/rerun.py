"""Plays a logged event again from its inputs, units and dice: a third reading of the one definition of a procedure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.charts import System, systems
from bot.game.events import apply, difference
from bot.game.roster import settle_changes
from bot.game.state import Game, Json, content, unit_from_json, unit_json
from bot.game.undo import redo_fields, undo_fields
from bot.game.version import is_current
from bot.procedures import resolve
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression import parse, roll
from bot.rules.sequence import Change, Played
from bot.rules.units import Roster


def outcome_again(event: Mapping[str, Any]) -> Json | None:
    """The `out` that an event must have; None for what cannot be told here: no roll, or another edition of the rules.

    Raises UserError for inputs and dice that lead to no outcome.
    """
    kind, inputs = event.get("kind"), dict(event.get("inputs") or {})
    script = Script([die["value"] for die in event.get("dice") or ()])
    if kind == "roll":
        out: Json = roll(parse(str(inputs.get("dice", ""))), script).out()
    else:
        system = systems().get(str(event.get("system")))
        if kind not in ("sequence", "table") or system is None or not is_current(event):
            return None
        out = _by_table(system, event, inputs, script) if kind == "table" else _by_steps(system, event, inputs, script)
    script.finish()
    return out


def unit_faults(events: Iterable[Mapping[str, Any]], game: str) -> list[str]:
    """What is wrong with what the events say was written to units and game, one line each.

    What stood before must be what the log led to, undo and redo must turn round just what they name, and a
    procedure played again must lead to the same units.
    """
    faults, state, bodies = [], Game(game), dict[int, Mapping[str, Any]]()
    for event in events:
        number = event["number"]
        try:
            bodies[number] = event
            if not _stood(state, event.get("before") or {}):
                faults.append(f"Event {number}: what it says stood before is not what the log led to.")
            elif _is_written_otherwise(state, event, bodies):
                faults.append(f"Event {number}: its outcome leads to other units than it says.")
            state = apply(state, event)
        except (UserError, ValueError, KeyError, TypeError, AttributeError):  # the file is a stranger's
            return [*faults, f"Event {number}: what it changes cannot be read."]
    return faults


def _stood(state: Game, before: Mapping[str, Any]) -> bool:
    if not before:
        return True
    units = {key: unit_json(unit) if (unit := state.units.get(key)) else None for key in before.get("units", {})}
    now = content(replace(state, units={}))
    fields = {name: now.get(name) for name in before.get("game", {})}
    return bool(units == before.get("units", {}) and fields == before.get("game", {}))


def _is_written_otherwise(state: Game, event: Mapping[str, Any], bodies: Mapping[int, Mapping[str, Any]]) -> bool:
    patch = {name: event.get(name) or {} for name in ("before", "after")}
    if event["kind"] in ("undo", "redo"):
        fields = (undo_fields if event["kind"] == "undo" else redo_fields)(bodies[event["event"]])
        return patch != {name: fields.get(name) or {} for name in patch}
    system = systems().get(str(event.get("system")))
    if event["kind"] != "sequence" or system is None or not is_current(event):
        return False
    changes: tuple[Change, ...] = ()
    if state.system in ("", system.id):
        script = Script([die["value"] for die in event.get("dice") or ()])
        changes = _played(system, event, dict(event.get("inputs") or {}), script).settlement.changes
    _, after = difference(state, settle_changes(state, changes))
    return bool(patch["after"].get("units", {}) != after.get("units", {}))


def _by_steps(system: System, event: Mapping[str, Any], inputs: Json, script: Script) -> Json:
    return dict(_played(system, event, inputs, script).out)


def _played(system: System, event: Mapping[str, Any], inputs: Json, script: Script) -> Played:
    """The procedure played again; the roster units that it used stand in the event as they were then."""
    units = [unit_from_json(data) for data in event.get("used") or ()]
    roster: Roster = {name.casefold(): unit for unit in units for name in (unit.handle, unit.name)}
    return resolve(system.sequence(str(event.get("target"))), inputs, script, roster)


def _by_table(system: System, event: Mapping[str, Any], inputs: Json, script: Script) -> Json:
    """The outcome of a table whose own roll was rolled."""
    chart = system.table(str(event.get("target")))
    for option, dice in chart.owes(inputs):
        inputs[option] = sum(value for die in dice if isinstance(value := script.draw(die), int))
    return dict(chart.read(inputs).out)
