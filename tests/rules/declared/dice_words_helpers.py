"""Helpers of tests/rules/declared/test_dice_words.py, which other tests use as well."""

from __future__ import annotations

from random import Random

from bot.rules.dice import Die


class Seeded:
    """Dice of a seed, with their labels."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.drawn: list[int | str] = []

    def draw(self, die: Die) -> int | str:
        self.drawn.append(die.value(self._random.randint(1, die.sides)))
        return self.drawn[-1]
