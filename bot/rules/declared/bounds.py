"""How many states the odds of a sequence can have at most, whoever plays it: known before anybody does.

The program is gone through once with every list as long as lists may be. Of each value is kept which ones it may take,
where these are few, and how many different ones dice may make of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import inf, prod
from typing import Any

from bot.rules.declared.calls import NONE
from bot.rules.declared.closures import closure
from bot.rules.declared.formulas import Formula
from bot.rules.declared.program import (
    Block,
    For,
    If,
    Let,
    Roll,
    Statement,
    Stop,
    Tell,
)
from bot.rules.declared.running import MOST_DICE, OWN_DROP, OWN_GET, OWN_SET, UNWORKABLE
from bot.rules.declared.types import FACES
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import MAX_UNITS

MOST_VALUES, MOST_TRIED, MOST_STEPS = 500, 1_000, 60_000
"""Different values of a name, values tried of a formula, and statements gone through; beyond, nothing is known."""
_BOOLS = frozenset((True, False))
ROUNDS = "rounds "
"""Under this key: how many rolls may have been made."""


@dataclass(frozen=True)
class Values:
    """The values that a name may take, None where they are not known; and how many of them dice can make at most.

    `die` is the number of the dice whose sum it is, where every sum comes, whatever the inputs and other dice; else 0.
    """

    some: frozenset[Any] | None = None
    size: float = 1
    die: int = 0
    own: Mapping[Any, Values] = field(default_factory=dict)
    """Of a value of each item's own, those of every item."""


GIVEN = Values()
"""What inputs decide."""


@dataclass(frozen=True)
class Bound:
    """How many states there are at most, and how many surely come to some roll."""

    most: float
    least: float


def bound_of(program: Block, options: tuple[Option, ...], scope: Mapping[str, Any], units: int = MAX_UNITS) -> Bound:
    """The bound of a program that is kept for some odds, with `units` items in each list."""
    counter = _Counter(scope, units)
    names = {key: Values(some) for key, some in _known_inputs(options)}
    try:
        counter.block(program, names, 1)
    except _TooLong:
        return Bound(inf, counter.least)
    return Bound(max(1, counter.most), counter.least)


def _known_inputs(options: tuple[Option, ...]) -> Iterator[tuple[str, frozenset[Any]]]:
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


Names = dict[str, Values]


