"""Luck as a page tells it: what results were worth against what the odds promised, and the shots to tell of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Protocol

from bot.game.state import Json
from bot.game.stats import ENOUGH, SAME, unusual

RARE = Fraction(1, 4)
"""The likeliest that a shot may be and still be told of."""
MOST_SHOTS = 3


class Rolled(Protocol):
    """A row of the log as luck reads it."""

    number: int
    luck: Json
    head: str
    what: str
    undone: bool
    hand: bool


@dataclass(frozen=True, slots=True)
class Point:
    """How it was after one roll: worth so far, what was to be expected, its standard deviation."""

    number: int
    worth: float
    mean: float
    deviation: float
    text: str

    @property
    def ahead(self) -> float:
        """Worth less expectation."""
        return self.worth - self.mean


@dataclass(frozen=True, slots=True)
class Luck:
    """All rolls of a side that count."""

    points: tuple[Point, ...]

    @property
    def sentence(self) -> str:
        """How unusual it was, in plain words; nothing is said about luck below 30 rolls."""
        if not self.points:
            return "no rolls to count."
        end, count = self.points[-1], len(self.points)
        rolls = f"{count} {'roll' if count == 1 else 'rolls'}"
        told = f"results worth {end.worth:g} against {end.mean:.1f} expected, in {rolls}"
        if count < ENOUGH or end.deviation <= 0:
            return f"{told}: too few to speak of luck."
        word, of = unusual(end.ahead / end.deviation)
        return (
            f"{told}. {word.capitalize()} than {of} of 100 such games."
            if word
            else f"{told}: about what the odds promise."
        )


@dataclass(frozen=True, slots=True)
class Shot:
    """A roll worth telling, with the exact chance of so much or more, or of so little or less."""

    row: Rolled
    chance: Fraction

    @property
    def odds(self) -> str:
        """`1 in 36`, or in percent when that is likelier than 1 in 4."""
        value = float(self.chance)
        return f"1 in {1 / value:.0f}" if 0 < value <= RARE else f"{value:.0%}"


def luck_of(rows: Iterable[Rolled], whose: str) -> Luck:
    """The luck of a side; dice by hand and what was taken back do not count."""
    points: list[Point] = []
    worth = mean = variance = 0.0
    for row in rows:
        luck = row.luck
        if luck and luck["side"] == whose and not row.undone and not row.hand:
            worth, mean, variance = worth + luck["got"], mean + luck["mean"], variance + luck["var"]
            points.append(Point(row.number, worth, mean, sqrt(variance), row.head))
    return Luck(tuple(points))


def shots(rows: Iterable[Rolled]) -> tuple[list[Shot], list[Shot]]:
    """The least likely successes and the least likely failures, the rarest first."""
    best, worst = [], []
    for row in rows:
        luck = row.luck
        if not luck or "least" not in luck or row.undone or row.hand or luck["var"] <= 0:
            continue
        if luck["got"] > luck["mean"] + SAME:
            best.append(Shot(row, Fraction(luck["least"])))
        elif luck["got"] < luck["mean"] - SAME:
            worst.append(Shot(row, Fraction(luck["most"])))
    return _rarest(best), _rarest(worst)


def _rarest(found: list[Shot]) -> list[Shot]:
    return sorted((shot for shot in found if shot.chance <= RARE), key=lambda shot: shot.chance)[:MOST_SHOTS]
