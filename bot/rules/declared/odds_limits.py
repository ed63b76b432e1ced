"""How many states the odds of a sequence can have at most, whoever plays it: known before anybody
does.

The program is gone through once with every list as long as lists may be. Of each value is kept
which ones it may take, where these are few, and how many different ones dice may make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import inf, prod
from typing import Any, Protocol

from bot.rules.declared.compile_context import FACES
from bot.rules.declared.formula import Formula
from bot.rules.declared.formula_functions import CALLS, MOST_DICE, NONE, UNWORKABLE, add
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option

MOST_VALUES, MOST_TRIED, MOST_STEPS = 500, 1_000, 60_000
"""Different values of a name, values tried of a formula, and statements gone through; beyond,
nothing is known.
"""
Some = frozenset[Any] | None
"""The values that something may take, None where they are not known."""
_BOOLS = frozenset((True, False))


@dataclass(frozen=True)
class PossibleValues:
    """The values that a name may take, and how many of them dice can make at most.

    `die` is the number of the dice whose sum it is, where every sum comes, whatever the inputs and
    other dice; else 0.
    """

    some: Some = None
    size: float = 1
    die: int = 0
    own: Mapping[Any, PossibleValues] = field(default_factory=dict)
    """Of a value of each item's own, those of every item."""
    items: Some = None
    """Of single dice, what each may show."""


GIVEN = PossibleValues()
"""What inputs decide."""
Names = dict[str, PossibleValues]


class CountedStatement(Protocol):
    """A statement of a program, as far as states are counted."""

    def bound(self, counter: Counter, names: Names, states: float) -> float:
        """Return how many states come to its end, if `states` come to it; `names` change with it."""


def count_program_states(
    program: Iterable[CountedStatement], options: Iterable[Option], units: int
) -> Counter:
    """A counter that has gone through a program that is kept for some odds, with `units` items
    in each list.
    """
    counter = Counter(units)
    try:
        counter.block(
            program, {key: PossibleValues(some) for key, some in _list_input_values(options)}, 1
        )
        counter.most = max(1, counter.most)
    except _TooLong:
        counter.whole = False
        counter.most = inf
    return counter


def _list_input_values(options: Iterable[Option]) -> Iterator[tuple[str, frozenset[Any]]]:
    """What inputs may be, of those that have few values."""
    for option in options:
        yield f"{option.name}_typed", _BOOLS
        name = option.name.replace("-", "_")
        blank = frozenset((NONE,)) if option.optional or option.default is None else frozenset()
        if option.type == "bool":
            yield name, _BOOLS
        elif option.type == "mods":
            yield from ((str(word), _BOOLS) for word in option.values)
        elif option.type == "int" and option.min is not None and option.max is not None:
            if option.max - option.min < MOST_VALUES:
                yield name, frozenset(range(int(option.min), int(option.max) + 1)) | blank
        elif option.values:
            yield name, frozenset(option.values) | blank


class _TooLong(Exception):
    """This takes too long to say."""


@dataclass
class Counter:
    """Goes through a program once, and counts the states on the way; each kind of statement says
    how.
    """

    units: int
    most: float = 0
    """How many states there are at most, without end where it did not come to the end."""
    least: float = 1
    """How many surely come to some roll."""
    sure: bool = True
    """Whether every way comes here, with nothing told yet."""
    dice: int = 0
    """How many dice have been rolled."""
    whole: bool = True
    """Whether it came to the end of the program."""
    seen: dict[Formula, PossibleValues] = field(default_factory=dict)
    """What formulas came to that decide which dice are rolled."""
    _steps: int = 0

    def block(self, block: Iterable[CountedStatement], names: Names, states: float) -> float:
        """Return how many states come to the end of a block to which `states` come. `names` change
        with it.
        """
        for one in block:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise _TooLong
            states = one.bound(self, names, states)
        return states

    def sees(self, formula: Formula, known: PossibleValues) -> None:
        """Note what such a formula may come to here."""
        before = self.seen.get(formula, known)
        self.seen[formula] = before if before == known else merge_known(before, known)

    def roll(self, live: Iterable[str], names: Names, states: float) -> float:
        """Return how many states come to a roll after which the keys `live` are read."""
        read = [names.get(key, GIVEN) for key in live]
        states = min(states, count_combinations(read))
        self.most += states
        if self.sure:
            self.least = max(self.least, prod(_count_least_sums(read).values(), start=1.0))
        return states


