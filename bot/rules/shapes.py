"""Shapes that rolls have on many cards: a step by its sum, sequences of one roll, and of none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import Die
from bot.rules.odds import group_faces, group_sums
from bot.rules.sequence import Line, Outputs, Plan, Roll, Ruled, Ruling, S, Settlement

Settle = Callable[[Mapping[str, Any]], Settlement]


@dataclass(frozen=True, slots=True)
class Once:
    """Whether the one roll is still owed."""

    owes: str | None = "roll"


def by_sum(dice: tuple[Die, ...], rule: Callable[[S, Roll], Ruling[S]]) -> Ruled[S]:
    """A step of alike dice of which `rule` reads no more than the sum, but for the story: odds count by sums."""
    return Ruled(dice, rule, group_sums(len(dice), dice[0].sides))


def by_face(
    die: Die, kind: Callable[[int], Any], rule: Callable[[S, Roll], Ruling[S]], exact_only: Iterable[str] = ()
) -> Ruled[S]:
    """A step of one die of which `rule` reads no more than what `kind` makes of its face: odds count by that.

    Not so the story, nor the outputs whose last names are in `exact_only`.
    """
    return Ruled((die,), rule, group_faces(die.sides, kind), frozenset(exact_only))


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

    def rule(_: Once, roll: Roll) -> Ruling[Once]:
        told = outputs(sum(roll))
        return Ruling(Once(None), told, lambda: (line(roll, told),))

    return Plan(Once(), {"roll": by_sum(dice, rule)}, settle, opening=opening, lines=tuple(lines))


def no_roll(told: Outputs, lines: Iterable[Line], settle: Settle) -> Plan[Once]:
    """A plan without a die: everything is known at once."""
    return Plan(Once(None), {}, settle, opening=told, lines=tuple(lines))
