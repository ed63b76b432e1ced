"""Odds of outputs one by one: what is known of them need not go along with the states, so that more of these merge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bot.rules.odds.factors import Marginals, Round, Sign, Weighed, either, over_all, shown
from bot.rules.odds.forks import goes_on
from bot.rules.sequence.apart import Parts, Wanted
from bot.rules.sequence.sequence import Plan

if TYPE_CHECKING:
    from bot.rules.odds.counting import Count


class Apiece:
    """One such count. For a single output without `sign` work stops on a branch as soon as it is known."""

    def __init__(self, count: Count, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None) -> None:
        self._count, self._plan, self._sign = count, plan, sign
        self._single = wanted[0] if len(wanted) == 1 and sign is None else None
        self._paths = frozenset(wanted)
        self._steps = count.steps.of(plan, wanted)
        self._sums = {path: _opened(plan.opening.get(path)) for path in wanted}
        self._wanted = Wanted(() if plan.apart is None else [None if self._sums[path] else path for path in wanted])
        self._closing = self._sums if self._single is not None else {path: list[Weighed]() for path in wanted}
        self._ends: list[Weighed] = []
        self._later: dict[int, list[tuple[str, Weighed]]] = {}
        self._over, self._at = 1, 0

    def counted(self) -> Marginals:
        """How often each value of each output comes, and the bits of the states at the end."""
        live, single = {self._plan.start: 1}, self._single
        if single is not None and self._sums[single]:
            return over_all(self._sums, [])
        while live:
            self._count.meter.take_states(len(live))
            now = self._round(live)
            live = now.after
            if single in now.told and not live and sum(now.told[single].values()) == self._over:
                return Marginals(now.told, {}, self._over)  # this roll decides it, whatever came before
            for path, counts in now.told.items():
                self._sums[path].append((self._over, counts))
            self._add_parts(self._at)
            self._at += 1
            self._close(now.done)
        for at in sorted(self._later):
            self._add_parts(at)
        if single is None:
            for path, rounds in self._closing.items():
                self._sums[path] += rounds
        return over_all(self._sums, self._ends)

    def _round(self, live: Mapping[Any, int]) -> Round:
        """Take one roll or all parts of each state."""
        now, apart, single = Round(), self._plan.apart, self._single
        for state, weight in live.items():
            if state.owes is None:
                now.end(state, weight)
                continue
            if apart is not None and (parts := apart(state)) is not None:
                self._add(now, parts, weight)
                continue
            rule, rolls_of = self._steps[state.owes]
            rolls, count, total = rolls_of(state)
            self._count.meter.take_rolls(count, len(now.after) + len(now.done))
            weight *= now.share(total)
            if single is None:
                now.take(self._paths, state, rolls, rule, weight)
            else:
                now.take_until(single, state, rolls, rule, weight)
        self._over *= now.factor
        return now

    def _add(self, now: Round, parts: Parts[Any], weight: int) -> None:
        """Add what all parts of a state tell, and the states in which it goes on if it needs to."""
        asked = [self._wanted.of(part) for part in parts.each]
        reads, then = goes_on(parts, sum([len(some.places) for some in asked]) == self._wanted.count, self._sign)
        bits, total = {0: 1}, 1
        for at, (part, some) in enumerate(zip(parts.each, asked, strict=True), self._at):
            if some.places or reads is not None:
                found = self._count.marginals_of(part, some, reads)
                over = self._over * found.over
                for path, counts in zip(some.paths, found.sums.values(), strict=True):
                    told = over, {value: weight * ways for value, ways in counts.items()}
                    self._later.setdefault(at, []).append((path, told))
                if reads is not None:
                    bits, total = either(bits, found.ends), total * found.over
        if then is None:
            self._ends.append((self._over * total, {left: weight * ways for left, ways in bits.items()}))
            return
        weight *= now.share(total)
        for left, ways in bits.items():
            new = then(left)
            into = now.done if new.owes is None else now.after
            into[new] = into.get(new, 0) + weight * ways

    def _add_parts(self, at: int) -> None:
        """Add what parts tell when it would be known one roll after the other: so values come in the same order."""
        for path, told in self._later.pop(at, ()):
            self._sums[path].append(told)

    def _close(self, done: Mapping[Any, int]) -> None:
        """Add what is known at the end of a sequence, and the bits of the states there."""
        for state, weight in done.items():
            for path, value in self._plan.closing(state).items():
                if path in self._closing and value is not None:
                    self._closing[path].append((self._over, {shown(value): weight}))
        if self._sign is not None:
            bits: dict[int, int] = {}
            for state, weight in done.items():
                bits[self._sign(state)] = bits.get(self._sign(state), 0) + weight
            self._ends.append((self._over, bits))


def _opened(value: Any) -> list[Weighed]:
    """An output that is known before the first die."""
    return [] if value is None else [(1, {shown(value): 1})]