def compute_known(formula: Formula, names: Names) -> PossibleValues:
    """What a formula may come to."""
    reads = [names.get(key, GIVEN) for key in formula.reads]
    if formula.kind == "name":
        return reads[0]
    size = count_combinations(reads)
    some = _try_values(formula, reads)
    if some is None:
        some = _compute_part(formula, names)
    return PossibleValues(some, size if some is None or size <= 1 else min(size, len(some)))


def _try_values(formula: Formula, reads: list[PossibleValues]) -> Some:
    """All values of a formula, where those that it reads are few."""
    if any(known.some is None for known in reads) or any(
        key.endswith(FACES) for key in formula.reads
    ):
        return None
    return _compute_values(
        lambda *values: formula.run(dict(zip(formula.reads, values, strict=True))),
        [k.some for k in reads],
    )


def _compute_part(part: Formula, names: Names) -> Some:
    """The values of a part of a formula, as far as its form says them."""
    if part.kind == "constant":
        return frozenset((part.value,))
    if part.kind == "name":
        return names.get(part.value, GIVEN).some
    if part.kind in ("compare", "not", "has"):
        return _BOOLS
    if part.kind == "how_many":
        dice = _compute_part(part.parts[0], names)
        return frozenset(range(int(max(dice or (MOST_DICE,))) + 1))
    if part.kind not in ("if", "and", "or", "plus", "min", "max"):
        return None
    parts = [_compute_part(one, names) for one in part.parts]
    if part.kind in ("and", "or"):
        return unite_values(*parts)
    return (
        unite_values(*parts[1:])
        if part.kind == "if"
        else _compute_values(CALLS.get(part.kind, add), parts)
    )


def _compute_values(function: Callable[..., Any], some: list[Some]) -> Some:
    """What a function makes of all these values, where they are few; those that it refuses come
    to nothing.
    """
    few = [values for values in some if values is not None]
    if len(few) < len(some) or prod(map(len, few)) > MOST_TRIED:
        return None
    found: set[Any] = set()
    for values in product(*few):
        try:
            made = function(*values)
        except (*UNWORKABLE, UserError):
            continue
        try:
            found.add(tuple(made) if isinstance(made, list | range) else made)
        except TypeError:  # nothing that can be told apart
            return None
    return frozenset(found) if 0 < len(found) <= MOST_VALUES else None


def count_combinations(some: Iterable[PossibleValues]) -> float:
    """Return how many different values all of these have together; without end where they are very
    many.
    """
    return prod([known.size for known in some], start=1.0)


def get_single_value(known: PossibleValues) -> Any:
    """The one value, None where there is not just one."""
    return next(iter(known.some)) if known.some is not None and len(known.some) == 1 else None


def unite_values(*ways: Some) -> Some:
    """The values of all ways together, where they are known and few."""
    found = frozenset[Any]().union(*(some for some in ways if some is not None))
    return None if None in ways or len(found) > MOST_VALUES else found


def merge_known(
    one: PossibleValues, other: PossibleValues, by_dice: bool = False
) -> PossibleValues:
    """The values after two ways, of which dice may choose one."""
    if one == other:
        return one
    some = unite_values(one.some, other.some)
    own = {
        at: merge_known(one.own.get(at, GIVEN), other.own.get(at, GIVEN), by_dice)
        for at in {**one.own, **other.own}
    }
    size = one.size + other.size if by_dice else max(one.size, other.size)
    if own:
        size = min(size, count_combinations(own.values()))
    size = size if some is None or size <= 1 else min(size, len(some))
    return PossibleValues(some, size, own=own, items=unite_values(one.items, other.items))


def _count_least_sums(live: Iterable[PossibleValues]) -> dict[int, float]:
    """Return how many sums surely come, of each of the dice that are remembered."""
    found: dict[int, float] = {}
    for known in live:
        found |= _count_least_sums(known.own.values())
        if known.die:
            found[known.die] = known.size
    return found
