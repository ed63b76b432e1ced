"""Men rolled for one after the other, each to the end, on the Combat Resolution Table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from bot.rules.dice import Die
from bot.rules.odds import Weighted
from bot.rules.sequence import Line, Outputs, Roll, Step
from bot.systems.baps.resolution import UNHURT, Hurt, Man, Resolution


@dataclass(frozen=True, slots=True)
class Volley:
    """Which man (or which step besides) is owed a die, and whether any d20 showed a 1."""

    owes: str | None
    at: int = 0
    hurt: Hurt = UNHURT
    one: bool = False


def _end(_one: bool) -> Volley:
    return Volley(None)


def men_step(
    men: Sequence[Man], resolution: Resolution, *, name: str = "man", then: Callable[[bool], Volley] = _end
) -> Step[Volley]:
    """The step called `name` that rolls for each man of `men`; `then` is the state after the last of them.

    In play a roll is one die: a d20, or the d6 of a shared entry. In odds a roll is all dice of one man, so that
    that costs one state whatever the passes; asking for `rolls` counts die by die.
    """

    def dice(state: Volley) -> tuple[Die, ...]:
        return resolution.owed(men[state.at], state.hurt)

    @cache
    def struck(at: int, hurt: Hurt, roll: Roll) -> Hurt:
        return resolution.strikes(men[at], hurt, roll)

    def apply(state: Volley, roll: Roll) -> Volley:
        man = men[state.at]
        hurt = struck(state.at, state.hurt, roll)
        if not man.finished(hurt):
            return Volley(name, state.at, hurt, state.one)
        one = state.one or hurt.one
        return Volley(name, state.at + 1, UNHURT, one) if state.at + 1 < len(men) else then(one)

    def outputs(before: Volley, roll: Roll, _after: Volley) -> Outputs:
        man = men[before.at]
        hurt = struck(before.at, before.hurt, roll)
        told = man.told(hurt) if man.finished(hurt) else {}
        if len(roll) == 1 and not before.hurt.entry:
            told[f"{man.path}.rolls[{before.hurt.rolled}]"] = roll[0]
        return told

    def lines(before: Volley, roll: Roll, _after: Volley) -> Iterable[Line]:
        return men_lines(resolution, men[before.at], before.hurt, roll)

    def fates(state: Volley) -> Weighted:
        return resolution.fates(men[state.at])

    return Step(dice, apply, outputs, lines, groups=fates, exact_only=frozenset({"rolls"}))


def men_lines(resolution: Resolution, man: Man, before: Hurt, roll: Roll) -> Iterable[Line]:
    """The line of one die: the man, where it is read where that is their own, and why."""
    after = resolution.strike(man, before, roll[0])
    third = "third wound" if man.dead(after) and resolution.word(man, before, roll[0]) != "killed" else ""
    where = "shared result" if before.entry else man.where
    own = man.name if man.rides else ""
    yield Line(man.name, tuple(roll), result=", ".join(filter(None, (where, third))), unit=own)
