"""The balance of a scenario: who wins it, as played and corrected for luck.

The correction is a logistic regression of the win of a side on the difference of luck. Its
intercept is the chance of that side when both are equally lucky.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.ladder.result import Result

GAMES_WITH_LUCK = 10
"""Games with luck on both sides after which the corrected chance is shown."""
PRIOR_DEVIATION = 2.5
"""The standard deviation of the weak prior of both coefficients, in logits. It keeps a handful of
games that one side has won from proving certainty.
"""
CONFIDENCE = 1.96
"""Standard errors on each side of an interval that holds the true chance 95 times in 100."""
_STEPS = 50
_TOLERANCE = 1e-10


class SideChance(NamedTuple):
    """The chance of a side, from 0 to 1, and the interval that holds it 95 times in 100."""

    value: float
    low: float
    high: float


class Balance(NamedTuple):
    """The balance of a scenario with two sides."""

    scenario: str
    sides: tuple[str, str]
    """The sides by name; the figures are those of the first."""
    wins: int
    losses: int
    draws: int
    with_luck: int
    """The number of games in which the luck of both sides is known."""
    chance: SideChance | None
    """The chance of the first side at equal luck; None with too few such games."""

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws


class LuckPoint(NamedTuple):
    """A game for the regression: by how much the first side had better luck, and its score."""

    luck: float
    score: float


def compute_balance(results: Iterable[Result]) -> list[Balance]:
    """Return the balance of each scenario with its two sides, the one played most first.

    Results of games without a scenario are left out, and those of one player on both sides.
    """
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        first, second = sorted(seat.side for seat in result.seats)
        if result.scenario and first != second:
            groups.setdefault((result.scenario, first, second), []).append(result)
    balances = [
        _summarize(scenario, (first, second), group)
        for (scenario, first, second), group in groups.items()
    ]
    balances.sort(key=lambda balance: (-balance.games, balance.scenario, balance.sides))
    return balances


def _summarize(scenario: str, sides: tuple[str, str], results: Sequence[Result]) -> Balance:
    scores = []
    points = []
    for result in results:
        index = 0 if result.seats[0].side == sides[0] else 1
        score = result.score(index)
        scores.append(score)
        own_luck = result.seats[index].luck
        other_luck = result.seats[1 - index].luck
        if own_luck is not None and other_luck is not None:
            points.append(LuckPoint(own_luck - other_luck, score))
    chance = estimate_chance(points) if len(points) >= GAMES_WITH_LUCK else None
    return Balance(
        scenario,
        sides,
        wins=scores.count(1.0),
        losses=scores.count(0.0),
        draws=scores.count(0.5),
        with_luck=len(points),
        chance=chance,
    )


def estimate_chance(points: Sequence[LuckPoint]) -> SideChance:
    """Return the chance of the first side at equal luck, by Newton's method.

    A draw counts as half a win. The coefficients are those most likely after the games and the
    prior; the interval takes their curvature there.
    """
    intercept = 0.0
    slope = 0.0
    inverse_prior = 1.0 / (PRIOR_DEVIATION * PRIOR_DEVIATION)
    error = 0.0
    for _ in range(_STEPS):
        intercept_gradient = -intercept * inverse_prior
        slope_gradient = -slope * inverse_prior
        intercept_weight = inverse_prior
        slope_weight = inverse_prior
        shared_weight = 0.0
        for point in points:
            expected = _logistic(intercept + slope * point.luck)
            surprise = point.score - expected
            weight = expected * (1.0 - expected)
            intercept_gradient += surprise
            slope_gradient += surprise * point.luck
            intercept_weight += weight
            slope_weight += weight * point.luck * point.luck
            shared_weight += weight * point.luck
        determinant = intercept_weight * slope_weight - shared_weight * shared_weight
        intercept_step = (
            slope_weight * intercept_gradient - shared_weight * slope_gradient
        ) / determinant
        slope_step = (
            intercept_weight * slope_gradient - shared_weight * intercept_gradient
        ) / determinant
        intercept += intercept_step
        slope += slope_step
        error = math.sqrt(slope_weight / determinant)
        if abs(intercept_step) + abs(slope_step) < _TOLERANCE:
            break
    return SideChance(
        _logistic(intercept),
        _logistic(intercept - CONFIDENCE * error),
        _logistic(intercept + CONFIDENCE * error),
    )


def _logistic(value: float) -> float:
    """Return the chance with these logits, without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    power = math.exp(value)
    return power / (1.0 + power)
