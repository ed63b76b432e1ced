"""Parts that are needed together: how they come out, multiplied for each state from which they go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, product
from math import lcm, prod
from typing import Any, NamedTuple

from bot.rules.odds.factors import Joint, Known, Sign, Weighed
from bot.rules.sequence.sequence import Parts


class Factors:
    """The parts of a state of which the outputs are needed: the `places` of these, and how `each` part comes out.

    `reads` gives the bits of their ends, None where nobody needs them, and `then` how it goes on, None where it need
    not. `last` is the place of the last that is needed.
    """

    def __init__(
        self,
        places: Sequence[tuple[int, ...]],
        each: Sequence[Joint],
        reads: Sign | None,
        then: Callable[[int], Any] | None,
        last: int,
    ) -> None:
        self.places, self.each, self.reads, self.then, self.last = tuple(places), each, reads, then, last
        self.over = prod([factor.over for factor in each])
        self.values = tuple([tuple(factor.weights) for factor in each])
        """What each part comes to."""

    def weights(self, weight: int) -> list[int]:
        """The weights of all combinations, that of them all being given."""
        products = [weight]
        for factor in self.each:
            ways = factor.weights.values()
            products = [one * two for one in products for two in ways]
        return products

    def combinations(self, known: Known) -> Iterator[Known]:
        """All combinations in the same order, among what is known already."""
        order = [*chain.from_iterable(self.places)]
        fixed = [at for at in range(len(known)) if at not in order]
        rest = [((known[at],),) for at in fixed]
        order += fixed
        if all(len(places) == 1 for places in self.places):
            flat: Iterable[Known] = product(
                *[[value for (value,) in some] for some in self.values], *[r[0] for r in rest]
            )
        else:
            flat = (tuple(chain.from_iterable(some)) for some in product(*self.values, *rest))
        if order == sorted(order):
            return iter(flat)
        where = [order.index(at) for at in range(len(order))]
        return (tuple([some[at] for at in where]) for some in flat)

    def with_bits(self, known: Known) -> dict[tuple[Known, int], int]:
        """How often which outputs come with which bits."""
        found = {(known, 0): 1}
        for places, factor in zip(self.places, self.each, strict=True):
            further: dict[tuple[Known, int], int] = {}
            for (before, bits), weight in found.items():
                for key, ways in factor.weights.items():
                    values, more = (key, 0) if self.reads is None else key
                    new = list(before)
                    for place, value in zip(places, values, strict=True):
                        new[place] = value
                    both = tuple(new), bits | more
                    further[both] = further.get(both, 0) + weight * ways
            found = further
        return found


class Fork(NamedTuple):
    """Factors behind which nothing follows, what was known before, and how often they come, out of `over`."""

    factors: Factors
    known: Known
    weight: int
    over: int


def multiplied(forks: Sequence[Fork], hold: Callable[[int], None]) -> list[Weighed]:
    """All combinations of what the parts of several states come to; `hold` refuses too many."""
    if not forks:
        return []
    common = lcm(*[fork.over * fork.factors.over for fork in forks])
    alike: dict[Any, tuple[Fork, list[int]]] = {}
    for fork in forks:
        factors, known, weight, over = fork
        hold(prod(map(len, factors.values)))
        weights = factors.weights(weight * (common // (over * factors.over)))
        key = known, factors.places, factors.values
        if key in alike:
            weights = [one + two for one, two in zip(alike[key][1], weights, strict=True)]
        alike[key] = fork, weights
    sums: dict[Known, int] = {}
    for fork, weights in alike.values():
        found = zip(fork.factors.combinations(fork.known), weights, strict=True)
        if not sums:
            sums = dict(found)
            continue
        for known, weight in found:
            sums[known] = sums.get(known, 0) + weight
    return [(common, sums)]


def goes_on(parts: Parts[Any], whole: bool, sign: Sign | None) -> tuple[Sign | None, Callable[[int], Any] | None]:
    """What reads the ends of the parts, and how it goes on; None where their own outputs are the `whole`."""
    if parts.then is None:
        return sign, None
    return (None, None) if whole and sign is None else (parts.sign, parts.then)
