"""Limits on the number of states in the odds of a sequence, for any inputs, computed when it is
loaded.

One pass goes through the program with every list at its longest. For each name it keeps the
possible values, if they are few, and the number of different values that dice may give it.
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
"""The limits of what is computed: values of a name, values tried for a formula, and statements
visited.
"""
Some = frozenset[Any] | None
"""The possible values of something, None if they are not known."""
_BOOLS = frozenset((True, False))


@dataclass(frozen=True)
class PossibleValues:
    """The possible values of a name: `some` lists them if they can be listed, and `size` is the
    maximum number of different values that dice can lead to.

    If the name is the sum of dice that occurs in full, whatever the inputs and other dice, `die` is
    the number by which the counter knows these dice; else 0.
    """

    some: Some = None
    size: float = 1
    die: int = 0
    own: Mapping[Any, PossibleValues] = field(default_factory=dict)
    """For a value that each item has, the possible values by item."""
    items: Some = None
    """For single dice, the possible faces."""


GIVEN = PossibleValues()
"""The possible values of anything that inputs decide."""
Names = dict[str, PossibleValues]


class CountedStatement(Protocol):
    """The protocol of a statement in this pass."""

    def bound(self, counter: StateCounter, names: Names, states: float) -> float:
        """Return the number of states after the statement for `states` before it. Updates the
        possible values in `names`.
        """


def count_program_states(
    program: Iterable[CountedStatement], options: Iterable[Option], units: int
) -> StateCounter:
    """Return the counter after a pass through a program for odds, with `units` items in each
    list.
    """
    counter = StateCounter(units)
    try:
        counter.block(
            program, {key: PossibleValues(values) for key, values in _list_input_values(options)}, 1
        )
        counter.most = max(1, counter.most)
    except _TooLong:
        counter.whole = False
        counter.most = inf
    return counter


def _list_input_values(options: Iterable[Option]) -> Iterator[tuple[str, frozenset[Any]]]:
    """Yield (name, possible values) of the inputs that have few values."""
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
    """The signal that a pass takes too long."""


@dataclass
class StateCounter:
    """One pass through a program that counts the states. Each kind of statement defines its own
    part.
    """

    units: int
    most: float = 0
    """The highest number of states; infinite if the pass did not finish."""
    least: float = 1
    """The number of states that certainly reach some roll."""
    live: tuple[str, ...] = ()
    """The keys of the values that lead to the states of `least`, read after some roll."""
    where: tuple[str | int, ...] = ()
    """The path of that roll in its file."""
    sure: bool = True
    """True if the current statement is certainly reached with no output set yet."""
    dice: int = 0
    """The number of rolls so far."""
    whole: bool = True
    """True if the pass reached the end of the program."""
    seen: dict[Formula, PossibleValues] = field(default_factory=dict)
    """The possible values of the formulas that decide which dice are rolled."""
    _steps: int = 0

    def block(self, block: Iterable[CountedStatement], names: Names, states: float) -> float:
        """Return the number of states after a block for `states` before it. Updates the possible
        values in `names`.
        """
        for statement in block:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise _TooLong
            states = statement.bound(self, names, states)
        return states

    def sees(self, formula: Formula, values: PossibleValues) -> None:
        """Record the possible values of such a formula here."""
        earlier = self.seen.get(formula, values)
        self.seen[formula] = earlier if earlier == values else merge_known(earlier, values)

    def roll(
        self,
        live: Iterable[str],
        names: Names,
        states: float,
        where: tuple[str | int, ...] = (),
    ) -> float:
        """Return the number of states before a roll, after which the keys `live` are read. Adds it
        to the total number of states. `where` is the path of the roll.
        """
        live = sorted(live)
        live_values = [names.get(key, GIVEN) for key in live]
        states = min(states, count_combinations(live_values))
        self.most += states
        if self.sure:
            least = prod(_count_least_sums(live_values).values(), start=1.0)
            if least > self.least:
                self.least = least
                self.live = tuple(live)
                self.where = where
        return states


def compute_known(formula: Formula, names: Names) -> PossibleValues:
    """Return the possible values of a formula."""
    reads = [names.get(key, GIVEN) for key in formula.reads]
    if formula.kind == "name":
        return reads[0]
    size = count_combinations(reads)
    values = _try_values(formula, reads)
    if values is None:
        values = _compute_part(formula, names)
    return PossibleValues(values, size if values is None or size <= 1 else min(size, len(values)))


def _try_values(formula: Formula, reads: list[PossibleValues]) -> Some:
    """Return all values of a formula if the names that it reads have few values, else None."""
    if any(possible.some is None for possible in reads) or any(
        key.endswith(FACES) for key in formula.reads
    ):
        return None
    return _compute_values(
        lambda *values: formula.run(dict(zip(formula.reads, values, strict=True))),
        [k.some for k in reads],
    )


def _compute_part(part: Formula, names: Names) -> Some:
    """Return the values of a part of a formula, as far as its kind decides them."""
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
    parts = [_compute_part(inner, names) for inner in part.parts]
    if part.kind in ("and", "or"):
        return unite_values(*parts)
    return (
        unite_values(*parts[1:])
        if part.kind == "if"
        else _compute_values(CALLS.get(part.kind, add), parts)
    )


def _compute_values(function: Callable[..., Any], choices: list[Some]) -> Some:
    """Return the results of a function for all combinations of values, None if there are too many.
    Arguments that it refuses are left out.
    """
    listed = [values for values in choices if values is not None]
    if len(listed) < len(choices) or prod(map(len, listed)) > MOST_TRIED:
        return None
    results: set[Any] = set()
    for values in product(*listed):
        try:
            result = function(*values)
        except (*UNWORKABLE, UserError):
            continue
        try:
            results.add(tuple(result) if isinstance(result, list | range) else result)
        except TypeError:  # nothing that can be told apart
            return None
    return frozenset(results) if 0 < len(results) <= MOST_VALUES else None


def count_combinations(names_values: Iterable[PossibleValues]) -> float:
    """Return the number of combinations of values, infinite for very many."""
    return prod([values.size for values in names_values], start=1.0)


def get_single_value(possible: PossibleValues) -> Any:
    """Return the only possible value, None if there is not exactly one."""
    return (
        next(iter(possible.some)) if possible.some is not None and len(possible.some) == 1 else None
    )


def unite_values(*value_sets: Some) -> Some:
    """Return the union of sets of values, None if one is not known or there are too many."""
    united = frozenset[Any]().union(*(values for values in value_sets if values is not None))
    return None if None in value_sets or len(united) > MOST_VALUES else united


def merge_known(
    first: PossibleValues, second: PossibleValues, by_dice: bool = False
) -> PossibleValues:
    """Return the possible values after two branches. With `by_dice`, dice choose the branch."""
    if first == second:
        return first
    values = unite_values(first.some, second.some)
    by_item = {
        item_index: merge_known(
            first.own.get(item_index, GIVEN), second.own.get(item_index, GIVEN), by_dice
        )
        for item_index in {**first.own, **second.own}
    }
    size = first.size + second.size if by_dice else max(first.size, second.size)
    if by_item:
        size = min(size, count_combinations(by_item.values()))
    size = size if values is None or size <= 1 else min(size, len(values))
    return PossibleValues(values, size, own=by_item, items=unite_values(first.items, second.items))


def _count_least_sums(live: Iterable[PossibleValues]) -> dict[int, float]:
    """Return the number of sums that certainly occur, for each of the remembered dice."""
    sums: dict[int, float] = {}
    for values in live:
        sums |= _count_least_sums(values.own.values())
        if values.die:
            sums[values.die] = values.size
    return sums
