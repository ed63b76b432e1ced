"""A sequence once it is unrolled for given inputs: what is left to be decided by dice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from bot.rules.declared.formulas import FACE, Formula
from bot.rules.dice import Die
from bot.rules.errors import UserError

Values = dict[str, Any]
UNWORKABLE = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""What Python raises where a formula makes no sense of its values, such as a word less 1."""


def unworkable(error: Exception) -> UserError:
    """The error that a player sees."""
    said = " ".join(str(error).split())[:120]
    if isinstance(error, KeyError):
        said = f"nothing has set {said}"
    return UserError(f"The steps of this sequence cannot be worked out: {said}.", code="card-refuses")


class Bound(NamedTuple):
    """A formula in its place: the keys that dice decide, and the function of all values at hand."""

    reads: frozenset[str]
    call: Callable[[Values], Any]


def fixed(value: Any) -> Bound:
    """A value that is known already."""
    return Bound(frozenset(), lambda _: value)


class Peek(str):
    """A read of a roll's faces that needs no more than this of them: what `sees` says of the face at the place `at`,
    or, where there is no place, of how many dice it says what."""

    faces: str
    at: int | None
    sees: Callable[[Any], Any]

    @classmethod
    def of(cls, faces: str, sees: Callable[[Any], Any], name: object, at: int | None = None) -> Peek:
        """One by its own `name`."""
        found = cls(f"{faces} {name} {at}")
        found.faces, found.sees, found.at = faces, sees, at
        return found


NEVER, ALWAYS = fixed(False), fixed(True)


@dataclass(frozen=True)
class Roll:
    """Dice under the keys of their sums. `before` is the state: what is set earlier and read later; `faces` is read."""

    dice: tuple[tuple[str, tuple[Die, ...]], ...]
    before: tuple[str, ...] = ()
    faces: frozenset[str] = frozenset()
    peeks: tuple[Peek, ...] = ()


@dataclass(frozen=True)
class Let:
    """A value under its key."""

    key: str
    value: Bound


@dataclass(frozen=True)
class Tell:
    """An output."""

    path: str
    value: Bound


@dataclass(frozen=True)
class Say:
    """A line of the answer, or a note for its end: only in play, and it never costs a state in the odds."""

    value: Bound
    line: bool


@dataclass(frozen=True)
class If:
    """Two ways to go on."""

    when: Bound
    then: tuple[Node, ...]
    other: tuple[Node, ...]


@dataclass(frozen=True)
class Stop:
    """The sequence ends here."""


Node: TypeAlias = "Roll | Let | Tell | Say | If | Stop"
Nodes = tuple[Node, ...]


def bound(formula: Formula, values: Mapping[str, Any], keys: Mapping[str, str]) -> Bound:
    """The formula with the `values` that are known; `keys` says where a value of each unit's own is kept.

    Of an `and` and an `if` what the inputs decide is decided here, so that it costs no die and no state.
    """
    if formula.kind == "if":
        test = bound(formula.parts[0], values, keys)
        if not test.reads:
            return bound(formula.parts[1 if test.call({}) else 2], values, keys)
    elif formula.kind == "and":
        return _both(formula.parts, values, keys)
    code, reads = formula.code, formula.reads
    loose = [name for name in reads if name not in values]
    if not loose:
        known = [values[name] for name in reads]
        return Bound(frozenset(), lambda _: code(*known))
    found = frozenset(keys.get(name, name) for name in loose)
    keyed = tuple(found)
    if formula.looks:
        found = _looking(found, formula, values, keys)
    if len(reads) == 1:
        (one,) = keyed
        return Bound(found, lambda now: code(now[one]))
    order = [(keys.get(name, name), None) if name not in values else (None, values[name]) for name in reads]
    if len(loose) == len(reads) == 2:
        first, second = (keys.get(name, name) for name in reads)
        return Bound(found, lambda now: code(now[first], now[second]))
    return Bound(found, lambda now: code(*[value if key is None else now[key] for key, value in order]))


def _looking(
    reads: frozenset[str], formula: Formula, values: Mapping[str, Any], keys: Mapping[str, str]
) -> frozenset[str]:
    """What is read, with rolls narrowed to what the formula looks at, where the inputs decide what that is."""
    peeks: dict[str, list[Peek]] = {}
    dim: set[str] = set()
    for look in formula.looks:
        faces = keys.get(look.faces, look.faces)
        inner = bound(look.test or look.at or formula, values, keys)
        if inner.reads - {FACE} or faces not in reads:
            dim.add(faces)
        elif look.at is None:
            peeks.setdefault(faces, []).append(Peek.of(faces, _test(inner), id(inner.call)))
        else:
            peeks.setdefault(faces, []).append(Peek.of(faces, _itself, "", inner.call({})))
    narrowed = peeks.keys() - dim
    return reads - narrowed | {peek for faces in narrowed for peek in peeks[faces]}


def _itself(face: Any) -> Any:
    return face


def _test(inner: Bound) -> Callable[[Any], Any]:
    return lambda face: bool(inner.call({FACE: face}))


def seen(value: Bound) -> frozenset[str]:
    """What is read for `value`: of a roll of which it looks at one die, no more than what it makes of that die."""
    if len(value.reads) != 1:
        return value.reads
    (one,) = value.reads
    if not isinstance(one, Peek) or one.at is None:
        return value.reads
    faces, before = one.faces, (None,) * one.at
    return frozenset((Peek.of(faces, lambda face: value.call({faces: (*before, face)}), id(value.call), one.at),))


def state_keys(live: frozenset[str]) -> tuple[str, ...]:
    """The keys by which a state keeps what is read later."""
    return tuple(sorted({key.faces if isinstance(key, Peek) else key for key in live}))


def _both(parts: tuple[Formula, ...], values: Mapping[str, Any], keys: Mapping[str, str]) -> Bound:
    loose: list[Bound] = []
    for part in parts:
        one = bound(part, values, keys)
        if one.reads:
            loose.append(one)
        elif not loose and not one.call({}):
            return NEVER  # what follows is not looked at: it may make sense only where this holds
        elif loose:
            loose.append(one)
    if len(loose) < 2:
        return loose[0] if loose else ALWAYS
    calls = [one.call for one in loose]
    reads = frozenset[str]().union(*(one.reads for one in loose))
    return Bound(reads, lambda now: all(call(now) for call in calls))
