"""Initiative of the turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.given import Given
from bot.rules.sequence import Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables


@dataclass(frozen=True, slots=True)
class Contest:
    """One roll decides."""

    owes: str | None = "initiative"


def plan(tables: Tables, given: Given) -> Plan[Contest]:
    """The higher roll wins, a tie leaves it with `last`. Source: PAC 11 (3.0)."""
    del tables
    last = given.word("last")

    def winner(roll: Roll) -> str:
        return last if roll[0] == roll[1] else "a" if roll[0] > roll[1] else "b"

    def apply(_state: Contest, _roll: Roll) -> Contest:
        return Contest(None)

    def outputs(_before: Contest, roll: Roll, _after: Contest) -> Outputs:
        won = winner(roll)
        return {"roll_a": roll[0], "roll_b": roll[1], "tied": roll[0] == roll[1], "winner": won, "outcome": won}

    def lines(_before: Contest, roll: Roll, _after: Contest) -> Iterable[Line]:
        yield Line("side a", roll[:1], total=roll[0])
        yield Line("side b", roll[1:], total=roll[1], result="a tie" if roll[0] == roll[1] else "")

    def settle(out: Mapping[str, Any]) -> Settlement:
        return Settlement(f"side {out['winner']} has the initiative")

    return Plan(Contest(), {"initiative": Step((d6("side a"), d6("side b")), apply, outputs, lines)}, settle)
