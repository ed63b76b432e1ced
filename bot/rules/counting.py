"""How odds are counted: the states of a plan, round by round, and its parts, each by itself.

Whole numbers over one common denominator, which grows with each round by what all its rolls have in common.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bot.rules.apart import Asked, Owners, Part, Parts
from bot.rules.factors import (
    ABSENT,
    PLAIN,
    Fork,
    Joint,
    Known,
    Marginals,
    Round,
    Sign,
    Weighed,
    either,
    goes_on,
    merged,
    multiplied,
    over_all,
    pays,
    shown,
)
from bot.rules.grouping import TooManyStates, every_roll
from bot.rules.ruling import Step, Weighted
from bot.rules.sequence import Plan

Rolls = Callable[[Any], tuple[Weighted, int]]
Steps = Mapping[str, tuple[Callable[..., Any], Rolls]]
_INDEX = re.compile(r"\[\d+\]")
_NO_NAMES: frozenset[str] = frozenset()

OutOfTime = Callable[[], bool]
"""Asked between states by who has no more time; the rules themselves read no clock."""


@dataclass(slots=True)
class Meter:
    """How much has been counted so far, and how much may be: states, rolls looked at, and whether it is too late."""

    budget: int
    most_rolls: int | None
    out_of_time: OutOfTime | None
    states: int = 0
    rolls: int = 0

    def take_states(self, count: int) -> None:
        """Count the states of one more round. Raises TooManyStates."""
        self.states += count
        if self.states > self.budget:
            raise TooManyStates

    def hold(self, count: int) -> None:
        """Raise TooManyStates where so many combinations are too many."""
        self.take_rolls(0, count)

    def take_rolls(self, count: int, kept: int) -> None:
        """Count the rolls of one more state while `kept` states are held. Raises TooManyStates."""
        self.rolls += count
        if (self.most_rolls is not None and self.rolls > self.most_rolls) or kept > self.budget:
            raise TooManyStates
        if self.out_of_time is not None and self.out_of_time():
            raise TooManyStates


class Count:
    """One count of odds: it remembers what parts that are alike come to."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._alike: dict[Any, Any] = {}
        self._steps: dict[int, tuple[Any, bool, dict[frozenset[str], Steps]]] = {}

    def joint(self, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None = None) -> Joint:
        """How often each combination of the outputs `wanted` comes, with the bits that `sign` reads at the end.

        Without `sign` work stops on a branch as soon as all of them are known.
        """
        plan = plan.focus(wanted) if plan.focus is not None else plan
        positions = {path: at for at, path in enumerate(wanted)}
        steps, apart, meter = self._steps_of(plan, wanted), plan.apart, self.meter
        live = {(plan.start, _known((None,) * len(wanted), plan.opening, positions)): 1}
        over, rounds, forks, ends = 1, list[Weighed](), list[Fork](), list[Weighed]()
        while live:
            meter.take_states(len(live))
            after: dict[Any, int] = {}
            done: dict[Any, int] = {}
            now = Round(after, done)
            for (state, known), weight in live.items():
                if state.owes is None or (sign is None and None not in known):
                    done[state, known] = done.get((state, known), 0) + weight * now.factor
                    continue
                parts = None if apart is None else apart(state)
                if parts is not None:
                    fork, then = self._fork(parts, wanted, known, sign)
                    if then is None and fork.reads is None:
                        forks.append(fork.weighing(weight, over))
                        continue
                    found, total = fork.combined()
                    meter.hold(len(found) + len(after) + len(done))
                    if then is None:
                        ends.append((over * total, {key: weight * ways for key, ways in found.items()}))
                        continue
                    weight *= now.share(total)
                    for (new, bits), ways in found.items():
                        key = then(bits), new
                        after[key] = after.get(key, 0) + weight * ways
                    continue
                rule, rolls_of = steps[state.owes]
                rolls, total = rolls_of(state)
                meter.take_rolls(len(rolls), len(after) + len(done))
                weight *= now.share(total)
                for ways, roll in rolls:
                    new, told, _, _ = rule(state, roll)
                    key = new, known if positions.keys().isdisjoint(told) else _known(known, told, positions)
                    into = done if new.owes is None or (sign is None and None not in key[1]) else after
                    into[key] = into.get(key, 0) + weight * ways
            over *= now.factor
            rounds.append((over, done))
            live = after
        told_at_end = _ended(plan, rounds, positions, sign)
        return Joint(*merged([*told_at_end, *ends, *multiplied(forks, meter.hold)]))

    def _steps_of(self, plan: Plan[Any], wanted: Sequence[str]) -> Steps:
        """Each step's rule, and the rolls that differ in a state, with how many equally likely ones they are in all."""
        kept = self._steps.get(id(plan.steps))
        if kept is None:  # the steps are kept too, so that no others have their identity
            is_exact = any(step.exact_only for step in plan.steps.values())
            kept = self._steps[id(plan.steps)] = plan.steps, is_exact, {}
        _, is_exact, found = kept
        names = frozenset([_INDEX.sub("", path).rsplit(".", 1)[-1] for path in wanted]) if is_exact else _NO_NAMES
        if names not in found:
            found[names] = {
                owes: (step.rule, _rolls_of(step, exact=not step.exact_only.isdisjoint(names)))
                for owes, step in plan.steps.items()
            }
        return found[names]

    def _fork(
        self, parts: Parts[Any], wanted: Sequence[str], known: Known, sign: Sign | None
    ) -> tuple[Fork, Callable[[int], Any] | None]:
        """What is needed of the parts for the outputs that are not known yet, and how it goes on if it needs to."""
        open_ = [None if value is not None else path for path, value in zip(wanted, known, strict=True)]
        split, whole = Owners(parts.each).split(open_)
        reads, then = goes_on(parts, whole, sign)
        fork = Fork(known, reads)
        for at, part in enumerate(parts.each):
            asked = split.get(at, [])
            if not asked and reads is None:
                continue
            names = tuple([(name, rest) for _, name, rest in asked])
            found = self._alike_or(part, names, "joint", reads)
            fork.places.append(tuple([place for place, *_ in asked]))
            fork.factors.append(found)
        return fork, then

    def _alike_or(self, part: Part[Any], names: Asked, kind: str, sign: Sign | None) -> Any:
        """What the part comes to, or one that is alike."""
        known = part.known_by(names)
        key = (kind, sign is None, known)
        found = self._alike.get(key) if known is not None else None
        if found is None:
            paths = tuple([part.paths[name] + rest for name, rest in names])
            plan = part.plan()
            if len(paths) == 1 and sign is None:
                weights, over = self.alone(plan, paths[0])
                one = kind == "joint"
                found = (
                    Joint({(value,): weight for value, weight in weights.items()}, over)
                    if one
                    else Marginals({names[0]: weights}, {}, over)
                )
            elif kind == "joint":
                found = self.joint(plan, paths, sign)
            else:
                sums, ends, over = self.marginals(plan, paths, sign)
                found = Marginals({name: sums[path] for name, path in zip(names, paths, strict=True)}, ends, over)
            if known is not None:
                self._alike[key] = found
        return found

    def alone(self, plan: Plan[Any], path: str) -> tuple[dict[Any, int], int]:
        """How often each value of a single output comes, out of how many; a branch ends as soon as it is known."""
        wanted = (path,)
        plan = plan.focus(wanted) if plan.focus is not None else plan
        if plan.opening.get(path) is not None:
            return {shown(plan.opening[path]): 1}, 1
        steps, apart, meter = self._steps_of(plan, wanted), plan.apart, self.meter
        over, rounds, live = 1, list[Weighed](), {plan.start: 1}
        while live:
            meter.take_states(len(live))
            after: dict[Any, int] = {}
            done: dict[Any, int] = {}
            seen: dict[Any, int] = {}
            now = Round(after, done, seen)
            for state, weight in live.items():
                if state.owes is None:
                    done[state] = done.get(state, 0) + weight * now.factor
                    continue
                parts = None if apart is None else apart(state)
                if parts is not None:
                    found, total, then = self._added(parts, wanted, None, weight, over, {path: rounds})
                    weight *= now.share(total)
                    _go_on(after, then, found, weight)
                    continue
                rule, rolls_of = steps[state.owes]
                rolls, total = rolls_of(state)
                meter.take_rolls(len(rolls), len(after) + len(done))
                weight *= now.share(total)
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
            over *= now.factor
            if not (after or done or rounds):
                return seen, over
            rounds.append((over, seen))
            rounds += [(over, {shown(value): weight}) for value, weight in _closed(plan, path, done)]
            live = after
        weights, total = merged(rounds, over)
        if rest := total - sum(weights.values()):
            weights = {**weights, ABSENT: weights.get(ABSENT, 0) + rest}
        return weights, total

    def marginals(self, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None = None) -> Marginals:
        """How often each value of each output comes, and the bits of the states at the end."""
        plan = plan.focus(wanted) if plan.focus is not None else plan
        asked = frozenset(wanted)
        steps, apart, meter = self._steps_of(plan, wanted), plan.apart, self.meter
        told = {path: plan.opening.get(path) for path in wanted}
        sums = {path: [] if value is None else [(1, {shown(value): 1})] for path, value in told.items()}
        over, ended, ends = 1, list[Weighed](), list[Weighed]()
        live = {plan.start: 1}
        while live:
            meter.take_states(len(live))
            after: dict[Any, int] = {}
            done: dict[Any, int] = {}
            now = Round(after, done)
            for state, weight in live.items():
                if state.owes is None:
                    done[state] = done.get(state, 0) + weight * now.factor
                    continue
                parts = None if apart is None else apart(state)
                if parts is not None and not pays(parts, wanted):
                    parts = apart = None
                if parts is not None:
                    found, total, then = self._added(parts, wanted, sign, weight, over, sums)
                    if then is None:
                        ends.append((over * total, {bits: weight * ways for bits, ways in found.items()}))
                        continue
                    weight *= now.share(total)
                    _go_on(after, then, found, weight)
                    continue
                rule, rolls_of = steps[state.owes]
                rolls, total = rolls_of(state)
                meter.take_rolls(len(rolls), len(after) + len(done))
                weight *= now.share(total)
                for ways, roll in rolls:
                    new, told, _, _ = rule(state, roll)
                    share = weight * ways
                    if not asked.isdisjoint(told):
                        now.tell(asked.intersection(told), told, share)
                    into = done if new.owes is None else after
                    into[new] = into.get(new, 0) + share
            over *= now.factor
            for path, counts in now.told.items():
                sums[path].append((over, counts))
            ended.append((over, done))
            live = after
        self._close(plan, ended, sums, ends, sign)
        return over_all(sums, ends)

    def _added(
        self,
        parts: Parts[Any],
        wanted: tuple[str, ...],
        sign: Sign | None,
        weight: int,
        over: int,
        sums: dict[str, list[Weighed]],
    ) -> tuple[dict[int, int], int, Callable[[int], Any] | None]:
        """What the parts tell, added to `sums`: how often their ends have which bits, out of how many, and how it goes
        on if it needs to."""
        split, whole = Owners(parts.each).split(wanted)
        reads, then = goes_on(parts, whole, sign)
        bits, total = {0: 1}, 1
        for at, part in enumerate(parts.each):
            asked = split.get(at, [])
            if not asked and reads is None:
                continue
            names = tuple([(name, rest) for _, name, rest in asked])
            found: Marginals = self._alike_or(part, names, "marginals", reads)
            for place, name, rest in asked:
                counts = found.sums[name, rest]
                sums[wanted[place]].append(
                    (over * found.over, {value: weight * ways for value, ways in counts.items()})
                )
            if reads is not None:
                bits, total = either(bits, found.ends), total * found.over
        return bits, total, then

    def _close(
        self,
        plan: Plan[Any],
        ended: list[Weighed],
        sums: dict[str, list[Weighed]],
        ends: list[Weighed],
        sign: Sign | None,
    ) -> None:
        """Add what is known at the end of a sequence."""
        for over, states in ended:
            for state, weight in states.items():
                for path, value in plan.closing(state).items():
                    if path in sums and value is not None:
                        sums[path].append((over, {shown(value): weight}))
            if sign is not None:
                bits: dict[int, int] = {}
                for state, weight in states.items():
                    bits[sign(state)] = bits.get(sign(state), 0) + weight
                ends.append((over, bits))


