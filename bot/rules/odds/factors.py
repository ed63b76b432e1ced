"""Weights of odds: whole numbers over a common denominator, added up round by round, and multiplied part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import lcm
from typing import Any, NamedTuple

from bot.rules.sequence.sequence import End

ABSENT = "none"
PLAIN = frozenset({str, int, float})

Known = tuple[Any, ...]
"""The outputs asked for, as far as they are known; None for the others."""
Sign = Callable[[Any], int]
Rolls = Iterable[tuple[int, Any]]
"""Rolls, or what they come to where that is known at once, each in how many ways."""
Rule = Callable[[Any, Any], tuple[Any, Mapping[str, Any], Any, Any]]
Weighed = tuple[int, dict[Any, int]]
"""How often each comes, behind out of how many."""


def shown(value: Any) -> Any:
    """A value as a key of the odds: tokens, numbers, true/false, `none` for nothing; a list by its texts."""
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " ".join(str(shown(item)) for item in value) or ABSENT
    return value


class Joint(NamedTuple):
    """How often each combination comes, with the bits of the state at the end where these are read; out of `over`."""

    weights: dict[Any, int]
    over: int


class Marginals(NamedTuple):
    """How often each value of each output comes, and the bits of the states at the end; out of `over`."""

    sums: dict[Any, dict[Any, int]]
    ends: dict[int, int]
    over: int


def joint_of(ends: Iterable[End], paths: tuple[str, ...], sign: Sign | None) -> Joint:
    """How often the outputs at `paths` come out together, and with the bits that `sign` reads."""
    found: dict[Any, int] = {}
    over = 0
    if len(paths) == 1 and sign is None:
        counts, over = _counted(ends, paths[0])
        return Joint({(value,): ways for value, ways in counts.items()}, over)
    for ways, told, after in ends:
        values = tuple([_value(told.get(path)) for path in paths])
        key = values if sign is None else (values, sign(after))
        found[key] = found.get(key, 0) + ways
        over += ways
    return Joint(found, over)


def marginals_of(ends: Sequence[End], paths: tuple[str, ...], sign: Sign | None) -> Marginals:
    """How often each value of each output at `paths` comes, and the bits that `sign` reads."""
    sums: dict[str, dict[Any, int]] = {}
    for path in paths:
        sums[path], _ = _counted(ends, path)
    bits: dict[int, int] = {}
    for ways, _, after in ends:
        left = 0 if sign is None else sign(after)
        bits[left] = bits.get(left, 0) + ways
    return Marginals(sums, bits, sum(bits.values()))


def _counted(ends: Iterable[End], path: str) -> tuple[dict[Any, int], int]:
    """How often each value of an output comes, and out of how many."""
    counts: dict[Any, int] = {}
    over = 0
    for ways, told, _ in ends:
        value = told.get(path)
        if value.__class__ not in PLAIN:
            value = shown(value)
        counts[value] = counts.get(value, 0) + ways
        over += ways
    return counts, over


def _value(value: Any) -> Any:
    return value if value.__class__ in PLAIN else shown(value)


class Round:
    """The weights of one round, over `factor` times what the round began with; scaled only when that must grow.

    `after` are the states that go on and `done` those at their end, `told` the values of each output that came up.
    """

    __slots__ = ("after", "done", "factor", "kept", "told")

    def __init__(self) -> None:
        self.after: dict[Any, int] = {}
        self.done: dict[Any, int] = {}
        self.told: dict[str, dict[Any, int]] = {}
        self.kept, self.factor = [self.after, self.done], 1

    def share(self, total: int) -> int:
        """What one of `total` equally likely rolls weighs."""
        if self.factor % total:
            common = lcm(self.factor, total)
            scale = common // self.factor
            for counts in self.kept:
                for key in counts:
                    counts[key] *= scale
            self.factor = common
        return self.factor // total

    def end(self, state: Any, weight: int) -> None:
        """Add a state that was at its end before this round."""
        self.done[state] = self.done.get(state, 0) + weight * self.factor

    def take(self, paths: frozenset[str], state: Any, rolls: Rolls, rule: Rule, weight: int) -> None:
        """Add what all rolls of a state come to, and what they tell of the outputs at `paths`."""
        after, done = self.after, self.done
        for ways, roll in rolls:
            new, told, _, _ = rule(state, roll)
            share = weight * ways
            if not paths.isdisjoint(told):
                self._tell(paths.intersection(told), told, share)
            into = done if new.owes is None else after
            into[new] = into.get(new, 0) + share

    def take_until(self, path: str, state: Any, rolls: Rolls, rule: Rule, weight: int) -> None:
        """The same for a single output: a branch ends as soon as that is known."""
        after, done, seen = self.after, self.done, self._counts(path)
        for ways, roll in rolls:
            new, told, _, _ = rule(state, roll)
            value = told.get(path)
            if value is None:
                into = done if new.owes is None else after
                into[new] = into.get(new, 0) + weight * ways
                continue
            if value.__class__ not in PLAIN:
                value = shown(value)
            seen[value] = seen.get(value, 0) + weight * ways

    def _counts(self, path: str) -> dict[Any, int]:
        counts = self.told.get(path)
        if counts is None:
            counts = self.told[path] = {}
            self.kept.append(counts)
        return counts

    def _tell(self, paths: Iterable[str], told: Mapping[str, Any], weight: int) -> None:
        for path in paths:
            value = told[path]
            if value is None:
                continue
            counts = self._counts(path)
            if value.__class__ not in PLAIN:
                value = shown(value)
            counts[value] = counts.get(value, 0) + weight


def either(ones: Mapping[int, int], others: Mapping[int, int]) -> dict[int, int]:
    """The bits of two ends together."""
    found: dict[int, int] = {}
    for one, weight in ones.items():
        for other, more in others.items():
            found[one | other] = found.get(one | other, 0) + weight * more
    return found


def merged(rounds: Sequence[Weighed], least: int = 1) -> tuple[dict[Any, int], int]:
    """The weights of several rounds over one denominator, a multiple of `least`."""
    filled = [(over, counts) for over, counts in rounds if counts]
    over = lcm(least, *[over for over, _ in filled])
    if len(filled) == 1 and filled[0][0] == over:
        return filled[0][1], over
    sums: dict[Any, int] = {}
    for own, counts in filled:
        scale = over // own
        for key, weight in counts.items():
            sums[key] = sums.get(key, 0) + weight * scale
    return sums, over


def over_all(sums: Mapping[str, list[Weighed]], ends: list[Weighed]) -> Marginals:
    """All weights over one denominator; an output that is not told is absent."""
    least = lcm(*{over for rounds in (*sums.values(), ends) for over, counts in rounds if counts})
    found = {path: _completed(merged(rounds, least)[0], least) for path, rounds in sums.items()}
    return Marginals(found, merged(ends, least)[0], least)


def _completed(weights: dict[Any, int], over: int) -> dict[Any, int]:
    rest = over - sum(weights.values())
    return {**weights, ABSENT: weights.get(ABSENT, 0) + rest} if rest else weights
