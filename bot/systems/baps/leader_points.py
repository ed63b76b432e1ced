"""Leader points at the start of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement
from bot.rules.shapes import Once, no_roll, one_roll
from bot.rules.tables.table import Tables
from bot.systems.baps.men import about, whom


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """1d4 plus `rating` for a ready leader. Source: Infantry Charts, Turn Sequence, leader points."""
    table, rating, state = tables["leader-points"], given.int("rating"), given.word("state")
    unit = given.unit("unit")

    def settle(out: Mapping[str, Any]) -> Settlement:
        points = out["points"]
        said = f"{points} leader point{'' if points == 1 else 's'}"
        return Settlement(
            about(unit, said), fates=(Fate(whom(unit, "the leader"), "points" if points else "none", said),)
        )

    if state != "ready":
        told = {"roll": "none", "points": table(state=state, rating=rating)["points"]}
        return no_roll(told, (Line("no die", result=state),), settle)

    def outputs(roll: int) -> Outputs:
        return {"roll": roll, "points": table(rating=rating, roll=roll)["points"]}

    def line(roll: Roll, told: Outputs) -> Line:
        least = ", at least 1" if told["points"] > roll[0] + rating else ""
        return Line("roll", roll, (("leader rating", rating),) if rating else (), told["points"], least[2:])

    return one_roll(dice(1, 4, "leader points"), outputs, line, settle, opening={})
