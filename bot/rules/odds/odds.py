"""Exact odds of a sequence: the same plan that is played, driven by every roll. No simulation, no
rounding.

One walk goes through the states of a plan. Each different state is visited once, no matter how many
ways lead to it, so the cost grows with the number of different situations, not of dice. Independent
parts are counted separately and multiplied. Weights are whole numbers over a common denominator;
Fractions are made at the end.
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
"""Called between states: returns whether the time is up. The rules themselves read no clock."""


def compute_joint_odds(
    plan: Plan[S],
    by: Sequence[str],
    rows: Mapping[str, OddsRow] | None = None,
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    out_of_time: OutOfTime | None = None,
) -> Distribution:
    """Compute the chances of each combination of the outputs `by`, as {(value, ...): Fraction}.

    The chances sum to 1. A name in `rows` stands for that row. A value is `none` if its item is
    absent. Work on a branch stops as soon as all of `by` are known. Raises TooManyStates beyond
    `budget` states or `rolls` rolls, and when `out_of_time` returns true.

    >>> from bot.rules.dice import d6
    >>> from bot.rules.sequence.sequence import Ruling, ruled
    >>> class Shot(NamedTuple):
    ...     next_step: str | None
    >>> shot = ruled((d6("to hit"),), lambda _, roll: Ruling(Shot(None), {"hit": roll[0] >= 5}))
    >>> compute_joint_odds(Plan(Shot("shot"), {"shot": shot}, print), ["hit"])
    {('false',): Fraction(2, 3), ('true',): Fraction(1, 3)}
    """
    weights = OddsCount(Meter(budget, rolls, out_of_time)).count_together(
        plan, _list_rows(by, rows)
    )
    if {str}.issuperset(map(type, chain.from_iterable(weights.each))):
        # nearly always, and there may be many
        return _compute_fractions(weights.each, weights.over)
    return _compute_fractions(
        _sum_weights(
            (tuple(map(format_key, values)), weight) for values, weight in weights.each.items()
        ),
        weights.over,
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
    """Compute the distribution of each output of `paths` by itself, in one walk; each sums to 1.

    As every path is set at most once, the walk need not remember the values. Arguments and errors
    are those of `compute_joint_odds`.
    """
    names = tuple(dict.fromkeys(paths))
    each, over = OddsCount(Meter(budget, rolls, out_of_time)).count_one_by_one(
        plan, _list_rows(names, rows)
    )
    sums = (
        _sum_weights((format_key(value), weight) for value, weight in values.items())
        for values in each
    )
    return {
        path: _compute_fractions(weight, over) for path, weight in zip(names, sums, strict=True)
    }


def format_key(value: Any) -> Any:
    """Return the key of a value in a distribution.

    A text or number is its own key. A bool is `true` or `false`, None and an empty list are `none`,
    and another list has the keys of its items, separated by spaces.
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
    """Return the row of each path: that of `rows`, or one of the single output."""
    rows_by_name = rows or {}
    return tuple([rows_by_name.get(path) or build_row(path) for path in paths])


