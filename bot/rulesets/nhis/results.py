"""Hits and damage on the units of a hex: points drawn at random, morale checks, who is shaken and
who stops.

Shared by fire, morale and damage. Source: Hit, Damaged and Damaged-2/3 paragraphs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bot.rules.dice import Die, d6
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Line,
    OddsRow,
    Outputs,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    UnitResult,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import number_repeated

CHECK = "check"
POINT = "point"
KINDS = ("shakeable", "unshakable")
MOST_NAMED = 4  # units that the first line of an answer names one by one


class HexUnderFire(NamedTuple):
    """A hex under fire, part-way through its results.

    `points` are still to be dealt, `hits` the points of each unit so far; the next falls on one of
    `candidates`. `queue` are the units that have yet to check, `add` the number added to their
    dice, `rating` the best prepared leader known so far; `alone` says that nobody adds it.
    """

    owes: str | None
    points: int = 0
    hits: tuple[int, ...] = ()
    candidates: tuple[int, ...] = ()
    queue: tuple[int, ...] = ()
    add: int = 0
    rating: int = 0
    alone: bool = False


class Results:
    """What a Hit or Damaged result does to the units of a hex, step by step."""

    def __init__(
        self,
        tables: Tables,
        units: Sequence[Unit],
        *,
        flamethrower: bool,
        checks: Collection[str] = KINDS,
    ) -> None:
        """`checks` are the kinds of units whose morale may be asked for.

        Raises UserError for an unshakable unit that is shaken, and for a morale that is needed and
        missing.
        """
        self._tables = tables
        self._flamethrower = flamethrower
        self.targets = [_read_target(unit, checks) for unit in units]
        self.names = number_repeated([unit.word for unit in units])

    def steps(self) -> dict[str, RuledStep[HexUnderFire]]:
        """The steps point and check, for the plan of a sequence."""
        return {
            POINT: ruled(lambda state: (Die("damage point", len(state.candidates)),), self._point),
            CHECK: ruled(
                lambda state: (d6(f"morale check {self.names[state.queue[0]]}"),), self._check
            ),
        }

    def _leaders_first(self) -> list[int]:
        """The places of the targets in the order in which they check."""
        places = range(len(self.targets))
        return [at for leads in (True, False) for at in places if self.targets[at].leader == leads]

    def rule_unharmed(self) -> Ruling[HexUnderFire]:
        """The attack does nothing to anybody."""
        told: dict[str, Any] = {}
        for at, target in enumerate(self.targets):
            told |= self._build_outputs(at, "none", target.state)
        return Ruling(HexUnderFire(None), told)

    def start_checks(self, number: int, *, alone: bool = False) -> HexUnderFire:
        """Every unit checks, leaders first, with `number` added to the die; `alone` without a
        leader's rating.
        """
        return HexUnderFire(CHECK, queue=tuple(self._leaders_first()), add=number, alone=alone)

    def deal_damage(self, points: int) -> Ruling[HexUnderFire]:
        """Deal `points`, as far as no die is needed."""
        return self._go_on(HexUnderFire(POINT, points, (0,) * len(self.targets)))

    # -- damage points ------------------------------------------------------------------------------------

    def _list_candidates(self, hits: Sequence[int]) -> tuple[int, ...]:
        """Units that a point can fall on: not eliminated, with the fewest points so far."""
        alive = [at for at, target in enumerate(self.targets) if hits[at] < target.steps]
        fewest = min([hits[at] for at in alive], default=0)
        return tuple([at for at in alive if hits[at] == fewest])

    def _go_on(self, state: HexUnderFire) -> Ruling[HexUnderFire]:
        """Deal the points that need no die; when none is left, shake and queue whoever must
        check.
        """
        lines: list[Line] = []
        while state.points:
            candidates = self._list_candidates(state.hits)
            if len(candidates) > 1:
                return Ruling(
                    HexUnderFire(POINT, state.points, state.hits, candidates), story=lambda: lines
                )
            if not candidates:
                lines.append(Line("damage points lost", total=state.points))
                break
            lines.append(self._point_line((), candidates[0], state.hits))
            state = _deal_point(state, candidates[0])
        after, told = self._after_points(state.hits)
        return Ruling(after, told, lambda: lines)

    def _after_points(self, hits: Sequence[int]) -> tuple[HexUnderFire, Outputs]:
        told: dict[str, Any] = {}
        queue = []
        rating = 0
        for at in self._leaders_first():
            target = self.targets[at]
            result = "eliminated"
            after = "eliminated"
            if hits[at] < target.steps:
                hit = hits[at] > 0
                read = self._tables["damaged-effect"](
                    unit_class=target.kind, state=target.state, hit=hit
                )
                if read["check"]:
                    queue.append(at)
                    continue
                result = read["result"]
                after = read["after"]
            newly_shaken = after in SHAKEN and target.state not in SHAKEN
            told |= self._build_outputs(at, result, after, damage=hits[at], halted=newly_shaken)
            if is_prepared(after):
                rating = max(rating, target.leadership)
        return (
            HexUnderFire(CHECK, queue=tuple(queue), rating=rating) if queue else HexUnderFire(None)
        ), told

    def _point(self, state: HexUnderFire, roll: Roll) -> Ruling[HexUnderFire]:
        """One point, on the unit that the die picks among the candidates."""
        at = state.candidates[roll[0] - 1]
        then = self._go_on(_deal_point(state, at))
        return Ruling(
            then.after, then.told, lambda: (self._point_line(roll, at, state.hits), *then.story())
        )

    def _point_line(self, roll: Roll, at: int, hits: Sequence[int]) -> Line:
        second = ", the second" if hits[at] else ""
        return Line("damage point", roll, result=f"{self.names[at]}{second}")

    # -- morale checks ------------------------------------------------------------------------------------

    def _check(self, state: HexUnderFire, roll: Roll) -> Ruling[HexUnderFire]:
        """The die and what is added, at or under morale; a leader who is then prepared helps
        those after it.
        """
        at, *queue = state.queue
        target = self.targets[at]
        total = roll[0] + state.add
        led = state.rating if not state.alone and self._is_led(target) else 0
        needed = (target.morale or 0) + led
        fails = total > needed
        result = "none"
        left = target.state
        if fails:
            read = self._tables["morale-fail"](unit_class=target.kind, state=target.state)
            result = read["result"]
            left = read["after"]
        told = self._build_outputs(at, result, left, check=total, needed=needed, halted=fails)
        rating = max(state.rating, target.leadership) if is_prepared(left) else state.rating
        after = HexUnderFire(None)
        if queue:
            after = HexUnderFire(
                CHECK, queue=tuple(queue), add=state.add, rating=rating, alone=state.alone
            )

        def story() -> Iterable[Line]:
            against = f"{target.morale} + {led} leader" if led else f"{target.morale}"
            parts = (("hit", state.add),) if state.add else ()
            yield Line(
                self.names[at],
                roll,
                parts,
                total,
                f"{'over' if fails else 'within'} morale {against}",
            )

        return Ruling(after, told, story)

    # -- what the tables say of a target ------------------------------------------------------------------

    def _is_led(self, target: Target) -> bool:
        """Return whether it adds the rating of a prepared leader in its hex."""
        kind = target.unit.type
        row = (
            "leader"
            if kind == "leader"
            else "squad"
            if kind in ("squad", "tank")
            else "weapon-team"
        )
        return bool(self._tables["leadership"](unit=row)["adds"])

    def _halts(self, target: Target) -> bool:
        """Return whether it stops when it fails a check."""
        banzai = "banzai" in target.unit.flags
        read = self._tables["stop-moving"](
            unit_class=target.kind, banzai=banzai, flamethrower=self._flamethrower
        )
        return bool(read["stops"])

    # -- the outputs --------------------------------------------------------------------------------------

    def _build_outputs(
        self,
        at: int,
        result: str,
        after: str,
        *,
        damage: int = 0,
        check: int | None = None,
        needed: int | None = None,
        halted: bool = False,
    ) -> Outputs:
        target = self.targets[at]
        path = f"targets[{at}]"
        return {
            f"{path}.unit": target.unit.word,
            f"{path}.damage": damage,
            f"{path}.check": check,
            f"{path}.needed": needed,
            f"{path}.result": result,
            f"{path}.after": after,
            f"{path}.stops": halted
            and target.moves
            and after != "eliminated"
            and self._halts(target),
        }

    def build_rows(self) -> tuple[OddsRow, ...]:
        """The odds of each unit, under its name and by the word of the answer: what it is
        afterwards.
        """
        return tuple(_build_row(f"targets[{at}]", name) for at, name in enumerate(self.names))

    def resolve(self, out: Mapping[str, Any], headline: str = "") -> Resolution:
        """The end of a sequence: a word per unit, and what becomes of roster units."""
        items = out["targets"]
        named = [*zip(self.names, items, strict=True)]
        hurt = [f"{name} {_get_word(item)}" for name, item in named if item["result"] != "none"]
        summary = "; ".join(hurt) if hurt else "no effect"
        if len(items) == 1:
            summary = _get_word(items[0])
        elif len(hurt) > MOST_NAMED:
            summary = f"{len(hurt)} of {len(items)} affected"
        return Resolution(
            f"{headline}: {summary}" if headline else summary,
            # Units that nothing happens to need no number: they are counted together.
            tuple(
                [
                    (item["unit"] if item["result"] == "none" else name, _get_word(item))
                    for name, item in named
                ]
            ),
            changes=tuple(filter(None, map(_build_change, self.targets, items))),
            fates=tuple([UnitResult(name, _get_state_after(item)) for name, item in named]),
            now=tuple([f"{name} stops" for name, item in named if item["stops"]]),
        )


def _get_state_after(item: Mapping[str, Any]) -> str:
    """What it is afterwards, `none` for one to which nothing happened."""
    return "none" if item["result"] == "none" else str(item["after"])


def _build_row(path: str, name: str) -> OddsRow:
    result = f"{path}.result"
    after = f"{path}.after"

    def read(told: Outputs) -> Any:
        return (
            _get_state_after({"result": told[result], "after": told[after]})
            if result in told
            else None
        )

    return OddsRow(name, (result, after), read)


def _deal_point(state: HexUnderFire, at: int) -> HexUnderFire:
    """One point less to deal, one more on the unit at this place."""
    hits = state.hits
    return HexUnderFire(POINT, state.points - 1, (*hits[:at], hits[at] + 1, *hits[at + 1 :]))


def _get_word(item: Mapping[str, Any]) -> str:
    word = "no effect" if item["result"] == "none" else _get_state_after(item)
    return f"{word}, stops" if item["stops"] else word


def _build_change(target: Target, item: Mapping[str, Any]) -> Change | None:
    if not target.unit.name or (item["result"] == "none" and not item["stops"]):
        return None
    stopped = frozenset(MOVES) if item["stops"] else frozenset()
    turn = (
        target.unit.reduced is not None and item["after"] in REDUCED and target.state not in REDUCED
    )
    return Change(target.unit.name, {"state": item["after"]}, unmark=stopped, turn=turn)


# -- the sequence damage: a Damaged result


def plan_damage(tables: Tables, given: Given) -> Plan[HexUnderFire]:
    """`points` damage points on `targets`. Source: Damaged and Damaged-2/3 paragraphs."""
    units = given.units("targets")
    flamethrower = given.flag("flamethrower")
    results = Results(tables, units, flamethrower=flamethrower, checks=("unshakable",))
    start = results.deal_damage(given.int("points"))
    opening = {"targets": [], **start.told}
    lines = tuple(start.story())
    return Plan(
        start.after, results.steps(), results.resolve, opening, lines=lines, rows=results.build_rows
    )


# -- the sequence morale: checks as after a Hit, leaders first, the others helped by a prepared
# leader


def plan_morale(tables: Tables, given: Given) -> Plan[HexUnderFire]:
    """Morale checks of `targets` with `hit_number` added to each die. Source: Hit paragraph."""
    results = Results(tables, given.units("targets"), flamethrower=given.flag("flamethrower"))
    start = results.start_checks(given.int("hit_number"), alone=given.flag("no_leadership"))
    opening: dict[str, Any] = {"targets": []}
    return Plan(start, results.steps(), results.resolve, opening, rows=results.build_rows)


# -- the units of a target hex: their class, state and movement, and what the tables say of each

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
    def leadership(self) -> int:
        """What it lends to others as long as it is prepared; 0 for everybody but leaders."""
        return self.rating if self.leader else 0


def is_prepared(state: str) -> bool:
    """Return whether a leader in this state lends the rating."""
    return state != "eliminated" and state not in SHAKEN


def _read_target(unit: Unit, checks: Collection[str]) -> Target:
    kind = "unshakable" if "unshakable" in unit.flags else "shakeable"
    if kind == "unshakable" and "shaken" in unit.flags:
        hint = "Leave out one of the two words."
        raise UserError(
            f"{unit.word} is unshakable and cannot be shaken.", hint=hint, code="not-together"
        )
    state = _get_state(unit)
    return Target(
        unit=unit,
        kind=kind,
        state=state,
        morale=unit.number("morale") if kind in checks else unit.numbers.get("morale"),
        leader=unit.type == "leader",
        rating=unit.number("lr", 0),
        moves=not unit.flags.isdisjoint(MOVES),
        steps=1 if state in REDUCED else 2,
    )


def _get_state(unit: Unit) -> str:
    if "reduced" in unit.flags:
        return "reduced-shaken" if "shaken" in unit.flags else "reduced"
    return "shaken" if "shaken" in unit.flags else "good-order"
