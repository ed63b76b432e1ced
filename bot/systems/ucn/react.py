"""Reacting to interrupting fire: each character rolls against Morale without modifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, minus
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster
from bot.systems.ucn.asked import Asked
from bot.systems.ucn.pool import all_alike, pool
from bot.systems.ucn.shooters import MORALE_LOSS
from bot.systems.ucn.skills import check, d20, lost_ap, sum_line
from bot.systems.ucn.words import whom


@dataclass(frozen=True, slots=True)
class Reacting:
    """The one roll of all characters."""

    owes: str | None


def plan(tables: Tables, given: Given) -> Plan[Reacting]:
    """Morale rolls of `count` characters under interrupting fire. Source: Interrupt, Reacting.

    Raises UserError for a roster unit that has nobody left.
    """
    unit, count = given.unit("unit"), given.int("count")
    parts: list[tuple[str, int | float]] = [("Morale", given.int("morale"))]
    if unit is not None and "morale" not in given.typed and unit.get("casualties"):
        parts.append(("casualties", -MORALE_LOSS * int(unit.get("casualties"))))
    if count < 1:
        raise UserError("Nobody is left to react.", option="unit", code="nobody")
    morale = check(tables, parts)
    words = {True: "act", False: "suppressed"}

    def outputs(_before: Reacting, roll: Roll, _after: Reacting) -> Outputs:
        told: dict[str, Any] = {f"results[{at}]": words[morale.passes[face]] for at, face in enumerate(roll)}
        passed = sum(morale.passes[face] for face in roll)
        return {**told, "passed": passed, "suppressed": count - passed}

    def lines(_before: Reacting, roll: Roll, _after: Reacting) -> Iterable[Line]:
        passed = sum(morale.passes[face] for face in roll)
        if len(parts) > 1:
            yield sum_line(morale)
        yield Line(
            "to react", roll, result=f"{passed} of {count} at Morale {minus(morale.final)} or less{lost_ap(roll)}"
        )

    def settle(out: Mapping[str, Any]) -> Settlement:
        each = tuple((f"character {number}", word) for number, word in enumerate(out["results"], 1))
        now = ["whoever acts counts as moving"] if out["passed"] else []
        if failed := out["suppressed"]:
            now.append(f"{failed} Suppression marker{'' if failed == 1 else 's'}, these do not move")
        many = f"{failed} of {count} characters" if count > 1 and failed else ""
        fates = (Fate(whom(unit, "the element"), "suppressed" if failed else "act", many),)
        markers = {} if unit is None or not out["suppressed"] else roster.suppression(unit, out["suppressed"])
        headline = words[out["passed"] == 1] if count == 1 else f"{out['passed']} act, {out['suppressed']} suppressed"
        return Settlement(headline, each, (), roster.change(unit, markers), fates, tuple(now))

    def focused(asked: Asked) -> Plan[Reacting]:
        groups = pool(count, morale.classes(), asked.items("results"), morale.classes())
        step = Step(d20("reaction") * count, lambda _state, _roll: Reacting(None), outputs, lines, lambda _: groups)
        return Plan(Reacting("reaction"), {"reaction": step}, settle, {"results": []}, rows=(all_alike(count),))

    return replace(focused(Asked(())), focus=lambda paths: focused(Asked(paths)))
