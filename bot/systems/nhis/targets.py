"""The units of a target hex: their class, state and movement, and what the tables say of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.tables.table import Tables

SHAKEN = ("shaken", "reduced-shaken")
REDUCED = ("reduced", "reduced-shaken")
MOVES = ("moving", "crawling", "banzai")


@dataclass(frozen=True, slots=True)
class Target:
    """One unit under fire. `morale` is None where it was not given and no check can ask for it."""

    unit: Unit
    kind: str  # shakeable or unshakable
    state: str
    morale: int | None
    leader: bool
    led: bool  # adds the rating of a prepared leader in its hex
    rating: int
    moves: bool
    halts: bool  # stops when it fails a check
    steps: int  # damage points that eliminate it
    failure: tuple[str, str]  # result and state after a failed morale check
    blow: tuple[str, str, bool]  # result, state and check after a Damaged result with one point on it
    spared: tuple[str, str, bool]  # the same with no point on it

    @property
    def lends(self) -> int:
        """What it lends to others as long as it is prepared; 0 for everybody but leaders."""
        return self.rating if self.leader else 0


def targets_of(tables: Tables, units: Sequence[Unit], *, flamethrower: bool, checks: Collection[str]) -> list[Target]:
    """The units as targets; `checks` are the kinds (shakeable, unshakable) whose morale may be asked for.

    Raises UserError for an unshakable unit that is shaken, and for a morale that is needed and missing.
    """
    return [_target(tables, unit, flamethrower, checks) for unit in units]


def is_prepared(state: str) -> bool:
    """Whether a leader in this state lends the rating."""
    return state != "eliminated" and state not in SHAKEN


def _target(tables: Tables, unit: Unit, flamethrower: bool, checks: Collection[str]) -> Target:
    kind = "unshakable" if unit.has("unshakable") else "shakeable"
    if kind == "unshakable" and unit.has("shaken"):
        raise UserError(
            f"{unit.word} is unshakable and cannot be shaken.",
            hint="Leave out one of the two words.",
            code="not-together",
        )
    state = _state(unit)
    failure = tables["morale-fail"](unit_class=kind, state=state)
    blow, spared = (tables["damaged-effect"](unit_class=kind, state=state, hit=hit) for hit in (True, False))
    squad_or_team = "squad" if unit.type in ("squad", "tank") else "weapon-team"
    return Target(
        unit=unit,
        kind=kind,
        state=state,
        morale=unit.number("morale") if kind in checks else unit.get("morale"),
        leader=unit.type == "leader",
        led=tables["leadership"](unit="leader" if unit.type == "leader" else squad_or_team)["adds"],
        rating=unit.number("lr", 0),
        moves=any(unit.has(move) for move in MOVES),
        halts=tables["stop-moving"](unit_class=kind, banzai=unit.has("banzai"), flamethrower=flamethrower)["stops"],
        steps=1 if state in REDUCED else 2,
        failure=(failure["result"], failure["after"]),
        blow=(blow["result"], blow["after"], blow["check"]),
        spared=(spared["result"], spared["after"], spared["check"]),
    )


def _state(unit: Unit) -> str:
    if unit.has("reduced"):
        return "reduced-shaken" if unit.has("shaken") else "reduced"
    return "shaken" if unit.has("shaken") else "good-order"
