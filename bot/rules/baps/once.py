"""Sequences of one roll, or of none: what most of the smaller charts ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.rules.dice import Die
from bot.rules.odds import Weighted, group_sums
from bot.rules.sequence import Line, Plan, Roll, Settlement, Step, Told

Settle = Callable[[Told], Settlement]


@dataclass(frozen=True, slots=True)
class Once:
    """Whether the one roll is still owed."""

    owes: str | None = "roll"


def one_roll(
    dice: tuple[Die, ...],
    tells: Callable[[int], Told],
    line: Callable[[Roll, Told], Line],
    settle: Settle,
) -> Plan[Once]:
    """A plan that reads the sum of `dice` once: `tells` gives all its outputs, `line` the story."""

    def sums(_: Once) -> Weighted:
        return group_sums(len(dice), dice[0].sides)

    step: Step[Once] = Step(
        dice,
        lambda _before, _roll: Once(None),
        lambda _before, roll, _after: tells(sum(roll)),
        lambda _before, roll, _after: (line(roll, tells(sum(roll))),),
        groups=sums,
    )
    return Plan(Once(), {"roll": step}, settle)


def no_roll(told: Told, line: Line, settle: Settle) -> Plan[Once]:
    """A plan without a die: everything is known at once."""
    return Plan(Once(None), {}, settle, opening=told, lines=(line,))
