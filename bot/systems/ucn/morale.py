"""Morale tests: 1d20 at or under Morale after casualties, cover, leader and markers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.names import joined
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, Step, minus, parts_of
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster
from bot.systems.ucn.shooters import MORALE_LOSS
from bot.systems.ucn.skills import LAST, check, d20, mod_part, sum_line
from bot.systems.ucn.words import SHAKY, whom

LET_LOOSE, MARKERS = "let-loose", 3
STATES = {"passed": "ready", "hesitant": "hesitant-morale"}  # the others are called as their result

DAMAGED = ("immobilised", "out-of-action")  # what became of a vehicle stays, whatever its crew thinks of it


@dataclass(frozen=True, slots=True)
class Testing:
    """The one roll of the test."""

    owes: str | None


def plan(tables: Tables, given: Given) -> Plan[Testing]:
    """A Morale test. Source: Morale, all panels.

    Raises UserError for a roster unit that is out of the game, and for an enemy named twice.
    """
    _refuse_twice(given)
    unit = given.unit("unit")
    if unit is not None:
        roster.refuse_gone(unit, "test", "unit")
    modifiers = tables["morale-modifiers"](
        cover=given.flag("cover"),
        leader=given.word("leader"),
        morale_markers=given.int("morale_markers"),
        suppression_markers=given.int("suppression_markers"),
    )
    lost = given.int("casualties")
    casualties = (("casualties", -MORALE_LOSS * lost),) if lost else ()
    test = check(tables, (("Morale", given.int("morale")), *casualties, *parts_of(modifiers.parts), *mod_part(given)))

    def failed_by(face: int) -> int:
        return 0 if test.passes[face] else max(1, face - test.final)

    def outputs(_before: Testing, roll: Roll, _after: Testing) -> Outputs:
        face = roll[0]
        by = failed_by(face)
        result = tables["morale-failed"](failed_by=by)["result"] if by else "passed"
        loses = face == LAST or result == LET_LOOSE
        return {"roll": face, "passed": not by, "failed_by": by, "result": result, "loses_ap": loses}

    def lines(_before: Testing, roll: Roll, _after: Testing) -> Iterable[Line]:
        by = failed_by(roll[0])
        yield sum_line(test)
        yield Line("Morale test", roll, result=f"{by} too high" if by else f"{minus(test.final)} or less needed")

    def settle(out: Mapping[str, Any]) -> Settlement:
        result, by = str(out["result"]), int(out["failed_by"])
        headline = f"{result}, failed by {by}" if by else "passed"
        then, now = [], [SHAKY[result]] if by else []
        if out["roll"] == LAST and result != LET_LOOSE:
            now.append("natural 20, the remaining AP are lost")
        marked = _marked(given) if result == LET_LOOSE else ()
        if marked:
            names = joined(enemy.word for enemy in given.units("enemies")[:MARKERS])
            now.append(f"a {given.word('marker').capitalize()} marker on {names}")
        elif result == LET_LOOSE:
            then.append(f"Put a {given.word('marker').capitalize()} marker on up to 3 enemies in sight, nearest first.")
        damaged = unit is not None and unit.state in DAMAGED
        new: dict[str, Any] = {} if damaged else {"state": STATES.get(result, result)}
        if out["loses_ap"]:
            new["ap"] = 0
        mark = frozenset({"reload"}) if result == LET_LOOSE else frozenset()
        units = ((unit.word, result),) if unit is not None else ()
        fates = (Fate(whom(unit, "the element"), result),)
        changes = (*roster.change(unit, new, mark=mark), *marked)
        return Settlement(headline, units, tuple(then), changes, fates, tuple(now))

    step = Step(d20("Morale test"), lambda _state, _roll: Testing(None), outputs, lines)
    return Plan(Testing("test"), {"test": step}, settle, {"final": test.final})


def _refuse_twice(given: Given) -> None:
    names = [enemy.name for enemy in given.units("enemies")]
    if twice := next((name for name in names if name and names.count(name) > 1), ""):
        raise UserError(f"{twice} is named twice; one marker per element.", option="enemies", code="given-twice")


def _marked(given: Given) -> tuple[Change, ...]:
    """A marker more on each of the nearest enemies named, at most three. Source: Failed Morale Test, Let Loose."""
    key = f"{given.word('marker')}_markers"
    return tuple(
        change
        for enemy in given.units("enemies")[:MARKERS]
        for change in roster.change(enemy, {key: int(enemy.get(key) or 0) + 1})
    )
