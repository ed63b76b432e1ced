"""Exact odds of a sequence: the same plan that is played, driven by every roll. No simulation, no
rounding.

One walk goes through the states of a plan. Each different state is looked at once, however many
ways lead to it, so cost grows with the number of different situations, not of dice; parts that know
nothing of each other are counted once and multiplied. Weights are whole numbers over a common
denominator; a Fraction appears at the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm, prod
from operator import itemgetter
from typing import Any, NamedTuple

from bot.rules.odds.rolls import TooManyStates, list_all_rolls
from bot.rules.sequence.sequence import (
    IndependentPart,
    IndependentParts,
    OddsRow,
    Outputs,
    Plan,
    Ruling,
    S,
    build_row,
)

STATE_BUDGET = 400_000
ABSENT = "none"

Distribution = dict[Any, Fraction]
OutOfTime = Callable[[], bool]
"""Asked between states by who has no more time; the rules themselves read no clock."""


def compute_joint_odds(
    plan: Plan[S],
    by: Sequence[str],
    rows: Mapping[str, OddsRow] | None = None,
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    out_of_time: OutOfTime | None = None,
) -> Distribution:
    """Chances of each combination of the outputs `by`, as {(value, ...): Fraction}; they sum to 1.

    A name in `rows` stands for that row. A value is `none` where its item is absent. Work stops on
    a branch as soon as all of `by` are known. Raises TooManyStates beyond `budget` states, `rolls`
    rolls looked at or when it is `out_of_time`.

    >>> from bot.rules.dice import d6
    >>> from bot.rules.sequence.sequence import Ruling, ruled
    >>> class Shot(NamedTuple):
    ...     owes: str | None
    >>> shot = ruled((d6("to hit"),), lambda _, roll: Ruling(Shot(None), {"hit": roll[0] >= 5}))
    >>> compute_joint_odds(Plan(Shot("shot"), {"shot": shot}, print), ["hit"])
    {('false',): Fraction(2, 3), ('true',): Fraction(1, 3)}
    """
    found = OddsCount(Meter(budget, rolls, out_of_time)).count_together(plan, _list_rows(by, rows))
    if {str}.issuperset(map(type, chain.from_iterable(found.each))):
        # nearly always, and there may be many
        return _compute_fractions(found.each, found.over)
    return _compute_fractions(
        _sum_weights((tuple(map(format_key, known)), ways) for known, ways in found.each.items()),
        found.over,
    )


def compute_marginals(
    plan: Plan[S],
    paths: Iterable[str],
    rows: Mapping[str, OddsRow] | None = None,
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    out_of_time: OutOfTime | None = None,
) -> dict[str, Distribution]:
    """The distribution of each output of `paths` by itself, counted in one walk; each sums to 1.

    Because every path is put out once at most, nothing needs to be carried along in the state.
    Otherwise as `compute_joint_odds`.
    """
    wanted = tuple(dict.fromkeys(paths))
    each, over = OddsCount(Meter(budget, rolls, out_of_time)).count_one_by_one(
        plan, _list_rows(wanted, rows)
    )
    sums = (
        _sum_weights((format_key(value), ways) for value, ways in values.items()) for values in each
    )
    return {path: _compute_fractions(ways, over) for path, ways in zip(wanted, sums, strict=True)}


def format_key(value: Any) -> Any:
    """A value as a key of the odds: tokens, numbers, true/false, `none` for nothing; a list by
    its texts.
    """
    if value.__class__ is str:
        return value
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "true" if value else "false"
    if value.__class__ in (list, tuple):
        return " ".join(str(format_key(item)) for item in value) or ABSENT
    return value


def _list_rows(paths: Iterable[str], rows: Mapping[str, OddsRow] | None) -> tuple[OddsRow, ...]:
    named = rows or {}
    return tuple([named.get(path) or build_row(path) for path in paths])


def _sum_weights(weights: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    """Weights, those of values that are shown alike together."""
    sums: dict[Any, int] = {}
    for value, weight in weights:
        sums[value] = sums.get(value, 0) + weight
    return sums


def _compute_fractions(weights: Mapping[Any, int], over: int) -> Distribution:
    """Weights as chances; each different one is made once."""
    chances = {weight: Fraction(weight, over) for weight in {*weights.values()}}
    return {value: chances[weight] for value, weight in weights.items()}


@dataclass(slots=True)
class Meter:
    """How much has been counted so far, and how much may be: states, rolls looked at, and
    whether it is too late.
    """

    budget: int = STATE_BUDGET
    most_rolls: int | None = None
    out_of_time: OutOfTime | None = None
    states: int = 0
    rolls: int = 0

    def take(self, rolls: int) -> None:
        """Count one more state with its rolls. Raises TooManyStates."""
        self.states += 1
        self.rolls += rolls
        if self.most_rolls is not None and self.rolls > self.most_rolls:
            raise TooManyStates
        self.hold(self.states)

    def hold(self, count: int) -> None:
        """Raise TooManyStates where so many combinations are too many, and when it is too late."""
        if count > self.budget or (self.out_of_time is not None and self.out_of_time()):
            raise TooManyStates


Known = tuple[Any, ...]
"""Of each row that is asked for: its value, None where nothing of it is known, or `Partly` what
decides it later.
"""
Node = tuple[Any, Any]
"""A state, and what is known there; or None, and what is counted."""
Ways = dict[Node, int]
"""In how many ways it goes on to which nodes."""
Together = dict[Known, dict[Known, int]]
"""In how many ways totals come together with values of rows: {totals: {values: ways}}."""
Adds = tuple[Callable[[Any, Any], Any], ...]
"""How two shares of each total are added up."""
_COUNTED = object()
"""In the place of a row whose value is counted already."""
_LISTS: frozenset[type] = frozenset((list, tuple))


class Partly(tuple[tuple[str, Any], ...]):
    """What was told of a row that waits for more: (path, value)."""


class Weights(NamedTuple):
    """How often each combination of values comes (or each (place, value), where they count one by
    one), out of `over`."""

    each: dict[Any, int]
    over: int


class OddsCount:
    """One count of odds: its meter, and what parts that are alike come to."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._parts: dict[Hashable, Weights] = {}
        self._shares: dict[Hashable, tuple[Together, int]] = {}

    def count_together(self, plan: Plan[Any], asked: Sequence[OddsRow]) -> Weights:
        """Return how often each combination of what is asked for comes."""
        return _Walk(self, plan, asked, carries=True).count()

    def count_one_by_one(
        self, plan: Plan[Any], asked: Sequence[OddsRow]
    ) -> tuple[list[dict[Any, int]], int]:
        """Return how often each value of each that is asked for comes, and out of how many."""
        if len(asked) == 1:  # then work stops as soon as it is known
            alone = self.count_together(plan, asked)
            return [{value: weight for (value,), weight in alone.each.items()}], alone.over
        found = _Walk(self, plan, asked, carries=False).count()
        each: list[dict[Any, int]] = [{} for _ in asked]
        for (at, value), weight in found.each.items():
            each[at][value] = weight
        for values in each:
            if rest := found.over - sum(values.values()):
                values[None] = values.get(None, 0) + rest
        return each, found.over

    def count_part(
        self, part: IndependentPart[Any], inside: Inside, names: tuple[str, ...]
    ) -> Weights:
        """Return how often which outputs come out of a part, and which shares of the totals
        `names`; alike ones count once.
        """
        key = (part.key, inside.within, names)
        if part.key is None or key not in self._parts:
            asked = tuple(map(build_row, (*inside.paths, *names)))
            self._parts[key] = self.count_together(part.plan(), asked)
        return self._parts[key]

    def count_shares(
        self, parts: Sequence[IndependentPart[Any]], names: tuple[str, ...], adds: Adds
    ) -> tuple[Together, int]:
        """Count the outcomes for each combination of totals of independent parts; also return the
        number of all outcomes.

        The result for identical parts is cached.
        """
        key = tuple([part.key for part in parts]), names, adds
        if None in key[0] or key not in self._shares:
            together: Together = {(): {(): 1}}
            total = 1
            for part in parts:
                found = self.count_part(part, Inside((), (), ()), names)
                together = _combine(
                    together,
                    {sums: {(): ways} for sums, ways in found.each.items()},
                    adds,
                    self.meter,
                )
                total *= found.over
            self._shares[key] = together, total
        return self._shares[key]


