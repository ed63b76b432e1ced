"""Men rolled for one after the other, each to the end, on the Combat Resolution Table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from bot.rules.odds.later import Later
from bot.rules.sequence.sequence import End, Part, Parts, Plan, Roll, Ruled, Ruling, Settlement, ruled
from bot.systems.baps.at_once import WholeRolls
from bot.systems.baps.resolution import UNHURT, Hurt, Man, Resolution


class Volley(NamedTuple):
    """Which man (or which step besides) is owed a die, and whether any d20 showed a 1."""

    owes: str | None
    at: int = 0
    hurt: Hurt = UNHURT
    one: bool = False


def _end(_one: bool) -> Volley:
    return Volley(None)


def men_step(
    men: Sequence[Man],
    crt: Resolution,
    *,
    name: str = "man",
    then: Callable[[bool], Volley] = _end,
    whole: WholeRolls | None = None,
) -> Ruled[Volley]:
    """The step called `name` that rolls for each man of `men`, die by die; `then` is the state after the last one.

    `whole` remembers for the odds what all dice of a man come to.
    """

    def rule(now: Volley, roll: Roll) -> Ruling[Volley]:
        (_, at, before, one), (die,) = now, roll
        man = men[at]
        hurt = crt.strike(man, before, die)
        if man.finished(hurt):
            after, told = through(now, hurt), man.told(hurt)
        else:
            after, told = Volley(name, at, hurt, one), {}
        if not before.entry:  # the d6 of a shared entry is not told
            told[f"{man.path}.rolls[{before.rolled}]"] = die
        return Ruling(after, told, lambda: (man.line(before, die, hurt),))

    def through(now: Volley, hurt: Hurt) -> Volley:
        one = now.one or hurt.one
        return Volley(name, now.at + 1, UNHURT, one) if now.at + 1 < len(men) else then(one)

    # What follows is speed; the rules end here.
    counted = WholeRolls(crt) if whole is None else whole

    def comes(now: Volley) -> list[tuple[int, Ruling[Volley]]]:
        man = men[now.at]
        return [(ways, Ruling(through(now, hurt), man.told(hurt))) for ways, hurt in counted.of(man)]

    return ruled(lambda now: crt.owed(men[now.at], now.hurt), rule, comes=comes, exact_only=("rolls",))


def men_apart(
    men: Sequence[Man], crt: Resolution, *, name: str = "man", then: Callable[[bool], Volley] = _end
) -> Callable[[Volley], Parts[Volley] | None]:
    """For odds: each man is a part of its own; afterwards it counts whether a 1 came up."""

    def part(man: Man, whole: WholeRolls) -> Part[Volley]:
        def comes() -> list[End]:
            return [(ways, man.told(hurt), _ended(hurt.one)) for ways, hurt in whole.of(man)]

        def plan() -> Plan[Volley]:
            return Plan(Volley(name), {name: men_step([man], crt, name=name, then=_ended, whole=whole)}, _never)

        key = man.cells, man.before, man.unit.has("suppressed"), man.counts_ones
        return Part((("", man.path),), comes, plan, key, frozenset(man.facts), frozenset({"rolls"}))

    def each() -> Parts[Volley]:
        whole = WholeRolls(crt)
        return Parts([part(man, whole) for man in men], lambda bits: then(bool(bits)), lambda end: int(end.one))

    parts = Later(each)
    return lambda now: parts() if now.owes == name else None


def _ended(one: bool) -> Volley:
    return Volley(None, one=one)


def _never(_out: Any) -> Settlement:
    raise AssertionError("a part is counted, not played")
