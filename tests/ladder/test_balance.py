"""The balance of scenarios: wins by side, raw and corrected for luck."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ladder.balance import (
    PRIOR_DEVIATION,
    LuckPoint,
    compute_balance,
    estimate_chance,
)
from tests.ladder.season_facts import build_result

points = st.lists(
    st.builds(LuckPoint, st.floats(-8, 8), st.sampled_from((0.0, 0.5, 1.0))),
    min_size=1,
    max_size=40,
)


def test_wins_are_counted_by_side_of_each_scenario() -> None:
    results = [
        build_result("2026-11-01", "anna", "ben", 0),
        build_result("2026-11-02", "ben", "anna", 1),
        build_result("2026-11-03", "ben", "cleo", None),
        build_result("2026-11-04", "ben", "cleo", 0, scenario="hill"),
        build_result("2026-11-05", "ben", "cleo", 0, scenario=""),
    ]
    ford, hill = compute_balance(results)
    assert (ford.scenario, ford.sides) == ("ford", ("US", "VC"))
    assert (ford.wins, ford.losses, ford.draws, ford.games) == (1, 1, 1, 3)
    assert (hill.scenario, hill.wins, hill.games) == ("hill", 1, 1)
    assert ford.chance is None


def test_the_correction_is_hidden_below_ten_games_with_luck() -> None:
    results = [
        build_result(f"2026-11-{day:02}", "anna", "ben", luck=(0.5, -0.5)) for day in range(1, 10)
    ]
    unknown = build_result("2026-11-20", "anna", "ben", luck=(None, 1.0))
    (balance,) = compute_balance([*results, unknown])
    assert (balance.games, balance.with_luck, balance.chance) == (10, 9, None)
    tenth = build_result("2026-11-21", "anna", "ben", luck=(0.0, 0.0))
    (balance,) = compute_balance([*results, tenth])
    assert balance.chance is not None


def test_a_side_that_won_by_luck_alone_is_no_better() -> None:
    """Each side won its games with luck of 1 above the other's: even, and the raw count is not."""
    lucky = [LuckPoint(1.0, 1.0)] * 300 + [LuckPoint(-1.0, 0.0)] * 100
    unlucky = [LuckPoint(1.0, 0.0)] * 100 + [LuckPoint(-1.0, 1.0)] * 33
    chance = estimate_chance(lucky + unlucky)
    assert chance.value == pytest.approx(0.5, abs=0.01)


def test_without_differences_of_luck_it_is_the_share_of_wins() -> None:
    """6 of 10, a thousand times over: the weak prior no longer matters."""
    chance = estimate_chance([LuckPoint(0.0, 1.0)] * 6000 + [LuckPoint(0.0, 0.0)] * 4000)
    assert chance.value == pytest.approx(0.6, abs=0.0001)
    assert chance.high - chance.value == pytest.approx(1.96 * math.sqrt(0.24 / 10_000), rel=0.01)


def test_ten_wins_of_ten_prove_no_certainty() -> None:
    chance = estimate_chance([LuckPoint(0.0, 1.0)] * 10)
    assert chance.low < 0.7
    assert chance.value < 0.97


def test_the_interval_holds_the_true_chance_nineteen_times_in_twenty() -> None:
    """400 scenarios of 20 games, in which 1 more luck doubles the odds of the first side."""
    generator = random.Random(7)
    true_chance = 1.0 / (1.0 + math.exp(-0.8))
    hits = 0
    for _ in range(400):
        games = []
        for _ in range(20):
            luck = generator.gauss(0.0, 1.4)
            chance = 1.0 / (1.0 + math.exp(-(0.8 + math.log(2) * luck)))
            games.append(LuckPoint(luck, float(generator.random() < chance)))
        estimate = estimate_chance(games)
        hits += estimate.low <= true_chance <= estimate.high
    assert hits >= 380


@given(points)
def test_the_estimate_is_the_most_likely_one(games: list[LuckPoint]) -> None:
    """No other pair of coefficients near it is more likely. Swapped sides swap the chance."""
    chance = estimate_chance(games)
    assert 0.0 <= chance.low <= chance.value <= chance.high <= 1.0
    intercept = math.log(chance.value / (1.0 - chance.value))

    def rank(first: float, slope: float) -> float:
        """Compute the logarithm of the likelihood and the prior."""
        total = -(first * first + slope * slope) / (2.0 * PRIOR_DEVIATION**2)
        for luck, score in games:
            value = first + slope * luck
            total += score * value - max(value, 0.0) - math.log1p(math.exp(-abs(value)))
        return total

    def find_best(first: float) -> float:
        """Return the best rank with any slope, which has one peak: by thirds."""
        low = -20.0
        high = 20.0
        for _ in range(80):
            left = low + (high - low) / 3.0
            right = high - (high - low) / 3.0
            if rank(first, left) < rank(first, right):
                low = left
            else:
                high = right
        return rank(first, low)

    assert find_best(intercept) >= find_best(intercept + 0.01) - 1e-9
    assert find_best(intercept) >= find_best(intercept - 0.01) - 1e-9
    swapped = estimate_chance([LuckPoint(-luck, 1.0 - score) for luck, score in games])
    assert swapped.value == pytest.approx(1.0 - chance.value, abs=1e-6)