class Inside(NamedTuple):
    """What is asked of a part: paths, the same as (which of its heads, what follows that), and the
    places of the rows that read them."""

    paths: tuple[str, ...]
    within: tuple[tuple[int, str], ...]
    places: tuple[int, ...]


class _Walk:
    """One walk over the states of a plan.

    Where it `carries` what is known along, it counts combinations of all that is asked for, and
    ends on a branch when they are known. Else they count one by one, and go along only as far as
    what was told does not decide them.
    """

    def __init__(
        self, count: OddsCount, plan: Plan[Any], asked: Sequence[OddsRow], *, carries: bool
    ) -> None:
        self._places: dict[str, list[int]] = {}
        for place, row in enumerate(asked):
            for path in row.paths:
                self._places.setdefault(path, []).append(place)
        self._count = count
        self._asked = asked
        self._carries = carries
        self._paths = tuple(self._places)
        self._nothing = (None,) * len(self._paths)
        self._plan = plan if plan.focus is None else plan.focus(self._paths)
        self._list = self._plan.by_list if self._plan.by_list in self._places else None
        single = len(asked) == len(self._paths) == sum([len(row.paths) for row in asked])
        self._waits = self._list is not None or not single
        self._ends = carries and not self._waits
        self._inside: dict[tuple[str, ...], Inside] = {}

    def count(self) -> Weights:
        """What comes to each node is handed on when all that leads to it has come."""
        nothing = tuple(
            [
                Partly([(self._list, ())]) if row.paths[0] == self._list else None
                for row in self._asked
            ]
        )
        start: Ways = {}
        self._go(start, 1, *self._record_outputs(self._plan.start, self._plan.opening), nothing)
        numbers: dict[Node, int] = {}  # by which nodes go on: to hash large states takes its time
        goes: dict[int, tuple[int, list[tuple[int, int]], Ways]] = {}
        over: dict[int, int] = {}
        stack: list[tuple[int, Node]] = []

        def number_ways(total: int, ways: Ways) -> tuple[int, list[tuple[int, int]], Ways]:
            """The ways on by the numbers of their nodes, and all where some end here; nodes not
            looked at are next.
            """
            on = []
            for node, some in ways.items():
                if node[0] is not None:
                    on.append((at := numbers.setdefault(node, len(numbers)), some))
                    if at not in goes:
                        stack.append((at, node))
            return total, on, ways if len(on) < len(ways) else {}

        goes[-1] = number_ways(1, start)
        while stack:
            at, node = stack[-1]
            if at not in goes:
                goes[at] = number_ways(*self._look(*node))
                continue
            stack.pop()
            if at not in over:
                total, on, _ = goes[at]
                over[at] = total * lcm(*{over[to] for to, _ in on})
        over[-1] = lcm(*{over[to] for to, _ in goes[-1][1]})
        reached = dict.fromkeys(over, 0)
        each = dict[Any, int]()
        reached[-1] = over[-1]
        for at in reversed(over):
            total, on, ways = goes[at]
            share = reached[at] // total
            for to, some in on:
                reached[to] += share * some
            each |= {
                what: each.get(what, 0) + share * some
                for (state, what), some in ways.items()
                if state is None
            }
        return Weights(each, over[-1])

    def _look(self, state: Any, known: Known) -> tuple[int, Ways]:
        """All that may come of a state, out of how many: of its parts or of a roll."""
        plan = self._plan
        meter = self._count.meter
        if plan.apart is not None and (parts := plan.apart(state)) is not None:
            meter.take(0)
            return self._multiply(known, parts)
        step = plan.steps[state.owes]
        rolls = step.group_rolls(state) or list_all_rolls(step.asks(state))
        meter.take(len(rolls))
        alike: Ways = {}
        for ways, roll in rolls:
            after, told, _, _ = step.rule(state, roll)
            new: tuple[Any, Known] = (after, self._nothing)
            if told or after.owes is None:
                new = self._record_outputs(after, told)
            alike[new] = alike.get(new, 0) + ways
        total = sum(alike.values())
        if self._ends and known == self._nothing:
            return total, alike
        found: Ways = {}
        for (after, values), ways in alike.items():
            self._go(found, ways, after, values, known)
        return total, found

    def _record_outputs(self, after: Any, told: Outputs) -> tuple[Any, Known]:
        """The state, None at the end, and what was told of each output that is looked at."""
        values = tuple(map(told.get, self._paths))
        if self._ends and None not in values:
            after = None
        elif after is not None and after.owes is None:
            if closing := self._plan.closing(after):
                told = {**closing, **told}
                values = tuple(map(told.get, self._paths))
            after = None
        if not _LISTS.isdisjoint(map(type, values)):
            values = tuple(map(_make_hashable, values))
        if (name := self._list) is not None:  # which is told item by item
            items = tuple([told[path] for path in told if path.startswith(f"{name}[")]) or None
            values = tuple(
                [
                    items if path == name else value
                    for path, value in zip(self._paths, values, strict=True)
                ]
            )
        return after, values

    def _go(self, found: Ways, ways: int, after: Any, values: Known, known: Known) -> None:
        """Add the ways that lead on from what is `known`, with the values that were told."""
        if values != self._nothing:
            if self._waits:
                new = self._compute_entries(known, self._paths, values)
                if not self._carries:
                    new = {at: _count_decided(found, ways, at, entry) for at, entry in new.items()}
                known = tuple([new.get(at, entry) for at, entry in enumerate(known)])
            elif self._carries:
                pairs = zip(known, values, strict=True)
                known = (
                    values
                    if known == self._nothing
                    else tuple([new if old is None else old for old, new in pairs])
                )
            else:
                for at, value in enumerate(values):
                    _count_decided(found, ways, at, value)
        if after is None and self._waits:
            known = self._close_rows(known)
        if self._carries:
            node = (None if None not in known and Partly not in map(type, known) else after), known
            found[node] = found.get(node, 0) + ways
        elif after is not None:
            found[after, known] = found.get((after, known), 0) + ways
        elif self._waits:
            for at, value in enumerate(known):
                _count_decided(found, ways, at, value)

    def _compute_entries(self, known: Known, paths: Iterable[str], values: Known) -> dict[int, Any]:
        """What rows come to, of which something is told here and that are not decided yet:
        {place: entry}.
        """
        hits = {path: value for path, value in zip(paths, values, strict=True) if value is not None}
        new: dict[int, Any] = {}
        for path in hits:
            for place in self._places[path]:
                if place not in new and not _is_value(known[place]):
                    new[place] = self._compute_entry(place, known[place], hits)
        return new

    def _compute_entry(self, place: int, before: Any, hits: dict[str, Any]) -> Any:
        """What is known of one that is a row of several outputs, or a list."""
        row = self._asked[place]
        told = {**dict(before), **hits} if before else hits
        if row.paths[0] == self._list:
            return Partly([(self._list, (*before[0][1], *hits[self._list]))])
        if (value := row.read(told)) is not None or len(row.paths) == 1:
            return _make_hashable(value)
        return Partly([(path, told[path]) for path in row.paths if path in told])

    def _close_rows(self, known: Known) -> Known:
        """What is known where no more is told."""
        rows = zip(self._asked, known, strict=True)
        return tuple(
            [
                _make_hashable(row.read(dict(entry))) if entry.__class__ is Partly else entry
                for row, entry in rows
            ]
        )

    # -- parts -----------------------------------------------------------------------------------------------

    def _multiply(self, known: Known, parts: IndependentParts[Any]) -> tuple[int, Ways]:
        """All that may come of the parts of a state together, out of how many."""
        inside = [self._find_inside(part.heads) for part in parts.each]
        then = (
            parts.go_on
            if parts.then is not None and self._is_asked_elsewhere(known, inside, parts)
            else None
        )
        needed = [
            name
            for name, matters in parts.reads.items()
            if then and (not matters or self._is_asked(matters))
        ]
        names = tuple([name for name in parts.totals if name in needed or name in self._places])
        adds = tuple([parts.totals[name] for name in names])
        both = [*zip(parts.each, inside, strict=True)]
        together, total = self._count.count_shares(
            [part for part, asked in both if names and not asked.paths], names, adds
        )
        each = [
            (part, asked, self._count.count_part(part, asked, names))
            for part, asked in both
            if asked.paths
        ]
        total *= prod([found.over for _, _, found in each])
        ways_on: Ways = {}
        for part, asked, found in each:
            mine: Together = {}
            paths = asked.paths
            times = total // found.over
            before = [known[place] for place in asked.places]
            sure = part.known if not part.known.keys().isdisjoint(paths) else None
            for told, ways in found.each.items():
                values = told[: len(paths)]
                sums = told[len(paths) :]
                if sure:
                    values = tuple(
                        [sure.get(path, value) for path, value in zip(paths, values, strict=True)]
                    )
                if self._waits:
                    new = self._compute_entries(known, paths, values)
                    values = tuple([new.get(place, known[place]) for place in asked.places])
                elif before.count(None) < len(before):
                    values = tuple(
                        [
                            new if old is None else old
                            for old, new in zip(before, values, strict=True)
                        ]
                    )
                if not self._carries:
                    for place, value in zip(asked.places, values, strict=True):
                        _count_decided(ways_on, ways * times, place, value)
                    values = ()
                inner = mine.setdefault(sums, {})
                inner[values] = inner.get(values, 0) + ways
            together = _combine(together, mine, adds, self._count.meter)
        self._add_after_parts(
            ways_on,
            known,
            [place for asked in inside for place in asked.places],
            names,
            then,
            together,
        )
        return total, ways_on

    def _add_after_parts(
        self,
        found: Ways,
        known: Known,
        places: Sequence[int],
        names: tuple[str, ...],
        then: Callable[[Mapping[str, Any]], Ruling[Any]] | None,
        together: Together,
    ) -> None:
        """Add the ways on behind parts: from the values of rows at `places`, and the totals
        `names`, of them all.
        """
        rest = [at for at in range(len(known)) if at not in places]
        order = [(*places, *rest).index(at) for at in range(len(known))]
        arranged: Callable[[Known], Known] = (
            tuple if order == [*range(len(known))] else itemgetter(*order)
        )
        kept = tuple([known[at] for at in rest])
        without = tuple([None if at in places else entry for at, entry in enumerate(known)])
        for sums, inner in together.items():
            totals = dict(zip(names, sums, strict=True))
            ruling = None if then is None else then(totals)
            told: Outputs = totals if ruling is None else {**totals, **ruling.told}
            after, values = self._record_outputs(None if ruling is None else ruling.after, told)
            if not self._carries:
                self._go(found, inner[()], after, values, without)
            elif after is None and values == self._nothing and self._ends:
                ends = {(None, arranged(own + kept)): ways for own, ways in inner.items()}
                found |= (
                    {end: found.get(end, 0) + ways for end, ways in ends.items()} if found else ends
                )
            else:
                for own, ways in inner.items():
                    self._go(found, ways, after, values, arranged(own + kept))

    def _find_inside(self, heads: tuple[str, ...]) -> Inside:
        """What is asked of a part whose outputs begin so."""
        if heads not in self._inside:
            within = [
                (at, path)
                for at, head in enumerate(heads)
                for path in sorted(self._places)
                if _is_in(path, head)
            ]
            places = dict.fromkeys([place for _, path in within for place in self._places[path]])
            rests = tuple([(at, path[len(heads[at]) :]) for at, path in within])
            self._inside[heads] = Inside(tuple([path for _, path in within]), rests, tuple(places))
        return self._inside[heads]

    def _is_asked_elsewhere(
        self, known: Known, inside: Iterable[Inside], parts: IndependentParts[Any]
    ) -> bool:
        """Return whether anything is asked that neither is known nor told by these parts."""
        here = {*parts.totals, *[path for asked in inside for path in asked.paths]}
        rows = zip(self._asked, known, strict=True)
        waiting = [(row, dict(entry or ())) for row, entry in rows if not _is_value(entry)]
        return any(
            path not in here and path not in told for row, told in waiting for path in row.paths
        )

    def _is_asked(self, paths: Iterable[str]) -> bool:
        return not self._places.keys().isdisjoint(paths)


