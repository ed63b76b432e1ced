"""Helpers of tests/rules/test_odds.py, which benchmarks use as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from bot.rules.dice import Die
from bot.rules.sequence.sequence import (
    Roll,
    Ruling,
    Weighted,
)


class Grouped(NamedTuple):
    """A step whose rolls are grouped for odds, as those of declared sequences are."""

    dice: tuple[Die, ...]
    rule: Callable[[Any, Roll], Ruling[Any]]
    groups: Callable[[Any], Weighted]

    def list_dice(self, _: Any) -> tuple[Die, ...]:
        return self.dice

    def group_rolls(self, state: Any) -> Weighted:
        return self.groups(state)
