"""The rating of a new leader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import d20
from bot.rules.inputs.given import Given
from bot.rules.sequence import Change, Fate, Line, Plan, Settlement
from bot.rules.shapes import Once, one_roll
from bot.rules.tables.table import Tables
from bot.systems.baps.men import about, whom


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """1d20 in the column of `grade`. Source: Vehicle Charts, Initial Leader Ratings."""
    table, grade, unit = tables["leader-rating"], given.word("grade"), given.unit("unit")

    def settle(out: Mapping[str, Any]) -> Settlement:
        changes = (Change(unit.name, set={"lr": out["rating"]}),) if unit is not None else ()
        return Settlement(about(unit, f"leader rating {out['rating']}"), changes=changes, fates=(fate(out["rating"]),))

    def fate(rating: int) -> Fate:
        return Fate(whom(unit, "the new leader"), "rating", f"{rating:+d}".replace("-", "−") if rating else "0")

    return one_roll(
        (d20("leader rating"),),
        lambda roll: {"roll": roll, "rating": table(grade=grade, roll=roll)["rating"]},
        lambda roll, _told: Line("roll", roll, result=f"column {grade}"),
        settle,
        opening={},
    )