def _sum_weights(weights: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    """Return {value: weight}, with the weights of equal values added up."""
    sums: dict[Any, int] = {}
    for value, weight in weights:
        sums[value] = sums.get(value, 0) + weight
    return sums


def _compute_fractions(weights: Mapping[Any, int], over: int) -> Distribution:
    """Return weights as chances. Equal weights share one Fraction."""
    chances = {weight: Fraction(weight, over) for weight in {*weights.values()}}
    return {value: chances[weight] for value, weight in weights.items()}


@dataclass(slots=True)
class Meter:
    """The work done by one calculation and its limits: states, rolls and time."""

    budget: int = STATE_BUDGET
    most_rolls: int | None = None
    out_of_time: OutOfTime | None = None
    states: int = 0
    rolls: int = 0

    def take(self, rolls: int) -> None:
        """Count one more state with its rolls. Raises TooManyStates beyond a limit."""
        self.states += 1
        self.rolls += rolls
        if self.most_rolls is not None and self.rolls > self.most_rolls:
            raise TooManyStates
        self.hold(self.states)

    def hold(self, count: int) -> None:
        """Raise TooManyStates if `count` is above the budget or the time is up."""
        if count > self.budget or (self.out_of_time is not None and self.out_of_time()):
            raise TooManyStates


Known = tuple[Any, ...]
"""An entry for each requested row: its value, `Partly` if more outputs are needed to decide it, or
None if nothing is known yet.
"""
Node = tuple[Any, Any]
"""(state, known entries), or (None, result) at an end: the result is the tuple of all values, or
(place of a row, value) if rows are counted one by one.
"""
Ways = dict[Node, int]
"""The weight of each next node."""
Together = dict[Known, dict[Known, int]]
"""The weights of outcomes by totals and values of rows: {totals: {values: weight}}."""
Adds = tuple[Callable[[Any, Any], Any], ...]
"""For each total the function that adds two shares."""
_COUNTED = object()
"""The entry of a row whose value has been counted already."""
_LISTS: frozenset[type] = frozenset((list, tuple))


class Partly(tuple[tuple[str, Any], ...]):
    """The outputs of a row that is not decided yet, as (path, value)."""


class Weights(NamedTuple):
    """The weight of each combination of values, out of the total weight `over`.

    If rows are counted one by one, the keys are (place of the row, value).
    """

    each: dict[Any, int]
    over: int


class Exits(NamedTuple):
    """The ways on from a node, out of the weight `total`.

    `onward` are (number of the next node, weight). `ways` are all ways if some of them are ends,
    else empty.
    """

    total: int
    onward: list[tuple[int, int]]
    ways: Ways


class OddsCount:
    """One calculation of odds: its meter, and the cached results of identical parts."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._parts: dict[Hashable, Weights] = {}
        self._shares: dict[Hashable, tuple[Together, int]] = {}

    def count_together(self, plan: Plan[Any], rows: Sequence[OddsRow]) -> Weights:
        """Return the weight of each combination of values of the rows."""
        return _Walk(self, plan, rows, carries=True).count()

    def count_one_by_one(
        self, plan: Plan[Any], rows: Sequence[OddsRow]
    ) -> tuple[list[dict[Any, int]], int]:
        """Return for each row the weight of each value, and the total weight."""
        if len(rows) == 1:  # then work on a branch stops as soon as the row is decided
            alone = self.count_together(plan, rows)
            return [{value: weight for (value,), weight in alone.each.items()}], alone.over
        weights = _Walk(self, plan, rows, carries=False).count()
        weights_by_row: list[dict[Any, int]] = [{} for _ in rows]
        for (place, value), weight in weights.each.items():
            weights_by_row[place][value] = weight
        for values in weights_by_row:
            undecided = weights.over - sum(values.values())
            if undecided:
                values[None] = values.get(None, 0) + undecided
        return weights_by_row, weights.over

    def count_part(
        self, part: IndependentPart[Any], inside: Inside, names: tuple[str, ...]
    ) -> Weights:
        """Return the weight of each combination of a part's requested outputs and its shares of the
        totals `names`. Identical parts are counted once.
        """
        key = (part.key, inside.within, names)
        if part.key is None or key not in self._parts:
            rows = tuple(map(build_row, (*inside.paths, *names)))
            self._parts[key] = self.count_together(part.build_plan(), rows)
        return self._parts[key]

    def count_shares(
        self, parts: Sequence[IndependentPart[Any]], names: tuple[str, ...], adds: Adds
    ) -> tuple[Together, int]:
        """Count the outcomes of independent parts together, by their totals.

        Return for each combination of the totals `names` its weight, and the weight of all. `adds`
        are the functions that add up the totals. The result for identical parts is cached.
        """
        key = tuple([part.key for part in parts]), names, adds
        if None in key[0] or key not in self._shares:
            together: Together = {(): {(): 1}}
            total = 1
            for part in parts:
                weights = self.count_part(part, Inside((), (), ()), names)
                part_outcomes: Together = {
                    sums: {(): weight} for sums, weight in weights.each.items()
                }
                together = _combine(together, part_outcomes, adds, self.meter)
                total *= weights.over
            self._shares[key] = together, total
        return self._shares[key]


class Inside(NamedTuple):
    """The requested outputs of one part.

    `paths` are their paths, `within` the same as (index of the part's head, rest of the path), and
    `places` the places of the rows that read them.
    """

    paths: tuple[str, ...]
    within: tuple[tuple[int, str], ...]
    places: tuple[int, ...]


class _Walk:
    """One walk over the states of a plan.

    With `carries`, nodes remember the values of the rows: the walk counts combinations of them and
    ends a branch when all are known. Without, each row is counted by itself as soon as it is
    decided, and nodes remember only the outputs of undecided rows.
    """

    def __init__(
        self, count: OddsCount, plan: Plan[Any], rows: Sequence[OddsRow], *, carries: bool
    ) -> None:
        self._places: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            for path in row.paths:
                self._places.setdefault(path, []).append(place)
        self._count = count
        self._rows = rows
        self._carries = carries
        self._paths = tuple(self._places)
        self._nothing = (None,) * len(self._paths)
        self._plan = plan if plan.narrow is None else plan.narrow(self._paths)
        self._list = self._plan.list_output if self._plan.list_output in self._places else None
        single = len(rows) == len(self._paths) == sum([len(row.paths) for row in rows])
        self._waits = self._list is not None or not single
        self._stops_early = carries and not self._waits
        self._inside: dict[tuple[str, ...], Inside] = {}

    def count(self) -> Weights:
        """Return the weight of each result.

        Explore all nodes, then divide the weight of the start among the ends.
        """
        exits_by_number, over = self._explore()
        return _distribute(exits_by_number, over)

    def _explore(self) -> tuple[dict[int, Exits], dict[int, int]]:
        """Return the exits of each node that can be reached, and the common denominator of all
        that follows it; both by the node's number, -1 for the start.

        The denominators are ordered: each node comes after the nodes that it leads to.
        """
        known = tuple(
            [
                Partly([(self._list, ())]) if row.paths[0] == self._list else None
                for row in self._rows
            ]
        )
        start: Ways = {}
        after, values = self._record_outputs(self._plan.start, self._plan.opening)
        self._go(start, 1, after, values, known)
        numbers: dict[Node, int] = {}  # from here nodes go by number: a large state hashes slowly
        exits_by_number: dict[int, Exits] = {}
        over: dict[int, int] = {}
        stack: list[tuple[int, Node]] = []

        def number_exits(total: int, ways: Ways) -> Exits:
            """Return the exits by number, and put unexplored nodes on the stack."""
            onward = []
            for node, weight in ways.items():
                if node[0] is None:
                    continue
                number = numbers.setdefault(node, len(numbers))
                onward.append((number, weight))
                if number not in exits_by_number:
                    stack.append((number, node))
            has_ends = len(onward) < len(ways)
            return Exits(total, onward, ways if has_ends else {})

        exits_by_number[-1] = number_exits(1, start)
        while stack:
            number, node = stack[-1]
            if number not in exits_by_number:
                exits_by_number[number] = number_exits(*self._look(*node))
                continue
            stack.pop()
            if number not in over:
                total, onward, _ = exits_by_number[number]
                over[number] = total * lcm(*{over[target] for target, _ in onward})
        over[-1] = lcm(*{over[target] for target, _ in exits_by_number[-1].onward})
        return exits_by_number, over

    def _look(self, state: Any, known: Known) -> tuple[int, Ways]:
        """Return the total weight of a state and the ways on from it, by its parts or its rolls."""
        plan = self._plan
        meter = self._count.meter
        parts = None if plan.find_independent_parts is None else plan.find_independent_parts(state)
        if parts is not None:
            meter.take(0)
            return self._multiply(known, parts)
        step = plan.steps[state.next_step]
        rolls = step.group_rolls(state) or list_all_rolls(step.list_dice(state))
        meter.take(len(rolls))
        merged: Ways = {}
        for weight, roll in rolls:
            after, outputs, _, _ = step.rule(state, roll)
            outcome: tuple[Any, Known] = (after, self._nothing)
            if outputs or after.next_step is None:
                outcome = self._record_outputs(after, outputs)
            merged[outcome] = merged.get(outcome, 0) + weight
        total = sum(merged.values())
        if self._stops_early and known == self._nothing:
            return total, merged
        ways_on: Ways = {}
        for (after, values), weight in merged.items():
            self._go(ways_on, weight, after, values, known)
        return total, ways_on

    def _record_outputs(self, after: Any, outputs: Outputs) -> tuple[Any, Known]:
        """Return the state (None at the end) and the value of each path, None if it is not set."""
        values = tuple(map(outputs.get, self._paths))
        if self._stops_early and None not in values:
            after = None
        elif after is not None and after.next_step is None:
            closing = self._plan.closing(after)
            if closing:
                outputs = {**closing, **outputs}
                values = tuple(map(outputs.get, self._paths))
            after = None
        if not _LISTS.isdisjoint(map(type, values)):
            values = tuple(map(_make_hashable, values))
        name = self._list
        if name is not None:  # its items are set one by one
            item_head = f"{name}["
            items = tuple([outputs[path] for path in outputs if path.startswith(item_head)]) or None
            pairs = zip(self._paths, values, strict=True)
            values = tuple([items if path == name else value for path, value in pairs])
        return after, values

    def _go(self, ways_on: Ways, weight: int, after: Any, values: Known, known: Known) -> None:
        """Add one way to `ways_on`: to the state `after` (None at the end), with the new `values`
        of outputs added to what is `known`.
        """
        if values != self._nothing:
            if self._waits:
                entries = self._compute_entries(known, self._paths, values)
                if not self._carries:
                    for place, entry in entries.items():
                        entries[place] = _count_decided(ways_on, weight, place, entry)
                known = tuple([entries.get(place, entry) for place, entry in enumerate(known)])
            elif not self._carries:
                for place, value in enumerate(values):
                    _count_decided(ways_on, weight, place, value)
            elif known == self._nothing:
                known = values
            else:
                known = _fill_unknown(known, values)
        if after is None and self._waits:
            known = self._close_rows(known)
        if self._carries:
            is_decided = None not in known and Partly not in map(type, known)
            node = None if is_decided else after, known
            ways_on[node] = ways_on.get(node, 0) + weight
        elif after is not None:
            ways_on[after, known] = ways_on.get((after, known), 0) + weight
        elif self._waits:
            for place, value in enumerate(known):
                _count_decided(ways_on, weight, place, value)

    def _compute_entries(self, known: Known, paths: Iterable[str], values: Known) -> dict[int, Any]:
        """Return the new entries of undecided rows that read one of these outputs, by place."""
        hits = {path: value for path, value in zip(paths, values, strict=True) if value is not None}
        entries: dict[int, Any] = {}
        for path in hits:
            for place in self._places[path]:
                if place not in entries and not _is_value(known[place]):
                    entries[place] = self._compute_entry(place, known[place], hits)
        return entries

    def _compute_entry(self, place: int, entry: Any, hits: dict[str, Any]) -> Any:
        """Return the new entry of a row, from its old entry and the new outputs `hits`."""
        row = self._rows[place]
        outputs = {**dict(entry), **hits} if entry else hits
        if row.paths[0] == self._list:
            return Partly([(self._list, (*entry[0][1], *hits[self._list]))])
        value = row.read(outputs)
        if value is not None or len(row.paths) == 1:
            return _make_hashable(value)
        return Partly([(path, outputs[path]) for path in row.paths if path in outputs])

    def _close_rows(self, known: Known) -> Known:
        """Return the entries at the end of the sequence, where undecided rows are read as None."""
        rows = zip(self._rows, known, strict=True)
        return tuple(
            [
                _make_hashable(row.read(dict(entry))) if entry.__class__ is Partly else entry
                for row, entry in rows
            ]
        )

    # -- parts -----------------------------------------------------------------------------------------------

    def _multiply(self, known: Known, parts: IndependentParts[Any]) -> tuple[int, Ways]:
        """Return the total weight of a state with independent parts, and the ways on after them."""
        inside = [self._find_inside(part.prefixes) for part in parts.parts]
        go_on = None
        if parts.rule_on_totals is not None and self._is_asked_elsewhere(known, inside, parts):
            go_on = parts.go_on
        names = self._list_needed_totals(parts, goes_on=go_on is not None)
        adds = tuple([parts.totals[name] for name in names])
        parts_inside = [*zip(parts.parts, inside, strict=True)]
        unasked = [part for part, within_part in parts_inside if names and not within_part.paths]
        together, total = self._count.count_shares(unasked, names, adds)
        counted = [
            (part, within_part, self._count.count_part(part, within_part, names))
            for part, within_part in parts_inside
            if within_part.paths
        ]
        total *= prod([weights.over for _, _, weights in counted])
        ways_on: Ways = {}
        for part, within_part, weights in counted:
            times = total // weights.over
            part_outcomes = self._sort_part(ways_on, known, part, within_part, weights, times)
            together = _combine(together, part_outcomes, adds, self._count.meter)
        places = [place for within_part in inside for place in within_part.places]
        self._add_after_parts(ways_on, known, places, names, go_on, together)
        return total, ways_on

    def _list_needed_totals(self, parts: IndependentParts[Any], goes_on: bool) -> tuple[str, ...]:
        """Return the totals that the odds ask for or that the ruling after the parts reads."""
        needed = set(self._places)
        if goes_on:
            for name, dependents in parts.reads.items():
                if not dependents or self._is_asked(dependents):
                    needed.add(name)
        return tuple([name for name in parts.totals if name in needed])

    def _sort_part(
        self,
        ways_on: Ways,
        known: Known,
        part: IndependentPart[Any],
        within_part: Inside,
        weights: Weights,
        times: int,
    ) -> Together:
        """Return the outcomes of one part by its shares of totals, with the values of its rows.

        Without `carries`, decided values are counted into `ways_on` instead, `times` as often.
        """
        outcomes: Together = {}
        paths = within_part.paths
        places = within_part.places
        entries_before = [known[place] for place in places]
        has_known_entries = entries_before.count(None) < len(entries_before)
        sure = part.known_outputs if not part.known_outputs.keys().isdisjoint(paths) else None
        for part_values, weight in weights.each.items():
            values = part_values[: len(paths)]
            sums = part_values[len(paths) :]
            if sure:
                pairs = zip(paths, values, strict=True)
                values = tuple([sure.get(path, value) for path, value in pairs])
            if self._waits:
                entries = self._compute_entries(known, paths, values)
                values = tuple([entries.get(place, known[place]) for place in places])
            elif has_known_entries:
                values = _fill_unknown(entries_before, values)
            if not self._carries:
                for place, value in zip(places, values, strict=True):
                    _count_decided(ways_on, weight * times, place, value)
                values = ()
            inner = outcomes.setdefault(sums, {})
            inner[values] = inner.get(values, 0) + weight
        return outcomes

    def _add_after_parts(
        self,
        ways_on: Ways,
        known: Known,
        places: Sequence[int],
        names: tuple[str, ...],
        go_on: Callable[[Mapping[str, Any]], Ruling[Any]] | None,
        together: Together,
    ) -> None:
        """Add the ways on after all parts to `ways_on`.

        `together` are the outcomes of all parts: the totals `names` with the values of the rows at
        `places`. `go_on` returns the ruling after the parts; without it the sequence ends.
        """
        indices = range(len(known))
        other_places = [place for place in indices if place not in places]
        arrange = _build_arrangement((*places, *other_places))
        other_entries = tuple([known[place] for place in other_places])
        undecided = tuple([None if place in places else known[place] for place in indices])
        for sums, weights in together.items():
            outputs: Outputs = dict(zip(names, sums, strict=True))
            state = None
            if go_on is not None:
                ruling = go_on(outputs)
                state = ruling.next_state
                outputs = {**outputs, **ruling.outputs}
            after, values = self._record_outputs(state, outputs)
            if not self._carries:
                self._go(ways_on, weights[()], after, values, undecided)
            elif after is None and values == self._nothing and self._stops_early:
                final = {(None, arrange(row + other_entries)): n for row, n in weights.items()}
                if ways_on:
                    final = {node: ways_on.get(node, 0) + weight for node, weight in final.items()}
                ways_on |= final
            else:
                for row_values, weight in weights.items():
                    self._go(ways_on, weight, after, values, arrange(row_values + other_entries))

    def _find_inside(self, heads: tuple[str, ...]) -> Inside:
        """Return the requested outputs that begin with one of a part's `prefixes`."""
        if heads not in self._inside:
            within = [
                (index, path)
                for index, head in enumerate(heads)
                for path in sorted(self._places)
                if _is_in(path, head)
            ]
            places = dict.fromkeys([place for _, path in within for place in self._places[path]])
            rests = tuple([(index, path[len(heads[index]) :]) for index, path in within])
            self._inside[heads] = Inside(tuple([path for _, path in within]), rests, tuple(places))
        return self._inside[heads]

    def _is_asked_elsewhere(
        self, known: Known, inside: Iterable[Inside], parts: IndependentParts[Any]
    ) -> bool:
        """Return whether an undecided row needs an output that these parts do not set."""
        told_by_parts = {*parts.totals, *[path for part in inside for path in part.paths]}
        rows = zip(self._rows, known, strict=True)
        waiting = [(row, dict(entry or ())) for row, entry in rows if not _is_value(entry)]
        for row, row_outputs in waiting:
            for path in row.paths:
                if path not in told_by_parts and path not in row_outputs:
                    return True
        return False

    def _is_asked(self, paths: Iterable[str]) -> bool:
        return not self._places.keys().isdisjoint(paths)


def _distribute(exits_by_number: dict[int, Exits], over: dict[int, int]) -> Weights:
    """Return the weight of each end of the walk, out of the denominator of its start.

    `exits_by_number` and `over` come from `_Walk._explore`: the ways on from each node, and the
    denominator of all that follows it, by its number (-1 for the start). Each node comes after
    those that it leads to.
    """
    reached = dict.fromkeys(over, 0)
    reached[-1] = over[-1]
    weights = dict[Any, int]()
    for number in reversed(over):
        total, onward, ways = exits_by_number[number]
        share = reached[number] // total
        for target, weight in onward:
            reached[target] += share * weight
        weights |= {
            values: weights.get(values, 0) + share * weight
            for (state, values), weight in ways.items()
            if state is None
        }
    return Weights(weights, over[-1])


def _is_in(path: str, head: str) -> bool:
    """Return whether a path is `head` or is below it: `a[1].b` below `a[1]`."""
    return path.startswith(head) and path[len(head) : len(head) + 1] in ("", ".", "[")


def _is_value(entry: Any) -> bool:
    """Return whether a row is decided, see `Known`."""
    return entry is not None and entry.__class__ is not Partly


def _count_decided(ways_on: Ways, weight: int, place: int, entry: Any) -> Any:
    """Add the value of a decided row to `ways_on` and return `_COUNTED`; return other entries as
    they are.
    """
    if entry is None or entry is _COUNTED or entry.__class__ is Partly:
        return entry
    node = None, (place, entry)
    ways_on[node] = ways_on.get(node, 0) + weight
    return _COUNTED


def _make_hashable(value: Any) -> Any:
    """Return a value that can be a key: a list becomes its text."""
    return format_key(value) if value.__class__ in _LISTS else value


def _build_arrangement(places: tuple[int, ...]) -> Callable[[Known], Known]:
    """Return a function that puts entries, which are in the order of their `places`, into the order
    of rows: the entry of place 0 first.
    """
    order = [places.index(place) for place in range(len(places))]
    if order == [*range(len(places))]:
        return tuple
    return itemgetter(*order)


def _fill_unknown(entries: Sequence[Any], values: Sequence[Any]) -> Known:
    """Return the entries, with values in the place of those that are None."""
    return tuple(
        [value if entry is None else entry for entry, value in zip(entries, values, strict=True)]
    )


def _combine(first: Together, second: Together, adds: Adds, meter: Meter) -> Together:
    """Combine two sets of outcomes: join their values, add up their totals and multiply their
    weights.

    Raises TooManyStates if there would be more combinations than the budget of `meter`, or if its
    time is up. The combinations are not counted in the meter.
    """
    meter.hold(sum(map(len, first.values())) * sum(map(len, second.values())))
    combined: Together = {}
    for first_sums, first_weights in first.items():
        for second_sums, second_weights in second.items():
            totals = second_sums
            if first_sums:
                shares = zip(adds, first_sums, second_sums, strict=True)
                totals = tuple([add(share, second_share) for add, share, second_share in shares])
            product = {
                values + second_values: weight * times
                for values, weight in first_weights.items()
                for second_values, times in second_weights.items()
            }
            if totals in combined:
                earlier = combined[totals]
                product = earlier | {
                    values: earlier.get(values, 0) + weight for values, weight in product.items()
                }
            combined[totals] = product
    return combined
