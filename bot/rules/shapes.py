"""Sequences of one roll, or of none: what a smaller chart asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import Die
from bot.rules.odds import Weighted, group_sums
from bot.rules.sequence import Line, Outputs, Plan, Roll, Settlement, Step

Settle = Callable[[Mapping[str, Any]], Settlement]


@dataclass(frozen=True, slots=True)
class Once:
    """Whether the one roll is still owed."""

    owes: str | None = "roll"


def one_roll(
    dice: tuple[Die, ...],
    outputs: Callable[[int], Outputs],
    line: Callable[[Roll, Outputs], Line],
    settle: Settle,
    *,
    opening: Outputs,
    lines: Iterable[Line] = (),
) -> Plan[Once]:
    """A plan that reads the sum of `dice` once: `outputs` gives what the sum decides, `line` the story of the roll.

    `opening` are the outputs known before, `lines` their story.
    """

    def sums(_: Once) -> Weighted:
        return group_sums(len(dice), dice[0].sides)

    step: Step[Once] = Step(
        dice,
        lambda _before, _roll: Once(None),
        lambda _before, roll, _after: outputs(sum(roll)),
        lambda _before, roll, _after: (line(roll, outputs(sum(roll))),),
        groups=sums,
    )
    return Plan(Once(), {"roll": step}, settle, opening=opening, lines=tuple(lines))


def no_roll(told: Outputs, lines: Iterable[Line], settle: Settle) -> Plan[Once]:
    """A plan without a die: everything is known at once."""
    return Plan(Once(None), {}, settle, opening=told, lines=tuple(lines))
