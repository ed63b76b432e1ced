"""Weights of odds: whole numbers over a common denominator, added up round by round, and multiplied part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import lcm, prod
from typing import Any, NamedTuple

from bot.rules.apart import Owners, Parts

ABSENT = "none"
PLAIN = frozenset({str, int, float})

Known = tuple[Any, ...]
"""The outputs asked for, as far as they are known; None for the others."""
Sign = Callable[[Any], int]
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


class Round:
    """The weights of one round, over `factor` times what the round began with; scaled only when that must grow."""

    __slots__ = ("factor", "kept", "told")

    def __init__(self, *kept: dict[Any, int]) -> None:
        self.kept, self.factor = [*kept], 1
        self.told: dict[str, dict[Any, int]] = {}

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

    def tell(self, paths: Iterable[str], told: Mapping[str, Any], weight: int) -> None:
        """Add what a roll tells of the outputs at `paths`."""
        for path in paths:
            value = told[path]
            if value is None:
                continue
            counts = self.told.get(path)
            if counts is None:
                counts = self.told[path] = {}
                self.kept.append(counts)
            if value.__class__ not in PLAIN:
                value = shown(value)
            counts[value] = counts.get(value, 0) + weight


class Fork:
    """Parts of which the outputs are needed: the places of these, and how they come out; `known` are all others.

    `reads` gives the bits of their ends, None where nobody needs them. They come with a `weight` out of `over`.
    """

    __slots__ = ("factors", "known", "over", "places", "reads", "weight")

    def __init__(self, known: Known, reads: Sign | None) -> None:
        self.known, self.reads = known, reads
        self.places: list[tuple[int, ...]] = []
        self.factors: list[Joint] = []
        self.weight = self.over = 1

    def weighing(self, weight: int, over: int) -> Fork:
        """The same with its weight, out of all that can be."""
        self.weight, self.over = weight, over * prod([factor.over for factor in self.factors])
        return self

    def combined(self) -> tuple[dict[tuple[Known, int], int], int]:
        """How often which outputs come with which bits; out of how many."""
        found = {(self.known, 0): 1}
        for places, factor in zip(self.places, self.factors, strict=True):
            further: dict[tuple[Known, int], int] = {}
            for (known, bits), weight in found.items():
                for key, ways in factor.weights.items():
                    values, more = (key, 0) if self.reads is None else key
                    new = list(known)
                    for place, value in zip(places, values, strict=True):
                        new[place] = value
                    both = tuple(new), bits | more
                    further[both] = further.get(both, 0) + weight * ways
            found = further
        return found, prod([factor.over for factor in self.factors])

    def weights(self, over: int) -> list[int]:
        """The weights of all combinations, out of `over`."""
        products = [self.weight * (over // self.over)]
        for factor in self.factors:
            products = [one * two for one in products for two in factor.weights.values()]
        return products

    def combinations(self) -> Iterator[Known]:
        """All combinations, in the same order."""
        fixed = [at for at, value in enumerate(self.known) if not any(at in places for places in self.places)]
        order = [*chain.from_iterable(self.places), *fixed]
        rest = [((self.known[at],),) for at in fixed]
        values = [factor.weights for factor in self.factors]
        if all(len(places) == 1 for places in self.places):
            flat: Iterable[Known] = product(*[[value for (value,) in some] for some in values], *[r[0] for r in rest])
        else:
            flat = (tuple(chain.from_iterable(some)) for some in product(*values, *rest))
        if order == sorted(order):
            return iter(flat)
        where = [order.index(at) for at in range(len(order))]
        return (tuple([some[at] for at in where]) for some in flat)


def multiplied(forks: Sequence[Fork], hold: Callable[[int], None]) -> list[Weighed]:
    """All combinations of what the parts of several states come to; `hold` refuses too many."""
    if not forks:
        return []
    over = lcm(*[fork.over for fork in forks])
    alike: dict[Any, tuple[Fork, list[int]]] = {}
    for fork in forks:
        size = prod([len(factor.weights) for factor in fork.factors])
        hold(size)
        key = fork.known, tuple(fork.places), tuple([tuple(factor.weights) for factor in fork.factors])
        weights = fork.weights(over)
        if key in alike:
            weights = [one + two for one, two in zip(alike[key][1], weights, strict=True)]
        alike[key] = (fork, weights)
    return [(over, dict(zip(fork.combinations(), weights, strict=True))) for fork, weights in alike.values()]


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
    """All weights over one denominator."""
    least = lcm(*{over for rounds in (*sums.values(), ends) for over, _ in rounds})
    return Marginals({path: merged(rounds, least)[0] for path, rounds in sums.items()}, merged(ends, least)[0], least)


def pays(parts: Parts[Any], wanted: Sequence[str]) -> bool:
    """Whether it pays to count the parts apart where each output is asked by itself: some are alike, or not asked."""
    if len({part.key for part in parts.each}) < len(parts.each):
        return True
    split, _ = Owners(parts.each).split(wanted)
    return len(split) < len(parts.each)


def goes_on(parts: Parts[Any], whole: bool, sign: Sign | None) -> tuple[Sign | None, Callable[[int], Any] | None]:
    """What reads the ends of the parts, and how it goes on; None where their own outputs are the `whole`."""
    if parts.then is None:
        return sign, None
    return (None, None) if whole and sign is None else (parts.sign, parts.then)
