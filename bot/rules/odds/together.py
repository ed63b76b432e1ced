"""Odds of several outputs together: what is known of them goes along with each state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bot.rules.odds.factors import ABSENT, PLAIN, Joint, Known, Round, Sign, Weighed, merged, shown
from bot.rules.odds.forks import Factors, Fork, goes_on, multiplied
from bot.rules.sequence.apart import Parts, Wanted
from bot.rules.sequence.sequence import Plan

if TYPE_CHECKING:
    from bot.rules.odds.counting import Count


class Together:
    """One such count. Without `sign` work stops on a branch as soon as all of them are known."""

    def __init__(self, count: Count, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None) -> None:
        self._count, self._plan, self._wanted, self._sign = count, plan, wanted, sign
        self._places = {path: place for place, path in enumerate(wanted)}
        self._steps = count.steps.of(plan, wanted)
        self._open: dict[tuple[bool, ...], Wanted] = {}
        self._found: list[Weighed] = []
        self._forks: dict[int, list[Fork]] = {}
        self._ends: dict[int, list[Weighed]] = {}
        self._goes_on: dict[int, list[Weighed]] = {}
        self._over, self._at = 1, 0

    def counted(self) -> Joint:
        """How often each combination comes, with the bits that `sign` reads at the end."""
        known = self._known((None,) * len(self._wanted), self._plan.opening)
        live: dict[tuple[Any, Known], int] = {(self._plan.start, known): 1}
        while live or self._goes_on or self._ends or self._forks:
            live = self._round(live)
        return Joint(*merged(self._found))

    def _round(self, live: dict[tuple[Any, Known], int]) -> dict[tuple[Any, Known], int]:
        """Take one roll or all parts of each state. Returns the states that go on.

        What comes of parts is held back until as many rounds have gone by as they have rolls, so that all combinations
        come in the same order as one roll after the other.
        """
        live, self._over = merged([(self._over, live), *self._goes_on.pop(self._at, ())], self._over)
        self._count.meter.take_states(len(live))
        now, same = Round(), dict[Any, Factors | None]()
        for (state, known), weight in live.items():
            if self._is_over(state, known):
                now.end((state, known), weight)
                continue
            factors = None if self._plan.apart is None else self._factors(state, known, same)
            if factors is None:
                self._roll(now, state, known, weight)
            elif factors.then is None and factors.reads is None:
                fork = Fork(factors, _absent(known), weight, self._over)
                self._forks.setdefault(self._at + factors.last, []).append(fork)
            else:
                self._go_on(factors, known, weight)
        self._over *= now.factor
        self._found += [(self._over, self._ended(now.done)), *self._ends.pop(self._at, ())]
        self._found += multiplied(self._forks.pop(self._at, ()), self._count.meter.hold)
        self._at += 1
        return now.after

    def _is_over(self, state: Any, known: Known) -> bool:
        return state.owes is None or (self._sign is None and None not in known)

    def _roll(self, now: Round, state: Any, known: Known, weight: int) -> None:
        """Add what each roll of a state comes to."""
        after, done, places, sign = now.after, now.done, self._places, self._sign
        rule, rolls_of = self._steps[state.owes]
        rolls, count, total = rolls_of(state)
        self._count.meter.take_rolls(count, len(after) + len(done))
        weight *= now.share(total)
        for ways, roll in rolls:
            new, told, _, _ = rule(state, roll)
            both = new, known if places.keys().isdisjoint(told) else self._known(known, told)
            into = done if new.owes is None or (sign is None and None not in both[1]) else after
            into[both] = into.get(both, 0) + weight * ways

    def _go_on(self, factors: Factors, known: Known, weight: int) -> None:
        """Add what all parts of a state come to, where that does not end it."""
        then, over, last = factors.then, self._over * factors.over, self._at + factors.last
        found = factors.with_bits(known if then is not None else _absent(known))
        self._count.meter.hold(len(found))
        if then is None:
            self._ends.setdefault(last, []).append((over, {both: weight * ways for both, ways in found.items()}))
            return
        done, after = dict[tuple[Any, Known], int](), dict[tuple[Any, Known], int]()
        for (new, bits), ways in found.items():
            both = then(bits), new
            into = done if self._is_over(*both) else after
            into[both] = into.get(both, 0) + weight * ways
        self._ends.setdefault(last, []).append((over, self._ended(done)))
        self._goes_on.setdefault(last + 1, []).append((over, after))

    def _factors(self, state: Any, known: Known, same: dict[Any, Factors | None]) -> Factors | None:
        """What is needed of the parts of a state for the outputs that are not known yet; None where it has none."""
        key = state, tuple([value is None for value in known])
        if key not in same:
            assert self._plan.apart is not None
            parts = self._plan.apart(state)
            same[key] = None if parts is None else self._needed(parts, key[1])
        return same[key]

    def _needed(self, parts: Parts[Any], unknown: tuple[bool, ...]) -> Factors:
        if unknown not in self._open:
            paths = zip(self._wanted, unknown, strict=True)
            self._open[unknown] = Wanted([path if is_open else None for path, is_open in paths])
        wanted = self._open[unknown]
        asked = [wanted.of(part) for part in parts.each]
        reads, then = goes_on(parts, sum([len(some.places) for some in asked]) == wanted.count, self._sign)
        needed = [at for at, some in enumerate(asked) if some.places or reads is not None]
        each = [self._count.joint_of(parts.each[at], asked[at], reads) for at in needed]
        return Factors([asked[at].places for at in needed], each, reads, then, needed[-1] if needed else 0)

    def _ended(self, done: Mapping[tuple[Any, Known], int]) -> dict[Any, int]:
        """What is known at the end of a sequence, with the bits of its state where these are read."""
        ended: dict[Any, int] = {}
        for (state, known), weight in done.items():
            if None in known and state.owes is None:
                known = self._known(known, self._plan.closing(state))
            known = _absent(known)
            key = known if self._sign is None else (known, self._sign(state))
            ended[key] = ended.get(key, 0) + weight
        return ended

    def _known(self, known: Known, told: Mapping[str, Any]) -> Known:
        """What is known, with what was just told."""
        places = self._places
        hits = [(places[path], value) for path, value in told.items() if path in places and value is not None]
        if not hits:
            return known
        items = list(known)
        for at, value in hits:
            items[at] = value if value.__class__ in PLAIN else shown(value)
        return tuple(items)


def _absent(known: Known) -> Known:
    """What is known at the end: what nothing told is absent."""
    return tuple([ABSENT if value is None else value for value in known]) if None in known else known
