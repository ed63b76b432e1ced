"""A grenade into a room: casualties among the occupants, the others stunned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster
from bot.systems.ucn.asked import Asked
from bot.systems.ucn.grenade import DIE, grenade
from bot.systems.ucn.shooters import MORALE_LOSS
from bot.systems.ucn.words import whom


@dataclass(frozen=True, slots=True)
class Thrown:
    """The one roll for all occupants."""

    owes: str | None


def status_after(casualties: int, survivors: int) -> str:
    """What the survivors of a grenade are. Source: Building Assault, Grenade Assault Phase Damage."""
    if not survivors:
        return "cleared"
    return "pinned" if casualties else "stunned"


def plan(tables: Tables, given: Given) -> Plan[Thrown]:
    """A grenade among `occupants`. Source: Building Assault, Initial Attack.

    Raises UserError for a room with nobody in it.
    """
    occupants, target, thrown = given.int("occupants"), given.unit("target"), grenade(tables)
    if occupants < 1:
        raise UserError("Nobody is in the room.", option="target", code="nobody")

    def outputs(_before: Thrown, roll: Roll, _after: Thrown) -> Outputs:
        out = thrown.casualties(roll)
        return thrown.told("results", roll) | {
            "casualties": out,
            "survivors": occupants - out,
            "morale_loss": MORALE_LOSS * out,
            "status": status_after(out, occupants - out),
        }

    def lines(_before: Thrown, roll: Roll, _after: Thrown) -> Iterable[Line]:
        yield thrown.line(roll)

    def settle(out: Mapping[str, Any]) -> Settlement:
        casualties, left, status = out["casualties"], out["survivors"], str(out["status"])
        units = ((target.word, status),) if target is not None else ()
        now = (f"{left} left in the room, −6 to all skills",) if left else ("the room is empty",)
        more = f"{casualties} of {occupants} lost" if left and casualties else ""
        fates = (Fate(whom(target, "the element"), status, more),)
        changes = () if target is None else roster.change(target, roster.after_grenade(target, casualties, status))
        return Settlement(f"{status}, {casualties} of {occupants} lost", units, (), changes, fates, now)

    def focused(asked: Asked) -> Plan[Thrown]:
        groups = thrown.groups(occupants, asked.items("results"))
        step = Step(DIE * occupants, lambda _state, _roll: Thrown(None), outputs, lines, lambda _: groups)
        return Plan(Thrown("grenade"), {"grenade": step}, settle, {"results": []})

    return replace(focused(Asked(())), focus=lambda paths: focused(Asked(paths)))
