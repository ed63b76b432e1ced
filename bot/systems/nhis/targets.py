"""The units of a target hex: their class, state and movement, and what the tables say of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.tables.table import Answer, Tables

SHAKEN = ("shaken", "reduced-shaken")
REDUCED = ("reduced", "reduced-shaken")
MOVES = ("moving", "crawling", "banzai")


class Target(NamedTuple):
    """One unit under fire. `morale` is None where it was not given and no check can ask for it."""

    unit: Unit
    kind: str  # shakeable or unshakable
    state: str
    morale: int | None
    leader: bool
    rating: int
    moves: bool
    steps: int  # damage points that eliminate it

    @property
    def lends(self) -> int:
        """What it lends to others as long as it is prepared; 0 for everybody but leaders."""
        return self.rating if self.leader else 0


class Cards:
    """What the tables say of the targets of one attack; each is read once, when it is first needed."""

    def __init__(self, tables: Tables, *, flamethrower: bool) -> None:
        self._tables, self._flamethrower = tables, flamethrower
        self._known: dict[tuple[Any, ...], Answer] = {}

    def _read(self, table: str, **given: Any) -> Answer:
        key = (table, *given.values())
        if key not in self._known:
            self._known[key] = self._tables[table](**given)
        return self._known[key]

    def failure(self, target: Target) -> tuple[str, str]:
        """Result and state after a failed morale check."""
        read = self._read("morale-fail", unit_class=target.kind, state=target.state)
        return read["result"], read["after"]

    def damaged(self, target: Target, *, hit: bool) -> tuple[str, str, bool]:
        """Result, state and check after a Damaged result, with one point on it or none."""
        read = self._read("damaged-effect", unit_class=target.kind, state=target.state, hit=hit)
        return read["result"], read["after"], read["check"]

    def led(self, target: Target) -> bool:
        """Whether it adds the rating of a prepared leader in its hex."""
        kind = target.unit.type
        row = "leader" if kind == "leader" else "squad" if kind in ("squad", "tank") else "weapon-team"
        return bool(self._read("leadership", unit=row)["adds"])

    def halts(self, target: Target) -> bool:
        """Whether it stops when it fails a check."""
        banzai = target.unit.has("banzai")
        read = self._read("stop-moving", unit_class=target.kind, banzai=banzai, flamethrower=self._flamethrower)
        return bool(read["stops"])


def targets_of(units: Sequence[Unit], *, checks: Collection[str]) -> list[Target]:
    """The units as targets; `checks` are the kinds (shakeable, unshakable) whose morale may be asked for.

    Raises UserError for an unshakable unit that is shaken, and for a morale that is needed and missing.
    """
    return [_target(unit, checks) for unit in units]


def is_prepared(state: str) -> bool:
    """Whether a leader in this state lends the rating."""
    return state != "eliminated" and state not in SHAKEN


def _target(unit: Unit, checks: Collection[str]) -> Target:
    kind = "unshakable" if unit.has("unshakable") else "shakeable"
    if kind == "unshakable" and unit.has("shaken"):
        hint = "Leave out one of the two words."
        raise UserError(f"{unit.word} is unshakable and cannot be shaken.", hint=hint, code="not-together")
    state = _state(unit)
    return Target(
        unit=unit,
        kind=kind,
        state=state,
        morale=unit.number("morale") if kind in checks else unit.get("morale"),
        leader=unit.type == "leader",
        rating=unit.number("lr", 0),
        moves=not unit.flags.isdisjoint(MOVES),
        steps=1 if state in REDUCED else 2,
    )


def _state(unit: Unit) -> str:
    if unit.has("reduced"):
        return "reduced-shaken" if unit.has("shaken") else "reduced"
    return "shaken" if unit.has("shaken") else "good-order"
