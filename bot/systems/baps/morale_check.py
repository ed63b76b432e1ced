"""A morale check of a squad or crew-served weapon team."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, parts_of
from bot.rules.shapes import Once, one_roll
from bot.rules.tables.table import Tables
from bot.systems.baps.men import about, whom


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """1d10 plus modifiers against the men alive. Source: Infantry Charts, Morale Checks.

    Raises UserError for a squad without men.
    """
    unit, men, crew_team = given.unit("unit"), given.int("men"), given.flag("crew_team")
    if men < 1:
        raise UserError("Nobody is left to check.", option="unit", code="nobody")
    modifiers = tables["morale-modifiers"](
        event=given.word("event"),
        state=given.word("state"),
        cover=given.word("cover"),
        grade=given.word("grade"),
        leader=given.int("leader"),
        cannot_see=given.flag("cannot_see"),
        dark=given.flag("dark"),
        vehicle=given.flag("vehicle"),
    )
    modifier = int(modifiers["total"])
    against = f"against {men} {'man' if men == 1 else 'men'}" + (", times three" if crew_team else "")

    def outputs(roll: int) -> Outputs:
        total = roll + modifier
        result = tables["morale-result"](total=total, men=men, crew_team=crew_team)["result"]
        return {"roll": roll, "modifier": modifier, "total": total, "result": result}

    def line(roll: Roll, told: Outputs) -> Line:
        return Line("morale check", roll, parts_of(modifiers.parts), told["total"], against)

    def settle(out: Mapping[str, Any]) -> Settlement:
        result = out["result"]
        now = ("all men of the unit suppressed",) if result == "pinned" else ()
        changed = unit is not None and result != "pass"
        changes: tuple[Change, ...] = ()
        if changed and unit is not None:
            changes = (Change(unit.name, set={"state": result}),)
            changes += (Change(unit.name, set={"state": "suppressed"}, of="squad"),) if result == "pinned" else ()
        fates = (Fate(whom(unit, "the unit"), str(result)),)
        return Settlement(about(unit, str(result)), changes=changes, fates=fates, now=now)

    return one_roll(dice(1, 10, "morale check"), outputs, line, settle, opening={})
