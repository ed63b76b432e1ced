"""Shapes that rolls have on many cards: odds count a step by its sum, or by what a face means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bot.rules.dice import Die
from bot.rules.odds.later import Later
from bot.rules.odds.odds import group_faces, group_sums
from bot.rules.sequence.sequence import Roll, Ruled, Ruling, S


def by_sum(dice: tuple[Die, ...], rule: Callable[[S, Roll], Ruling[S]]) -> Ruled[S]:
    """A step of alike dice of which `rule` reads no more than the sum, but for the story: odds count by sums."""
    return Ruled(dice, rule, group_sums(len(dice), dice[0].sides))


def by_face(
    die: Die, kind: Callable[[int], Any], rule: Callable[[S, Roll], Ruling[S]], exact_only: Iterable[str] = ()
) -> Ruled[S]:
    """A step of one die of which `rule` reads no more than what `kind` makes of its face: odds count by that.

    Not so the story, nor the outputs whose last names are in `exact_only`.
    """
    groups = Later(lambda: group_faces(die.sides, kind))
    return Ruled((die,), rule, lambda _: groups(), frozenset(exact_only))