def _go_on(after: dict[Any, int], then: Callable[[int], Any] | None, found: Mapping[int, int], weight: int) -> None:
    """Add the states in which a sequence goes on, if it does."""
    if then is not None:
        for bits, ways in found.items():
            new = then(bits)
            after[new] = after.get(new, 0) + weight * ways


def _ended(
    plan: Plan[Any], rounds: Sequence[Weighed], positions: Mapping[str, int], sign: Sign | None
) -> list[Weighed]:
    """What is known at the end of a sequence, with the bits of its state where these are read."""
    told_at_end: list[Weighed] = []
    for own, done in rounds:
        ended: dict[Any, int] = {}
        for (state, known), weight in done.items():
            if None in known and state.owes is None:
                known = _known(known, plan.closing(state), positions)
            known = tuple([ABSENT if value is None else value for value in known]) if None in known else known
            key = known if sign is None else (known, sign(state))
            ended[key] = ended.get(key, 0) + weight
        told_at_end.append((own, ended))
    return told_at_end


def _closed(plan: Plan[Any], path: str, done: Mapping[Any, int]) -> Iterator[tuple[Any, int]]:
    """What an output is at the end, where it is known no sooner."""
    for state, weight in done.items():
        value = plan.closing(state).get(path)
        if value is not None:
            yield value, weight


def _rolls_of(step: Step[Any], *, exact: bool) -> Rolls:
    groups = None if exact else step.groups
    if groups is not None and not callable(groups):
        always = groups, sum([ways for ways, _ in groups])
        return lambda _: always

    if groups is None and not callable(step.dice):

        @cache
        def every() -> tuple[Weighted, int]:
            found = every_roll(step.asks(None))
            return found, sum([ways for ways, _ in found])

        return lambda _: every()

    def rolls(state: Any) -> tuple[Weighted, int]:
        found = groups(state) if callable(groups) else None
        if found is None:
            found = every_roll(step.asks(state))
        return found, sum([ways for ways, _ in found])

    return rolls


def _known(known: Known, told: Mapping[str, Any], positions: Mapping[str, int]) -> Known:
    """What is known, with what was just told."""
    hits = [(positions[path], value) for path, value in told.items() if path in positions and value is not None]
    if not hits:
        return known
    items = list(known)
    for at, value in hits:
        items[at] = value if value.__class__ in PLAIN else shown(value)
    return tuple(items)
