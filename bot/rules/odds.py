"""Exact odds of a sequence: the same plan that is played, driven by every roll. No simulation, no rounding.

Equal states merge, so cost grows with the number of different situations, not of dice. Weights are whole
numbers over a common denominator; a Fraction appears at the edge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, lcm
from typing import Any

from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.ruling import Roll, Ruled, S
from bot.rules.ruling import Weighted as Weighted
from bot.rules.sequence import Plan

ABSENT = "none"
STATE_BUDGET = 400_000
ROLLS_AT_ONCE = 200_000

Distribution = dict[Any, Fraction]


@dataclass(slots=True)
class _Tally:
    """Weights added up as numerators over one denominator, scaled only when a new denominator comes."""

    counts: dict[Any, int]
    over: int = 1

    def add(self, key: Any, weight: int, over: int) -> None:
        if over != self.over:
            common = lcm(over, self.over)
            if common != self.over:
                scale = common // self.over
                self.counts = {key: count * scale for key, count in self.counts.items()}
                self.over = common
            weight *= common // over
        self.counts[key] = self.counts.get(key, 0) + weight

    def fractions(self) -> Distribution:
        return {key: Fraction(count, self.over) for key, count in self.counts.items()}


class TooManyStates(UserError):
    """The odds asked for need more work than the budget allows."""

    def __init__(self) -> None:
        super().__init__(
            "These odds are too large to count.",
            hint="Ask for one unit at a time, or for fewer units and dice.",
            code="too-large",
        )


OutOfTime = Callable[[], bool]
"""Asked between states by who has no more time; the rules themselves read no clock."""


@dataclass(slots=True)
class _Meter:
    """How much has been counted so far, and how much may be: states, rolls looked at, and whether it is too late."""

    budget: int
    most_rolls: int | None
    out_of_time: OutOfTime | None
    states: int = 0
    rolls: int = 0

    def take_states(self, count: int) -> None:
        """Count the states of one more round. Raises TooManyStates."""
        self.states += count
        if self.states > self.budget:
            raise TooManyStates

    def take_rolls(self, count: int, kept: int) -> None:
        """Count the rolls of one more state while `kept` states are held. Raises TooManyStates."""
        self.rolls += count
        if (self.most_rolls is not None and self.rolls > self.most_rolls) or kept > self.budget:
            raise TooManyStates
        if self.out_of_time is not None and self.out_of_time():
            raise TooManyStates


def joint(
    plan: Plan[S],
    by: Sequence[str],
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    out_of_time: OutOfTime | None = None,
) -> Distribution:
    """Chances of each combination of the outputs `by`, as {(value, ...): Fraction}; they sum to 1.

    A value is `none` where its item is absent. Work stops on a branch as soon as all of `by` are known.
    Raises TooManyStates beyond `budget` states, `rolls` rolls looked at or when it is `out_of_time`.
    """
    if len(by) == 1:
        alone = marginals(plan, by, budget=budget, rolls=rolls, out_of_time=out_of_time)[by[0]]
        return {(value,): chance for value, chance in alone.items()}
    meter = _Meter(budget, rolls, out_of_time)
    wanted = tuple(by)
    plan = plan.focus(wanted) if plan.focus is not None else plan
    positions = {path: at for at, path in enumerate(wanted)}
    done = _Tally({})
    first = _known((None,) * len(wanted), plan.opening, positions)

    def visit(key: tuple[S, tuple[Any, ...]], told: Mapping[str, Any]) -> tuple[S, tuple[Any, ...]]:
        return key[0], _known(key[1], told, positions)

    def finished(state: S, known: tuple[Any, ...]) -> bool:
        return state.owes is None or None not in known

    _drive(plan, (plan.start, first), visit, finished, done, wanted, meter)
    result = _Tally({}, done.over)
    for (state, known), weight in done.counts.items():
        if None in known and state.owes is None:
            known = _known(known, plan.closing(state), positions)
        key = tuple(ABSENT if value is None else shown(value) for value in known)
        result.counts[key] = result.counts.get(key, 0) + weight
    return result.fractions()


def marginals(
    plan: Plan[S],
    paths: Iterable[str],
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    out_of_time: OutOfTime | None = None,
) -> dict[str, Distribution]:
    """The distribution of each output of `paths` by itself, counted in one pass; each sums to 1.

    Because every path is put out once at most, nothing needs to be carried along in the state. Raises TooManyStates
    beyond `budget` states, `rolls` rolls looked at or when it is `out_of_time`.
    """
    meter = _Meter(budget, rolls, out_of_time)
    wanted = tuple(dict.fromkeys(paths))
    plan = plan.focus(wanted) if plan.focus is not None else plan
    sums = {path: _Tally({}) for path in wanted}
    alone = len(wanted) == 1
    done = _Tally({})
    for path in wanted:
        if plan.opening.get(path) is not None:
            sums[path].add(shown(plan.opening[path]), 1, 1)
    if not alone or not any(sums[path].counts for path in wanted):
        _drive_marginals(plan, wanted, sums, done, meter, alone)
    for state, weight in done.counts.items():
        for path, value in plan.closing(state).items():
            if path in sums and value is not None:
                sums[path].add(shown(value), weight, done.over)
    return {path: _completed(tally) for path, tally in sums.items()}


def shown(value: Any) -> Any:
    """A value as a key of the odds: tokens, numbers, true/false, `none` for nothing; a list by its texts."""
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " ".join(str(shown(item)) for item in value) or ABSENT
    return value


def group_faces(sides: int, key: Callable[[int], Any]) -> Weighted:
    """One die's faces grouped by `key`: ((how many faces, a roll that stands for them), ...)."""
    groups: dict[Any, list[int]] = {}
    for face in range(1, sides + 1):
        groups.setdefault(key(face), []).append(face)
    return tuple((len(faces), (faces[0],)) for faces in groups.values())


