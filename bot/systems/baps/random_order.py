"""The random order of a soldier or vehicle crewman who got none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_faces
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.baps.heroics import DEEDS, RANDOM_ORDER, UP, Deed, deed_said, heroic_steps, orders_said, roused
from bot.systems.baps.men import about, whom

ORDERS = {
    "none": "no action this turn",
    "remain-suppressed": "stays suppressed",
    "heroic-action": "heroic action",
    "sprint-away-enemy": "sprints away from the enemy",
    "rush-toward-enemy": "rushes toward the enemy",
    "same-as-nearest-friend": "does the same as the nearest friend with orders",
    "rush-toward-leader": "rushes toward the leader",
    "same-as-last-turn": "does the same as last turn",
    "same-as-leader": "does the same as the leader",
    "fire-nearest-enemy": "fires at the nearest enemy",
    "fire-random-enemy": "fires at a random enemy",
    "surrender": "tries to surrender",
    "rush-nearest-cover": "rushes to the nearest cover",
    "sprint-nearest-cover": "sprints toward the nearest cover",
    "move-toward-friend": "moves toward the nearest friend",
    "move-away-enemy": "moves away from the enemy",
    "move-random": "moves in a random direction",
    "rush-random": "rushes in a random direction",
    "sprint-random": "sprints in a random direction",
    "move-quickly-toward-enemy": "moves quickly toward the enemy",
    "move-quickly-away-enemy": "moves quickly away from the enemy",
    "berserk": "goes berserk",
}
NO_DEED = {"heroic_roll": "none", "heroic": "none", "orders": 0}


def plan(tables: Tables, given: Given) -> Plan[Deed]:
    """1d20, and what a heroic action asks for. Source: Infantry Charts, random orders; Vehicle Charts, crewmen.

    Raises UserError for a leader of the roster: leaders never roll.
    """
    who, grade, unit = given.word("who"), given.word("grade"), given.unit("unit")
    if unit is not None and unit.type == "leader":
        raise UserError(f"{unit.word} is a leader; leaders never get random orders.", option="unit", code="wrong-type")

    def settle(out: Mapping[str, Any]) -> Settlement:
        deed = out["heroic"] if out["heroic"] != "none" else "berserk" if out["order"] == "berserk" else ""
        changes = roused(unit, deed) if deed else ()
        headline = ORDERS[out["order"]]
        headline += f": {DEEDS[out['heroic']]}" if out["heroic"] != "none" else ""
        headline += f", {out['orders']} orders" if out["orders"] else ""
        then, now = _advice(out), UP if out["heroic"] != "none" else ()
        return Settlement(about(unit, headline), (), then, changes, (_fate(unit, who, out),), now)

    if who == "soldier" and given.flag("suppressed"):
        told = {"roll": "none", "order": "remain-suppressed", "mark": "none", "may_change": False, **NO_DEED}
        said = (Line("no die", result="suppressed"),)
        return Plan(Deed(None), {}, settle, opening=told, lines=said)

    rows = {roll: _row(tables, who, given.word("morale"), roll) for roll in range(1, 21)}

    def apply(_state: Deed, roll: Roll) -> Deed:
        return Deed("heroic" if rows[roll[0]][0] == "heroic-action" else None)

    def outputs(_before: Deed, roll: Roll, after: Deed) -> Outputs:
        order, mark = rows[roll[0]]
        may_change = mark == "dagger" and grade != "green"
        told = {"roll": roll[0], "order": order, "mark": mark, "may_change": may_change}
        return told if after.owes else told | NO_DEED

    def lines(_before: Deed, roll: Roll, _after: Deed) -> tuple[Line]:
        return (Line("random order", roll, result=_column(who, given.word("morale"))),)

    step = Step(
        RANDOM_ORDER,
        apply,
        outputs,
        lines,
        groups=lambda _: group_faces(20, lambda roll: rows[roll]),
        exact_only=frozenset({"roll"}),
    )

    def deed(total: int, result: str, _lasts: str) -> Outputs:
        return {"heroic_roll": total, "heroic": result}

    return Plan(Deed("order"), {"order": step, **heroic_steps(tables, deed)}, settle)


def _row(tables: Tables, who: str, morale: str, roll: int) -> tuple[str, str]:
    """Order and mark of a roll in the chart of soldiers or of vehicle crewmen."""
    if who == "soldier":
        row = tables["random-orders"](morale=morale, roll=roll)
        return row["order"], row["mark"]
    row = tables["random-orders-crew"](driver=who == "driver", roll=roll)
    return row["order"], "dagger" if row["dagger"] else "none"


def _column(who: str, morale: str) -> str:
    """Where the die is read."""
    return f"{morale} morale" if who == "soldier" else who.replace("-", " ")


def _fate(unit: Unit | None, who: str, out: Mapping[str, Any]) -> Fate:
    deed = out["heroic"]
    more = ", ".join(filter(None, (DEEDS.get(deed), orders_said(out["orders"]))))
    return Fate(whom(unit, f"the {who.replace('-', ' ')}"), out["order"], more)


def _advice(out: Mapping[str, Any]) -> tuple[str, ...]:
    if out["may_change"]:
        return ("A chore instead is allowed: reload, clear a jam.",)
    if out["mark"] == "double-dagger":
        return ("The game master decides whether anybody takes the surrender.",)
    if out["heroic"] != "none":
        return deed_said(out["heroic"])
    return ()