def _is_in(path: str, head: str) -> bool:
    """Return whether an output begins so: `a[1].b` with `a[1]`."""
    return path.startswith(head) and path[len(head) : len(head) + 1] in ("", ".", "[")


def _is_value(entry: Any) -> bool:
    """Return whether a row is decided, see `Known`."""
    return entry is not None and entry.__class__ is not Partly


def _count_decided(found: Ways, ways: int, at: int, entry: Any) -> Any:
    """`_COUNTED` where the row at this place is decided, which then adds to what is `found`;
    else what is known.
    """
    if entry is None or entry is _COUNTED or entry.__class__ is Partly:
        return entry
    end = None, (at, entry)
    found[end] = found.get(end, 0) + ways
    return _COUNTED


def _make_hashable(value: Any) -> Any:
    """A value that can be a key; lists are read by their texts alone."""
    return format_key(value) if value.__class__ in _LISTS else value


def _combine(some: Together, more: Together, adds: Adds, meter: Meter) -> Together:
    """Combine two sets of outcomes: join their values, add up their totals and multiply their
    weights.
    """
    meter.hold(sum(map(len, some.values())) * sum(map(len, more.values())))
    found: Together = {}
    for sums, each in some.items():
        for own, further in more.items():
            totals = (
                tuple([add(one, two) for add, one, two in zip(adds, sums, own, strict=True)])
                if sums
                else own
            )
            product = {
                one + two: ways * times
                for one, ways in each.items()
                for two, times in further.items()
            }
            if totals in found:
                before = found[totals]
                product = before | {
                    values: before.get(values, 0) + ways for values, ways in product.items()
                }
            found[totals] = product
    return found
