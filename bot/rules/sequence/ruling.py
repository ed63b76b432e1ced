"""One roll of a sequence: the dice it asks for, and the ruling that its function gives once they have fallen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from bot.rules.dice import Die
from bot.rules.text.line import Line

Roll = tuple[int, ...]
Outputs = Mapping[str, Any]
Weighted = tuple[tuple[int, Roll], ...]
"""Rolls, each with how many equally likely ones it stands for."""

_NOTHING: Outputs = MappingProxyType({})


class State(Protocol):
    """What a sequence is in the middle of: frozen, hashable, and naming the step that it owes (None at the end)."""

    @property
    def owes(self) -> str | None:
        """The step that must be rolled for next."""
        ...


S = TypeVar("S", bound=State)


def _silence() -> Iterable[Line]:
    return ()


class Ruling(NamedTuple, Generic[S]):
    """What one roll comes to.

    `after` is the next state, `told` {path: value} for the outputs that this roll decides. `story` gives the lines of
    the answer and is called only in play, so odds never pay for words. `notes` are what a sequence that settles by
    notes takes down.

    >>> class Now(NamedTuple):
    ...     owes: str | None
    >>> def to_hit(now, roll):
    ...     return Ruling(Now(None), {"hit": roll[0] >= 5}, lambda: [Line("to hit", roll, result="needs a 5")])
    >>> ruling = to_hit(Now("to hit"), (6,))
    >>> ruling.after, ruling.told, [line.result for line in ruling.story()]
    (Now(owes=None), {'hit': True}, ['needs a 5'])
    """

    after: S
    told: Outputs = _NOTHING
    story: Callable[[], Iterable[Line]] = _silence
    notes: tuple[Any, ...] = ()


class Step(Protocol[S]):
    """One roll of a sequence, as `Ruled` says it."""

    def rule(self, state: S, roll: Roll, /) -> Ruling[S]:
        """What the roll comes to."""
        ...

    def asks(self, state: S, /) -> tuple[Die, ...]:
        """The dice owed in `state`, in the order in which they are rolled."""
        ...

    def grouped(self, state: S, /) -> Weighted | None:
        """The rolls that `rule` tells apart in `state`, None where it may tell all of them apart."""
        ...


@dataclass(frozen=True, slots=True)
class Ruled(Generic[S]):
    """One roll of a sequence: `rule` takes the state and the roll and gives the ruling.

    `dice` are those asked for, or a function of the state. `groups` makes odds cheap: ((weight, roll), ...), or a
    function of the state that gives it, each roll standing for `weight` equally likely ones that `rule` cannot tell
    apart, neither by the next state nor by what is told.
    """

    dice: tuple[Die, ...] | Callable[[S], tuple[Die, ...]]
    rule: Callable[[S, Roll], Ruling[S]]
    groups: Weighted | Callable[[S], Weighted | None] | None = None

    def asks(self, state: S) -> tuple[Die, ...]:
        """The dice owed in `state`, in the order in which they are rolled."""
        dice = self.dice
        return dice if isinstance(dice, tuple) else dice(state)

    def grouped(self, state: S) -> Weighted | None:
        """The rolls that `rule` tells apart in `state`, None where it may tell all of them apart."""
        return self.groups(state) if callable(self.groups) else self.groups


ruled = Ruled
