"""Ratings of players by Glicko-2.

Source: Mark E. Glickman, "Example of the Glicko-2 system", http://www.glicko.net/glicko/glicko2.pdf,
whose steps the functions name. We add one limit: nobody is rated less surely than a newcomer.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

SCALE = 173.7178
"""Points of a rating for one unit of the scale on which Glicko-2 computes."""
CENTER = 1500.0
"""The rating that is 0 on that scale."""
TAU = 0.5
"""The system constant: by it the volatility of a player changes little in a period."""
TOLERANCE = 1e-6
"""The precision to which the logarithm of the new volatility's square is found."""


class Rating(NamedTuple):
    """The strength of a player, and how sure it is."""

    rating: float
    """The strength. 1500 is average at the start; 200 more win about three games in four."""
    deviation: float
    """The standard deviation of the rating: the true strength is within two of them, 95 in 100."""
    volatility: float
    """The change of the strength that is expected from period to period."""


NEWCOMER = Rating(CENTER, 350.0, 0.06)
"""The rating of a player before their first game."""
MOST_DEVIATION = NEWCOMER.deviation


class RatedGame(NamedTuple):
    """A game of a period, as its result counts for one of its players."""

    opponent: Rating
    """The opponent's rating before the period."""
    score: float
    """1.0 for a win, 0.5 for a draw, 0.0 for a loss."""


def rate(player: Rating, games: Sequence[RatedGame]) -> Rating:
    """Return a player's rating after a period with these games. An idle period only makes it less
    sure.
    """
    mean = (player.rating - CENTER) / SCALE
    deviation = player.deviation / SCALE
    if not games:
        idle_deviation = math.hypot(deviation, player.volatility)  # step 6
        return player._replace(deviation=_limit_deviation(idle_deviation * SCALE))
    precision = 0.0
    surprise = 0.0
    for game in games:  # steps 3 and 4
        opponent_mean = (game.opponent.rating - CENTER) / SCALE
        weight = _weigh_opponent(game.opponent.deviation / SCALE)
        expected = 1.0 / (1.0 + math.exp(-weight * (mean - opponent_mean)))
        precision += weight * weight * expected * (1.0 - expected)
        surprise += weight * (game.score - expected)
    variance = 1.0 / precision
    volatility = _find_volatility(player.volatility, deviation, variance, variance * surprise)
    wider_deviation = math.hypot(deviation, volatility)  # step 6
    new_precision = 1.0 / (wider_deviation * wider_deviation) + precision  # step 7
    new_deviation = 1.0 / math.sqrt(new_precision)
    new_mean = mean + new_deviation * new_deviation * surprise
    rating = new_mean * SCALE + CENTER  # step 8
    return Rating(rating, _limit_deviation(new_deviation * SCALE), volatility)


def _limit_deviation(deviation: float) -> float:
    return min(deviation, MOST_DEVIATION)


def _weigh_opponent(deviation: float) -> float:
    """Return the weight of a game against an opponent with this deviation, on the scale of
    Glicko-2: 1.0 if their rating is certain. The paper's function g.
    """
    return 1.0 / math.sqrt(1.0 + 3.0 * deviation * deviation / (math.pi * math.pi))


def _find_volatility(
    volatility: float, deviation: float, variance: float, improvement: float
) -> float:
    """Return the new volatility by the Illinois algorithm of step 5.

    `deviation` is that before the period, `variance` that of the rating by the games alone, and
    `improvement` the change that the games alone suggest, all on the scale of Glicko-2.
    """
    start = math.log(volatility * volatility)
    excess = improvement * improvement - deviation * deviation - variance

    def compute_slope(value: float) -> float:
        """Compute the paper's function f, which is 0 at the logarithm of the new square."""
        square = math.exp(value)
        total = deviation * deviation + variance + square
        fit = square * (excess - square) / (2.0 * total * total)
        return fit - (value - start) / (TAU * TAU)

    low = start
    high = math.log(excess) if excess > 0 else _find_high_end(compute_slope, start)
    low_slope = compute_slope(low)
    high_slope = compute_slope(high)
    while abs(high - low) > TOLERANCE:
        middle = low + (low - high) * low_slope / (high_slope - low_slope)
        middle_slope = compute_slope(middle)
        if middle_slope * high_slope <= 0:
            low = high
            low_slope = high_slope
        else:
            low_slope /= 2.0
        high = middle
        high_slope = middle_slope
    return math.exp(low / 2.0)


def _find_high_end(compute_slope: Callable[[float], float], start: float) -> float:
    """Return the first value below `start`, in steps of TAU, at which the slope is not negative."""
    end = start - TAU
    while compute_slope(end) < 0:
        end -= TAU
    return end
