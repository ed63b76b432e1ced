"""How odds are counted: the states of a plan, round by round, and its parts, each by itself.

Whole numbers over one common denominator, which grows with each round by what all its rolls have in common.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from bot.rules.odds.factors import (
    ABSENT,
    PLAIN,
    Joint,
    Known,
    Marginals,
    Round,
    Sign,
    Weighed,
    either,
    joint_of,
    marginals_of,
    merged,
    over_all,
    shown,
)
from bot.rules.odds.forks import Factors, Fork, goes_on, multiplied
from bot.rules.odds.meter import Meter
from bot.rules.odds.rolling import StepsCounted
from bot.rules.sequence.sequence import Asked, End, Part, Parts, Plan, Wanted


class Count:
    """One count of odds: it remembers what parts that are alike come to."""

    def __init__(self, meter: Meter) -> None:
        self.meter, self.steps = meter, StepsCounted()
        self._joints: dict[Hashable, Joint] = {}
        self._marginals: dict[Hashable, Marginals] = {}

    def joint(self, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None = None) -> Joint:
        """How often each combination of the outputs `wanted` comes, with the bits that `sign` reads at the end."""
        if len(wanted) == 1 and sign is None:
            alone = self.marginals(plan, wanted)
            return Joint({(value,): weight for value, weight in alone.sums[wanted[0]].items()}, alone.over)
        plan = plan.focus(wanted) if plan.focus is not None else plan
        return _Together(self, plan, wanted, sign).counted()

    def joint_of(self, part: Part[Any], asked: Asked, sign: Sign | None) -> Joint:
        """The same for what is asked of a part, or of one that is alike."""
        key = part.known_by(asked, sign)
        found = self._joints.get(key)
        if found is None:
            ends = self._ends(part, asked)
            found = (
                joint_of(ends, asked.paths, sign) if ends is not None else self.joint(part.go_on(), asked.paths, sign)
            )
            if key is not None:
                self._joints[key] = found
        return found

    def marginals(self, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None = None) -> Marginals:
        """How often each value of each output comes, and the bits of the states at the end."""
        plan = plan.focus(wanted) if plan.focus is not None else plan
        return _Apiece(self, plan, wanted, sign).counted()

    def marginals_of(self, part: Part[Any], asked: Asked, sign: Sign | None) -> Marginals:
        """The same for what is asked of a part, or of one that is alike, in the order in which it is asked."""
        key = part.known_by(asked, sign)
        found = self._marginals.get(key)
        if found is None:
            ends = self._ends(part, asked)
            found = (
                marginals_of(ends, asked.paths, sign)
                if ends is not None
                else self.marginals(part.go_on(), asked.paths, sign)
            )
            if key is not None:
                self._marginals[key] = found
        return found

    def _ends(self, part: Part[Any], asked: Asked) -> Sequence[End] | None:
        """All that may come of a part; None where its plan must be counted for what is asked."""
        if part.comes is None or (part.plan is not None and not asked.words.isdisjoint(part.exact_only)):
            return None
        found = part.comes()
        self.meter.take_rolls(len(found), 0)
        return found


class _Apiece:
    """Odds of outputs one by one: what is known of them need not go along with the states, so that more of these merge.

    For a single output without `sign` work stops on a branch as soon as it is known.
    """

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


class _Together:
    """Odds of several outputs together: what is known of them goes along with each state.

    Without `sign` work stops on a branch as soon as all of them are known.
    """

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