class _Counter:
    """Goes through a program once, and counts the states on the way."""

    def __init__(self, scope: Mapping[str, Any], units: int) -> None:
        self._scope, self._units = scope, units
        self.most: float = 0
        self.least: float = 1
        self._steps = self._dice = 0
        self._always = True
        """Whether every way comes here, with nothing told yet."""

    def block(self, block: Block, names: Names, states: float) -> float:
        """How many states come to the end of a block to which `states` come. `names` change with it."""
        for one in block:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise _TooLong
            if isinstance(one, Let):
                names[one.key] = self._set(one, names)
            elif isinstance(one, Roll):
                states = self._roll(one, names, states)
            elif isinstance(one, If):
                states = self._if(one, names, states)
            elif isinstance(one, For):
                states = self._for(one, names, states)
            else:
                self._always = False
        return states

    def _set(self, one: Let, names: Names) -> Values:
        call, reads = one.value.source, [names.get(key, GIVEN) for key in one.value.reads]
        if call not in (OWN_GET, OWN_DROP, OWN_SET):
            return self.value(one.value, names)
        before, at = reads[0], _only(reads[1])
        if at is None:  # a die chose the item
            return Values(size=prod(value.size for value in reads))
        if call == OWN_GET:
            return before.own.get(at, GIVEN)
        own = {number: value for number, value in before.own.items() if number != at}
        if call == OWN_SET:
            own[at] = reads[2]
        return Values(None, prod(value.size for value in own.values()), own=own)

    def _roll(self, one: Roll, names: Names, states: float) -> float:
        rounds = names.get(ROUNDS, Values(frozenset((0,)))).some or frozenset((0,))
        live = [names.get(key, GIVEN) for key in one.after]
        states = min(states, len(rounds) * prod(value.size for value in live))
        self.most += states
        if self._always:
            self.least = max(self.least, prod(_least(live).values()))
        names[ROUNDS] = Values(frozenset(number + 1 for number in rounds))
        for key, *spec, _ in one.dice:
            sums, faces = self._dice_of(spec[0], spec[1], names)
            names[key], names[key + FACES] = sums, faces
            states *= faces.size if key + FACES in one.faces else sums.size if key in one.faces else 1
        return states

    def _dice_of(self, count: Formula, sides: Formula, names: Names) -> tuple[Values, Values]:
        """The sums and the faces of some dice."""
        many = self._numbers(count, names, MOST_DICE)
        high = self._numbers(sides, names, inf)
        most = max(many) * max(high) if max(many) else 0
        some = frozenset(range(min(many), int(most) + 1)) if most <= MOST_VALUES else None
        size = max(1, most - min(many) + 1)
        self._dice += 1
        sure = self._always and not count.reads and not sides.reads and sides.source != "'A'" and size != inf
        ways = max(high) ** max(many) if max(many) * max(high) <= MOST_TRIED else inf
        return Values(some, size, die=self._dice if sure else 0), Values(frozenset(many), max(1, ways))

    def _numbers(self, formula: Formula, names: Names, most: float) -> list[Any]:
        """How many dice or sides there may be; an averaging die has six."""
        some = self.value(formula, names).some
        if some is None:
            return [0, most]
        return [int(str(value)) if str(value).isdecimal() else 6 for value in some]

    def _if(self, one: If, names: Names, states: float) -> float:
        when = self.value(one.when, names)
        if when.some is not None and len({bool(value) for value in when.some}) == 1:
            return self.block(one.then if next(iter(when.some)) else one.other, names, states)
        always, ends, after = self._always, list[Names](), list[float]()
        for way in (one.then, one.other):
            self._always = False
            inside = dict(names)
            after.append(self.block(way, inside, states))
            ends.append(inside)
        self._always = always and not any(map(_says, one.then + one.other))
        for key in ends[0].keys() | ends[1].keys():
            names[key] = _joined(ends[0].get(key, GIVEN), ends[1].get(key, GIVEN), when.size > 1)
        return sum(after) if one.rolls and when.size > 1 else max(after)

    def _for(self, one: For, names: Names, states: float) -> float:
        if one.each.only is not None:
            chosen = Values(size=self.value(one.each.only, names).size)
            names |= dict.fromkeys((one.number, one.each.at, one.each.key, one.only), chosen)
            return self.block(one.body, names, states)
        lists = self.value(one.each.items, names).some
        lengths = {len(some) for some in lists} if lists else {0, self._units}
        ends = dict(names) if min(lengths) == 0 else {}
        always = self._always and len(lengths) == 1
        most = states
        for number in range(min(max(lengths), MAX_UNITS)):
            self._always = self._always and (always or not lists)
            names |= {one.number: Values(frozenset((number,))), one.each.at: Values(frozenset((number,)))}
            names[one.each.key] = GIVEN
            states = self.block(one.body, names, states)
            most = max(most, states)
            if number + 1 >= min(lengths):  # the list may end here
                ends = {key: _joined(ends.get(key, value), value, False) for key, value in names.items()}
        names |= ends
        return most

    def value(self, formula: Formula, names: Names) -> Values:
        """What a formula may come to."""
        reads = [names.get(key, GIVEN) for key in formula.reads]
        if formula.tree.__class__ is ast.Name and len(reads) == 1:
            return reads[0]
        size = prod(value.size for value in reads)
        some = self._tried(formula, reads)
        if some is None:
            some = self._part(formula.tree, names)
        return Values(some, size if some is None or size <= 1 else min(size, len(some)))

    def _tried(self, formula: Formula, reads: list[Values]) -> frozenset[Any] | None:
        """All values of a formula, where those that it reads are few."""
        if not formula.own or any(key.endswith(FACES) for key in formula.reads):
            return None
        if any(value.some is None for value in reads):
            return None
        if prod(len(value.some or ()) for value in reads) > MOST_TRIED:
            return None
        run = closure(formula.tree, formula.scope)
        some = [value.some or frozenset() for value in reads]
        return _worked_out(lambda *values: run(dict(zip(formula.reads, values, strict=True))), some)

    def _part(self, node: ast.AST, names: Names) -> frozenset[Any] | None:
        """The values of a part of a formula, as far as its form says them."""
        if isinstance(node, ast.Constant):
            return frozenset((node.value,))
        if isinstance(node, ast.Name):
            return names.get(node.id.removeprefix("v "), GIVEN).some if node.id.startswith("v ") else None
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return _BOOLS
        if isinstance(node, ast.IfExp):
            return _both(self._part(node.body, names), self._part(node.orelse, names))
        if isinstance(node, ast.BoolOp):
            parts = [self._part(value, names) for value in node.values]
            return None if None in parts else frozenset[Any]().union(*(part for part in parts if part))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._called(node.func.id, node, names)
        return None

    def _called(self, called: str, node: ast.Call, names: Names) -> frozenset[Any] | None:
        if called in ("has", "passing "):
            return _BOOLS
        if called == "how_many":
            dice = self._part(node.args[0], names)
            most = max(dice) if dice else MOST_DICE
            return frozenset(range(int(most) + 1))
        if called in ("plus ", "min", "max") and not node.keywords:
            parts = [self._part(value, names) for value in node.args]
            some = [part for part in parts if part is not None]
            if len(some) < len(parts) or prod(map(len, some)) > MOST_TRIED:
                return None
            return _worked_out(self._scope[called], some)
        return None