@lru_cache(maxsize=256)
def group_alike(count: int, classes: Weighted) -> Weighted:
    """`count` alike dice of which only matters how many fall into each class: ((ways, a roll), ...).

    `classes` are those of one die, as `group_faces` gives them; what comes back is one multinomial.
    """
    groups: list[tuple[int, Roll]] = [(1, ())]
    for last, (faces, roll) in enumerate(classes, 1):
        further: list[tuple[int, Roll]] = []
        for ways, before in groups:
            left = count - len(before)
            numbers = range(left if last == len(classes) else 0, left + 1)
            further += [(ways * comb(left, number) * faces**number, before + roll * number) for number in numbers]
        groups = further
    return tuple(groups)


@lru_cache(maxsize=64)
def group_sums(count: int, sides: int) -> Weighted:
    """`count` alike dice of which only the sum matters: ((ways, a roll with that sum), ...)."""
    ways: dict[int, tuple[int, Roll]] = {0: (1, ())}
    for _ in range(count):
        further: dict[int, tuple[int, Roll]] = {}
        for total, (number, roll) in ways.items():
            for face in range(1, sides + 1):
                before = further.get(total + face)
                further[total + face] = (number + (before[0] if before else 0), (*roll, face))
        ways = further
    return tuple(ways.values())


@lru_cache(maxsize=256)
def _every(dice: tuple[tuple[int, tuple[int, ...] | None], ...]) -> Weighted:
    size = 1
    for sides, _ in dice:
        size *= sides
    if size > ROLLS_AT_ONCE:
        raise TooManyStates
    faces = [range(1, sides + 1) if faces is None else faces for sides, faces in dice]
    ways: dict[Roll, int] = {}
    for roll in product(*faces):
        ways[roll] = ways.get(roll, 0) + 1
    return tuple((count, roll) for roll, count in ways.items())


def every_roll(dice: tuple[Die, ...]) -> Weighted:
    """All rolls of `dice` in order, with how many of the equally likely ones each stands for."""
    return _every(tuple((die.sides, die.faces) for die in dice))


_INDEX = re.compile(r"\[\d+\]")


def _rolls(step: Ruled[S], state: S, wanted: Sequence[str]) -> Weighted:
    asked = {_INDEX.sub("", path).rsplit(".", 1)[-1] for path in wanted} if step.exact_only else set()
    grouped = None if asked & step.exact_only else step.grouped(state)
    return every_roll(step.asks(state)) if grouped is None else grouped


def _known(known: tuple[Any, ...], told: Mapping[str, Any], positions: Mapping[str, int]) -> tuple[Any, ...]:
    hits = [(positions[path], value) for path, value in told.items() if path in positions and value is not None]
    if not hits:
        return known
    items = list(known)
    for at, value in hits:
        items[at] = shown(value)
    return tuple(items)


def _drive(
    plan: Plan[S],
    start: tuple[S, tuple[Any, ...]],
    visit: Callable[[tuple[S, tuple[Any, ...]], Mapping[str, Any]], tuple[S, tuple[Any, ...]]],
    finished: Callable[[S, tuple[Any, ...]], bool],
    done: _Tally,
    wanted: Sequence[str],
    meter: _Meter,
) -> None:
    if finished(*start):
        done.add(start, 1, 1)
        return
    live = _Tally({start: 1})
    while live.counts:
        meter.take_states(len(live.counts))
        after = _Tally({})
        for (state, known), weight in live.counts.items():
            step = plan.steps[str(state.owes)]
            rolls = _rolls(step, state, wanted)
            meter.take_rolls(len(rolls), len(after.counts) + len(done.counts))
            over = live.over * sum(ways for ways, _ in rolls)
            for ways, roll in rolls:
                new, told, _, _ = step.rule(state, roll)
                key = visit((new, known), told)
                (done if finished(*key) else after).add(key, weight * ways, over)
        live = after


def _drive_marginals(
    plan: Plan[S],
    wanted: tuple[str, ...],
    sums: Mapping[str, _Tally],
    done: _Tally,
    meter: _Meter,
    alone: bool,
) -> None:
    if plan.start.owes is None:
        done.add(plan.start, 1, 1)
        return
    live = _Tally({plan.start: 1})
    while live.counts:
        meter.take_states(len(live.counts))
        after = _Tally({})
        for state, weight in live.counts.items():
            step = plan.steps[str(state.owes)]
            rolls = _rolls(step, state, wanted)
            meter.take_rolls(len(rolls), len(after.counts) + len(done.counts))
            over = live.over * sum(ways for ways, _ in rolls)
            rule = step.rule
            for ways, roll in rolls:
                new, told, _, _ = rule(state, roll)
                seen = False
                for path in wanted:
                    value = told.get(path)
                    if value is not None:
                        sums[path].add(shown(value), weight * ways, over)
                        seen = alone
                if seen:
                    continue
                (done if new.owes is None else after).add(new, weight * ways, over)
        live = after


def _completed(tally: _Tally) -> Distribution:
    chances = tally.fractions()
    rest = 1 - sum(chances.values(), Fraction(0))
    if rest:
        chances[ABSENT] = chances.get(ABSENT, Fraction(0)) + rest
    return chances
