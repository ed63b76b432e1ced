"""Heroic actions, by themselves and out of a random order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import Die, d20, dice
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_sums
from bot.rules.sequence import Change, Line, Outputs, Roll, Step
from bot.rules.tables.table import Tables

HEROIC = dice(2, 6, "heroic action")
ORDERS = (Die("orders", 4),)
RANDOM_ORDER = (d20("random order"),)
NOT_ROUSED = frozenset({"suppressed"})
DEEDS = {
    "become-leader": "becomes a leader",
    "grenade-hit": "hits with a grenade",
    "double-attack": "doubles the attack",
    "double-move": "moves twice as far",
    "move-times-1-5": "moves half as far again",
    "one-action": "takes one normal action",
    "hasty-fire-and-move": "fires hastily and moves",
    "move-and-fire": "moves and fires",
    "two-actions": "takes two actions",
    "act-each-phase": "acts in each phase",
    "berserk": "goes berserk",
}
EFFECTS = {
    "grenade-hit": "One hand grenade hits without a roll this turn (he-attack with auto_hit).",
    "double-attack": "This turn the attack factor doubles, or 2 is added hand-to-hand (flag heroic).",
    "act-each-phase": "Each phase of this turn: hasty fire, movement, normal fire.",
}
"""What players have to do or to type, where the name of the deed does not say it."""
UP = ("up again at once if suppressed",)


@dataclass(frozen=True, slots=True)
class Deed:
    """Which die is owed: the random order, the heroic action, or the orders of a new leader."""

    owes: str | None


def heroic_steps(tables: Tables, outputs: Callable[[int, str, str], Outputs]) -> dict[str, Step[Deed]]:
    """The steps `heroic` (2d6) and `orders` (1d4). `outputs` names what the 2d6 decide: sum, result, how long it lasts.

    Source: Infantry Charts, Heroic Actions.
    """
    table = tables["heroic-action"]
    answers = {total: table(roll=total) for total in range(2, 13)}

    def apply(_state: Deed, roll: Roll) -> Deed:
        return Deed("orders" if answers[sum(roll)]["orders_die"] else None)

    def told(_before: Deed, roll: Roll, after: Deed) -> Outputs:
        answer = answers[sum(roll)]
        new = outputs(sum(roll), answer["result"], answer["lasts"])
        return new if after.owes else {**new, "orders": 0}

    def lines(_before: Deed, roll: Roll, _after: Deed) -> tuple[Line]:
        return (Line("heroic action", roll, total=sum(roll)),)

    return {
        "heroic": Step(HEROIC, apply, told, lines, groups=lambda _: group_sums(2, 6)),
        "orders": Step(
            ORDERS,
            lambda _state, _roll: Deed(None),
            lambda _before, roll, _after: {"orders": roll[0]},
            lambda _before, roll, _after: (Line("orders of a new leader", roll),),
        ),
    }


def deed_said(result: str) -> tuple[str, ...]:
    """What a heroic action means for the hero, in words."""
    return (EFFECTS[result],) if result in EFFECTS else ()


def orders_said(count: int) -> str:
    """How many orders a new leader issues; empty for none."""
    return f"issues {count} order{'' if count == 1 else 's'}" if count else ""


def roused(unit: Unit | None, deed: str) -> tuple[Change, ...]:
    """What a deed makes of a roster soldier: unsuppressed; heroic for the turn, or berserk."""
    if unit is None:
        return ()
    mark = {"double-attack": frozenset({"heroic"}), "berserk": frozenset({"berserk"})}.get(deed, frozenset())
    new: Mapping[str, Any] = {"state": "ready"} if unit.state == "suppressed" else {}
    unmark = NOT_ROUSED if unit.has("suppressed") else frozenset()
    return (Change(unit.name, set=new, mark=mark, unmark=unmark),) if new or mark or unmark else ()