def _worked_out(function: Callable[..., Any], some: list[frozenset[Any]]) -> frozenset[Any] | None:
    """What a function makes of all these values; those that it refuses come to nothing."""
    found: set[Any] = set()
    for values in product(*some):
        try:
            made = function(*values)
        except (*UNWORKABLE, UserError):
            continue
        try:
            found.add(tuple(made) if isinstance(made, list | range) else made)
        except TypeError:  # nothing that can be told apart
            return None
    return frozenset(found) if 0 < len(found) <= MOST_VALUES else None


def _only(values: Values) -> Any:
    """The one value, where there is just one."""
    return next(iter(values.some)) if values.some is not None and len(values.some) == 1 else None


def _both(one: frozenset[Any] | None, other: frozenset[Any] | None) -> frozenset[Any] | None:
    return None if one is None or other is None or len(one | other) > MOST_VALUES else one | other


def _joined(one: Values, other: Values, by_dice: bool) -> Values:
    """The values after two ways, of which dice may choose one."""
    if one == other:
        return one
    some = _both(one.some, other.some)
    own = {at: _joined(one.own.get(at, GIVEN), other.own.get(at, GIVEN), by_dice) for at in {**one.own, **other.own}}
    size = one.size + other.size if by_dice else max(one.size, other.size)
    if own:
        size = min(size, prod(value.size for value in own.values()))
    return Values(some, size if some is None or size <= 1 else min(size, len(some)), own=own)


def _least(live: Iterable[Values]) -> dict[int, float]:
    """How many sums surely come, of each of the dice that are remembered."""
    found: dict[int, float] = {}
    for value in live:
        found |= _least(value.own.values())
        if value.die:
            found[value.die] = value.size
    return found


def _says(one: Statement) -> bool:
    """Whether a way may end in it, or tell what is asked."""
    if isinstance(one, If):
        return any(map(_says, one.then + one.other))
    return isinstance(one, Stop | Tell) or (isinstance(one, For) and any(map(_says, one.body)))
