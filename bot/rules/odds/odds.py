"""Exact odds of a sequence: the same plan that is played, driven by every roll. No simulation, no rounding.

Equal states merge, so cost grows with the number of different situations, not of dice; parts that know nothing of
each other are counted once and multiplied. Weights are whole numbers over a common denominator; a Fraction appears at
the edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from bot.rules.odds.counting import Count
from bot.rules.odds.factors import ABSENT as ABSENT
from bot.rules.odds.factors import shown as shown
from bot.rules.odds.grouping import ROLLS_AT_ONCE as ROLLS_AT_ONCE
from bot.rules.odds.grouping import TooManyStates as TooManyStates
from bot.rules.odds.grouping import every_roll as every_roll
from bot.rules.odds.grouping import group_alike as group_alike
from bot.rules.odds.grouping import group_faces as group_faces
from bot.rules.odds.grouping import group_sums as group_sums
from bot.rules.odds.meter import Meter, OutOfTime
from bot.rules.sequence.ruling import S
from bot.rules.sequence.ruling import Weighted as Weighted
from bot.rules.sequence.sequence import Plan

STATE_BUDGET = 400_000

Distribution = dict[Any, Fraction]


def joint(
    plan: Plan[S],
    by: Sequence[str],
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    out_of_time: OutOfTime | None = None,
) -> Distribution:
    """Chances of each combination of the outputs `by`, as {(value, ...): Fraction}; they sum to 1.

    A value is `none` where its item is absent. Work stops on a branch as soon as all of `by` are known.
    Raises TooManyStates beyond `budget` states, `rolls` rolls looked at or when it is `out_of_time`.
    """
    return _fractions(*Count(Meter(budget, rolls, out_of_time)).joint(plan, tuple(by)))


def marginals(
    plan: Plan[S],
    paths: Iterable[str],
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    out_of_time: OutOfTime | None = None,
) -> dict[str, Distribution]:
    """The distribution of each output of `paths` by itself, counted in one pass; each sums to 1.

    Because every path is put out once at most, nothing needs to be carried along in the state. Raises TooManyStates
    beyond `budget` states, `rolls` rolls looked at or when it is `out_of_time`.
    """
    wanted = tuple(dict.fromkeys(paths))
    sums, _, over = Count(Meter(budget, rolls, out_of_time)).marginals(plan, wanted)
    return {path: _fractions(sums[path], over) for path in wanted}


def _fractions(weights: Mapping[Any, int], over: int) -> Distribution:
    """Weights as chances; each different one is made once."""
    chances = {weight: Fraction(weight, over) for weight in set(weights.values())}
    return {value: chances[weight] for value, weight in weights.items()}
