"""Flamethrower or Molotov cocktail against an AFV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement
from bot.rules.shapes import Once, one_roll
from bot.rules.tables.table import Tables
from bot.systems.asl.roster import called, new_state, noted, still

WRECKED = ("destroyed", "burning")


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """TK 2d6 without any DRM against the TK number. Source: table 17, C7.7."""
    read = tables["tk-flame"](
        weapon=given.word("weapon"), afv=given.word("afv"), moving=given.flag("moving"), rear=given.flag("rear")
    )
    tk, unit = int(read["tk"]), given.unit("unit")

    def outputs(dr: int) -> Outputs:
        return {"dr": dr, "result": outcome(dr, tk)}

    def line(roll: Roll, told: Outputs) -> Line:
        return Line("TK", roll, (), told["dr"], f"against TK# {tk} (situation {str(read['situation']).upper()})")

    def settle(out: Mapping[str, Any]) -> Settlement:
        result = str(out["result"])
        state = result if result in WRECKED else None
        fates, now = (Fate(called(unit, "the AFV"), result),), noted(still(unit, state))
        changes = new_state(unit, state)
        return Settlement(spoken(result), ((called(unit, "AFV"), result),), (), changes, fates, now)

    return one_roll(dice(2, 6, "TK"), outputs, line, settle, opening={"tk": tk})


def spoken(result: str) -> str:
    """A result in a few words."""
    return {"none": "no effect", "equal": "equal to the TK#"}.get(result, result)


def outcome(dr: int, tk: int) -> str:
    """`burning` at half the TK number or less, `destroyed` below it, `equal`, or `none` above it."""
    if 2 * dr <= tk:
        return "burning"
    if dr < tk:
        return "destroyed"
    return "equal" if dr == tk else "none"
