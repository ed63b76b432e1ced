"""Steps for given inputs: lists gone through, blocks in their places, and all that inputs decide worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from bot.rules.declared.calls import NONE, said
from bot.rules.declared.formulas import FACES, Formula
from bot.rules.declared.load import Each, Parsed, Refusal
from bot.rules.declared.nodes import (
    ALWAYS,
    NEVER,
    Bound,
    If,
    Let,
    Node,
    Nodes,
    Roll,
    Say,
    Stop,
    Tell,
    Values,
    bound,
    fixed,
)
from bot.rules.declared.settling import Note, pieced
from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import UserError
from bot.rules.inputs.units import MAX_UNITS
from bot.rules.sequence import Line, Row, row_of

MOST_NODES, MOST_ROLLS, MOST_DICE = 20_000, 10_000, 200


@dataclass
class Known:
    """What is known of the names: the `values` that inputs decide; the others are `loose`, decided by dice.

    `depth` says within how many undecided `when` a key was first set: what is set further out is kept in the state when
    it is set again. `keys` maps the values that each item has of its own to where they are kept.
    """

    values: Values
    depth: dict[str, int] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    ended: bool = False
    """Whether the sequence has stopped, whatever the dice."""

    def copy(self) -> Known:
        """The same, to be changed on one of two ways."""
        return Known(dict(self.values), dict(self.depth), dict(self.keys), set(self.loose))


class Unroller:
    """Goes through the steps of one sequence once. `lists` are its list outputs, `rows` the units that odds show."""

    def __init__(self, lists: Iterable[str]) -> None:
        self.lists = frozenset(lists)
        self.rows: list[Row] = []
        self._count = 0

    def nodes(self, steps: list[Parsed], values: Values) -> Nodes:
        """What the steps come to. Raises UserError for what they refuse."""
        return tuple(self._run(steps, Known(values), "", 0))

    def _run(self, steps: list[Parsed], known: Known, path: str, deep: int) -> Iterator[Node]:
        for step in steps:
            if known.ended:
                return
            yield from self._step(step, known, path, deep)

    def _step(self, step: Parsed, known: Known, path: str, deep: int) -> Iterator[Node]:
        if step.each is not None:
            yield from self._each(step, step.each, known, path, deep)
            return
        when = ALWAYS if step.when is None else _bind(step.when, known)
        if when.reads:
            yield from self._fork(step, when, known, path, deep)
        elif when.call({}):
            yield from self._body(step, known, path, deep)
        else:
            yield from self._run(step.other, known, path, deep)

    def _fork(self, step: Parsed, when: Bound, known: Known, path: str, deep: int) -> Iterator[Node]:
        one, two = known.copy(), known.copy()
        then = tuple(self._body(step, one, path, deep + 1))
        other = tuple(self._run(step.other, two, path, deep + 1))
        yield from _joined(when, (then, other), (one, two), known)
        known.ended = one.ended and two.ended

    def _each(self, step: Parsed, each: Each, known: Known, path: str, deep: int) -> Iterator[Node]:
        items = _now(each.items, known)
        if not isinstance(items, list | tuple):
            items = ()
        if len(items) > MAX_UNITS:
            raise UserError(f"A list has at most {MAX_UNITS} items here.", code="card-refuses")
        bare, listed = replace(step, each=None), each.into in self.lists
        only = None if each.only is None else _bind(each.only, known)
        branches: list[tuple[int, Nodes, Known]] = []
        for at, item in enumerate(items):
            if known.ended:
                return
            if only is not None and not only.reads and only.call({}) != at:
                continue
            place = f"{path}{each.into}[{0 if only is not None else at}]." if listed else path
            forks = only is not None and bool(only.reads)
            inner = known.copy() if forks else known
            nodes = self._item(bare, each, item, at, inner, place, deep + forks)
            if forks:
                branches.append((at, tuple(nodes), inner))
            else:
                yield from nodes
        rest: Nodes = ()
        for at, way, inner in reversed(branches):
            assert only is not None
            rest = tuple(_joined(_is_at(only, at), (way, rest), (inner,), known))
        yield from rest

    def _item(self, step: Parsed, each: Each, item: Any, at: int, known: Known, path: str, deep: int) -> Iterator[Node]:
        """The step for one item; what it sets on the item is kept for the next `each` of the same list."""
        values, start = known.values, f"{each.items.source}[{at}]."
        kept = {f"{each.key}.{mine}": start + mine for mine in each.own}
        known.keys |= kept
        held = {key: values.get(key, ...) for key in (each.key, each.at)}
        values |= {each.key: item, each.at: at}
        for key, below in kept.items():
            values.pop(key, None)
            if below in values:
                values[key] = values[below]
        if each.row is not None and path:
            self._row(each.row, each.at, known, path)
        yield from self._step(step, known, path, deep)
        for key, below in kept.items():
            if key in values:
                values[below] = values.pop(key)
            else:
                values.pop(below, None)
        for key, value in held.items():
            values.pop(key, None)
            if value is not ...:
                values[key] = value

    def _row(self, row: tuple[Formula, str, Formula | None], at: str, known: Known, path: str) -> None:
        name, by, alike = row
        found = row_of(f"{path}{by}".removesuffix("."), said(_now(name, known)))
        if alike is None:
            self.rows.append(found)
        elif known.values[at] == 0:  # the first stands for all
            self.rows.append(replace(found, alike=_now(alike, known)))

    def _body(self, step: Parsed, known: Known, path: str, deep: int) -> Iterator[Node]:
        self._count += 1 + len(step.values) + len(step.tells) + len(step.lines) + len(step.notes)
        if self._count > MOST_NODES:
            hint = "List fewer units."
            raise UserError("This is too much for one sequence.", hint=hint, code="too-large")
        if step.refuse is not None:
            _refuse(step.refuse, known)
        if step.rolls:
            yield self._roll(step, known, deep)
        for key, formula in step.values:
            yield from self._let(key, formula, known, deep)
        for key, label, value, fresh in step.adds:
            yield from self._add(key, label, value, fresh, known, deep)
        yield from self._told(step, known, path, deep)
        for key, formula in step.lets:
            yield from self._let(key, formula, known, deep)
        yield from self._run(step.inner, known, path, deep)
        for key, formula in step.gives:
            yield from self._let(key, formula, known, deep)
        stop = NEVER if step.stop is None else _bind(step.stop, known)
        if stop.reads:
            yield If(stop, (Stop(),), ())
        elif stop.call({}):
            known.ended = True
            yield Stop()

    def _told(self, step: Parsed, known: Known, path: str, deep: int) -> Iterator[Node]:
        for told in step.tells:
            value_ = _bind(told.value, known)
            yield Tell(told.path(path), _or_null(value_) if told.null else value_)
            if told.key:
                yield from self._let(told.key, told.value, known, deep)
        for line in step.lines:
            yield Say(_line(line, known), True)
        for kind, ready in step.notes:
            yield Say(_note(kind, ready, known), False)

    def _roll(self, step: Parsed, known: Known, deep: int) -> Roll:
        rolled = []
        for key, count, sides, label in step.rolls:
            some, faces, name = (said(_now(formula, known)) for formula in (count, sides, label))
            many = _whole(some, 0, MOST_DICE)
            die = Die(name, 6, AVERAGING) if faces == "A" else Die(name, _whole(faces, 1, MOST_ROLLS))
            rolled.append((key, (die,) * many))
            for gone in (key, key + FACES):
                known.values.pop(gone, None)
                known.loose.add(gone)
            known.depth.setdefault(key, deep)
        if prod(max(len(dice) * max((die.sides for die in dice), default=1), 1) for _, dice in rolled) > MOST_ROLLS:
            raise UserError("These are too many dice at once.", code="too-large")
        return Roll(tuple(rolled))

    def _let(self, key: str, formula: Formula, known: Known, deep: int) -> Iterator[Node]:
        yield from self._set(key, _bind(formula, known), known, deep)

    def _set(self, name: str, value: Bound, known: Known, deep: int) -> Iterator[Node]:
        key = known.keys.get(name, name)
        outer = known.depth.setdefault(key, deep) < deep
        if value.reads or outer:
            yield Let(key, value)
        if value.reads:
            known.values.pop(name, None)
            known.loose.add(name)
        else:
            known.values[name] = value.call({})
            known.loose.discard(name)

    def _add(self, key: str, label: Formula, value: Formula, fresh: bool, known: Known, deep: int) -> Iterator[Node]:
        word, number = _bind(label, known), _bind(value, known)
        here = known.keys.get(key, key)
        before = fixed(()) if fresh else fixed(known.values[key]) if key not in known.loose else None

        def added(now: Values) -> tuple[Any, ...]:
            so_far: tuple[Any, ...] = now[here] if before is None else before.call(now)
            more = number.call(now)
            return (*so_far, (word.call(now), more)) if more else so_far

        reads = word.reads | number.reads | (frozenset((here,)) if before is None else frozenset())
        yield from self._set(key, Bound(reads, added), known, deep)


def _or_null(value: Bound) -> Bound:
    call = value.call
    return Bound(value.reads, lambda now: None if (found := call(now)) == NONE else found)


def _whole(written: str, least: int, most: int) -> int:
    if not written.lstrip("-").isdecimal() or int(written) < least:
        raise UserError(f"{written[:20]} cannot be the number of dice or sides.", code="bad-value")
    if int(written) > most:
        raise UserError("These are too many dice at once.", code="too-large")
    return int(written)


def _bind(formula: Formula, known: Known) -> Bound:
    return bound(formula, known.values, known.keys)


def _now(formula: Formula, known: Known) -> Any:
    """The value of a formula that inputs alone must decide."""
    found = _bind(formula, known)
    if found.reads:
        raise UserError("A roll cannot decide this part of a sequence.", hint=formula.source, code="card-refuses")
    return found.call({})


def _joined(when: Bound, ways: tuple[Nodes, Nodes], ends: tuple[Known, ...], known: Known) -> Iterator[Node]:
    """The fork; a value that one of its ways has changed is from here on decided by dice."""
    for name, value in list(known.values.items()):
        if any(end.values.get(name, ...) is not value for end in ends):
            yield Let(known.keys.get(name, name), fixed(known.values.pop(name)))
            known.loose.add(name)
    for end in ends:
        known.loose |= end.loose - known.values.keys()
    yield If(when, ways[0], ways[1])


def _is_at(only: Bound, at: int) -> Bound:
    return Bound(only.reads, lambda now: bool(only.call(now) == at))


def _refuse(refusal: Refusal, known: Known) -> None:
    hint = pieced([str(_now(piece, known)) for piece in refusal.hint])
    raise UserError(
        str(_now(refusal.say, known)),
        hint=hint,
        option=str(_now(refusal.option, known)) or None,
        code=refusal.code,
    )


Maker = Callable[[Values], Any]


def _bound_all(ready: Any, known: Known, reads: set[str]) -> Maker:
    """A function that fills in all formulas of what was read, and the keys that they read."""
    if isinstance(ready, Formula):
        one = _bind(ready, known)
        reads |= one.reads
        return one.call
    if isinstance(ready, Mapping):
        inner = {key: _bound_all(value, known, reads) for key, value in ready.items()}
        return lambda now: {key: call(now) for key, call in inner.items()}
    if isinstance(ready, list | tuple):
        items = [_bound_all(value, known, reads) for value in ready]
        return lambda now: [call(now) for call in items]
    return lambda _: ready


def _note(kind: str, ready: Mapping[str, Any], known: Known) -> Bound:
    if "when" in ready:
        when = _bind(ready["when"], known)
        if not when.reads and not when.call({}):
            return fixed(Note(kind, {"when": False}))
        reads = set(when.reads)
        rest = _bound_all({key: value for key, value in ready.items() if key != "when"}, known, reads)
        return Bound(frozenset(reads), lambda now: Note(kind, rest(now) if when.call(now) else {"when": False}))
    reads = set()
    make = _bound_all(ready, known, reads)
    return Bound(frozenset(reads), lambda now: Note(kind, make(now)))


def _line(ready: Mapping[str, Any], known: Known) -> Bound:
    when = ALWAYS if ready["when"] is None else _bind(ready["when"], known)
    reads = set(when.reads)
    if not when.reads and not when.call({}):
        return fixed(None)
    make = _bound_all({key: value for key, value in ready.items() if key != "when"}, known, reads)

    def line(now: Values) -> Line | None:
        if not when.call(now):
            return None
        says = make(now)
        dice = tuple(face for faces in says["dice"] for face in faces)
        parts, contributors = (_counted(says[key]) for key in ("parts", "contributors"))
        total = None if says["total"] in (None, NONE) else says["total"]
        return Line(says["label"], dice, parts, total, says["result"], contributors, says["unit"])

    return Bound(frozenset(reads), line)


def _counted(named: Iterable[tuple[str | None, Any]]) -> tuple[tuple[str, Any], ...]:
    """Named parts in a row, those of 0 left out."""
    counted: list[tuple[str, Any]] = []
    for word, value in named:
        if word is None:
            counted += value
        elif value:
            counted.append((word, value))
    return tuple(counted)
