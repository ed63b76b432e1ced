"""Morale checks: each unit in turn, 2d6 plus the modifier at or under its morale passes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.odds import group_sums
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, row_of
from bot.rules.tables.table import Tables
from bot.systems.lnlt.reasons import beside_morale

CHECK = dice(2, 6, "morale check")


@dataclass(frozen=True, slots=True)
class Checks:
    """Which unit checks next; nothing else carries over from one to the next."""

    at: int = 0
    owes: str | None = "check"


def plan(tables: Tables, given: Given) -> Plan[Checks]:
    """Morale checks of `units`. Source: PAC 01, 06, 09."""
    del tables
    units, mod = given.units("units"), given.int("mod")
    morale = [unit.number("morale") for unit in units]

    def passes(at: int, roll: Roll) -> bool:
        return sum(roll) + mod <= morale[at]

    def apply(state: Checks, roll: Roll) -> Checks:
        del roll
        after = state.at + 1
        return replace(state, at=after, owes="check" if after < len(units) else None)

    def outputs(before: Checks, roll: Roll, after: Checks) -> Outputs:
        del after
        at, result = before.at, "pass" if passes(before.at, roll) else "fail"
        told: dict[str, Any] = {
            f"units[{at}].unit": units[at].word,
            f"units[{at}].roll": sum(roll),
            f"units[{at}].total": sum(roll) + mod,
            f"units[{at}].result": result,
        }
        if at == 0:
            told["outcome"] = result
        return told

    def lines(before: Checks, roll: Roll, after: Checks) -> Iterable[Line]:
        del after
        at = before.at
        total, parts = sum(roll) + mod, (("modifier", mod),) if mod else ()
        yield Line(units[at].word, roll, parts, total, beside_morale(total, morale[at]))

    def settle(out: Any) -> Settlement:
        checked = tuple((item["unit"], item["result"]) for item in out["units"])
        passed = sum(result == "pass" for _, result in checked)
        words = f"{passed} of {len(checked)} pass" if len(checked) > 1 else checked[0][1]
        return Settlement(words, checked, fates=tuple(Fate(*one) for one in checked))

    rows = tuple(row_of(f"units[{at}].result", unit.word) for at, unit in enumerate(units))
    step = Step(CHECK, apply, outputs, lines, groups=lambda _: group_sums(2, 6))
    return Plan(Checks(), {"check": step}, settle, opening={"units": []}, rows=rows)
