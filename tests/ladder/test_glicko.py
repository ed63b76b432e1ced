"""Glicko-2: the example of its paper, and what holds for all ratings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ladder.glicko import MOST_DEVIATION, NEWCOMER, RatedGame, Rating, rate
from tests.ladder import recompute_ratings

ratings = st.builds(
    Rating, st.floats(500, 2800), st.floats(30, MOST_DEVIATION), st.floats(0.03, 0.12)
)
games = st.lists(st.builds(RatedGame, ratings, st.sampled_from((0.0, 0.5, 1.0))), max_size=12)


def test_the_example_of_the_paper() -> None:
    """The paper rounds on its way: it gives 1464.06, 151.52 and 0.05999."""
    player = Rating(1500, 200, 0.06)
    period = [
        RatedGame(Rating(1400, 30, 0.06), 1.0),
        RatedGame(Rating(1550, 100, 0.06), 0.0),
        RatedGame(Rating(1700, 300, 0.06), 0.0),
    ]
    rating, deviation, volatility = rate(player, period)
    assert rating == pytest.approx(1464.06, abs=0.01)
    assert deviation == pytest.approx(151.52, abs=0.005)
    assert volatility == pytest.approx(0.05999, abs=0.00001)


def test_an_idle_month_only_makes_a_rating_less_sure() -> None:
    """sqrt(100² + (0.06 × 173.7178)²) = 100.54."""
    rating, deviation, volatility = rate(Rating(1600, 100, 0.06), [])
    assert (rating, volatility) == (1600, 0.06)
    assert deviation == pytest.approx(100.54, abs=0.005)


def test_no_idle_time_makes_a_rating_less_sure_than_that_of_a_newcomer() -> None:
    rating = Rating(1600, 345, 0.06)
    for _ in range(1000):
        rating = rate(rating, [])
    assert rating.deviation == NEWCOMER.deviation


@given(ratings, games)
def test_every_period_gives_what_a_second_program_gives(
    player: Rating, period: list[RatedGame]
) -> None:
    """The other program finds the volatility by halving an interval, not by the paper's steps."""
    opponents = [(*game.opponent[:2], game.score) for game in period]
    expected = recompute_ratings.rate(*player, opponents)
    assert rate(player, period) == pytest.approx(expected, rel=1e-5)


@given(ratings, ratings)
def test_a_win_raises_and_a_loss_lowers_a_rating(player: Rating, opponent: Rating) -> None:
    won = rate(player, [RatedGame(opponent, 1.0)])
    drawn = rate(player, [RatedGame(opponent, 0.5)])
    lost = rate(player, [RatedGame(opponent, 0.0)])
    assert lost.rating < player.rating < won.rating
    assert lost.rating < drawn.rating < won.rating
