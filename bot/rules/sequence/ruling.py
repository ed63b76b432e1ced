"""One roll of a sequence: the dice it asks for, and the ruling that its function gives once they have fallen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """

    after: S
    told: Outputs = _NOTHING
    story: Callable[[], Iterable[Line]] = _silence
    notes: tuple[Any, ...] = ()


class Step(Protocol[S]):
    """One roll of a sequence, as `Ruled` says it."""

    @property
    def dice(self) -> tuple[Die, ...] | Callable[[S], tuple[Die, ...]]:
        """The dice asked for, or a function of the state."""
        ...

    @property
    def groups(self) -> Weighted | Callable[[S], Weighted | None] | None:
        """The rolls that are told apart, or a function of the state."""
        ...

    @property
    def exact_only(self) -> frozenset[str]:
        """The last names of paths that grouping would falsify."""
        ...

    @property
    def comes(self) -> Callable[[S], Sequence[tuple[int, Ruling[S]]]] | None:
        """All that may come of a state, where that is known at once."""
        ...

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
    apart; `exact_only` are the last names of paths that grouping would falsify (`roll`, `total`): when odds are asked
    by one of them every face is counted. `comes` is there instead of `groups` where all that may come of a state is
    known at once: ((ways, ruling), ...).
    """

    dice: tuple[Die, ...] | Callable[[S], tuple[Die, ...]]
    rule: Callable[[S, Roll], Ruling[S]]
    groups: Weighted | Callable[[S], Weighted | None] | None = None
    exact_only: frozenset[str] = frozenset()
    comes: Callable[[S], Sequence[tuple[int, Ruling[S]]]] | None = None

    def asks(self, state: S) -> tuple[Die, ...]:
        """The dice owed in `state`, in the order in which they are rolled."""
        dice = self.dice
        return dice if isinstance(dice, tuple) else dice(state)

    def grouped(self, state: S) -> Weighted | None:
        """The rolls that `rule` tells apart in `state`, None where it may tell all of them apart."""
        return self.groups(state) if callable(self.groups) else self.groups


def ruled(
    dice: tuple[Die, ...] | Callable[[S], tuple[Die, ...]],
    rule: Callable[[S, Roll], Ruling[S]],
    *,
    groups: Weighted | Callable[[S], Weighted | None] | None = None,
    exact_only: Iterable[str] = (),
    comes: Callable[[S], Sequence[tuple[int, Ruling[S]]]] | None = None,
) -> Ruled[S]:
    """The step of a plan that asks for `dice` and is ruled on by `rule`. See `Ruled`."""
    return Ruled(dice, rule, groups, frozenset(exact_only), comes)
