"""The exact odds of an expression, counted without rolling. Bounded: what takes too long is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import gcd
from typing import Any

from bot.rules.errors import UserError
from bot.rules.expression.chained import chained, is_chained
from bot.rules.expression.cost import arithmetic, compute
from bot.rules.expression.kept import kept, worths
from bot.rules.expression.model import Expression, Number, Operand, Operator, Pool
from bot.rules.expression.packed import (
    MAX_BYTES,
    WORD,
    Budget,
    Counted,
    Packed,
    Weights,
    added,
    is_dense,
    negative,
    pack,
    repeated,
    weights_of,
    width_of,
)


class Chances(Mapping[int | str, Fraction]):
    """The chance of each result, rising. Kept as the `ways` to it of `total` ones, all equally likely: a fraction is
    made when it is asked for."""

    __slots__ = ("total", "ways")

    def __init__(self, ways: Mapping[Any, int], total: int) -> None:
        self.ways: Mapping[int | str, int] = ways
        self.total = total

    def __getitem__(self, result: int | str) -> Fraction:
        return Fraction(self.ways[result], self.total)

    def __iter__(self) -> Iterator[int | str]:
        return iter(self.ways)

    def __len__(self) -> int:
        return len(self.ways)

    def __repr__(self) -> str:
        return f"Chances({self.ways}, {self.total})"


def odds(expression: Expression) -> Chances:
    """The chance of each result of one repeat of `expression`, rising; of a single die with words, of each face.

    Dice that are rerolled or explode are counted as they are rolled: up to the limit of further dice. Raises UserError
    for several dice with words, and for expressions that would take too long to count. It is counted once.
    """
    known: Chances | None = expression.kept.get("odds")
    if known is None:
        known = expression.kept["odds"] = _face_odds(expression) if expression.is_text else _odds(expression)
    return known


def _odds(expression: Expression) -> Chances:
    budget = Budget(expression)

    def read(operand: Operand) -> Counted:
        return Packed(operand.value, 1, WORD, 1) if isinstance(operand, Number) else _pool_ways(operand, budget)

    def apply(operator: Operator, left: Counted, right: Counted) -> Counted:
        if operator.sign == "-":
            return _sum(left, negative(right), budget)
        return _sum(left, right, budget) if operator.sign == "+" else _each(operator.sign, left, right, budget)

    counted = compute(expression.program, read, apply)
    if isinstance(counted, Packed):
        return Chances(weights_of(counted), counted.total)
    return Chances(dict(sorted(counted.items())), sum(counted.values()))


def _face_odds(expression: Expression) -> Chances:
    (pool,) = expression.pools
    if pool.count > 1 or pool.faces is None:
        raise UserError(
            f"The odds of {expression.notation} cannot be counted: only one die with words can.", code="no-odds"
        )
    return Chances(Counter(pool.faces), pool.sides)


def _sum(left: Counted, right: Counted, budget: Budget) -> Counted:
    """The ways to what `left` and `right` come to together, which know nothing of each other."""
    one, other = _packed(left), _packed(right)
    if one is not None and other is not None:
        width = width_of(one.total * other.total)
        if (one.numbers + other.numbers) * width <= MAX_BYTES:
            return added(one, other, width)
    return _each("+", left, right, budget)


def _packed(counted: Counted) -> Packed | None:
    """The same packed; None where the numbers are too far apart."""
    if isinstance(counted, Packed):
        return counted
    return pack(counted, width_of(sum(counted.values()))) if is_dense(counted) else None


def _each(sign: str, left: Counted, right: Counted, budget: Budget) -> Weights:
    """The ways to `left` `sign` `right`, one number of each at a time."""
    left, right = weights_of(left), weights_of(right)
    budget.spend(len(left) * len(right))
    after: Weights = defaultdict(int)
    for a, ways in left.items():
        for b, more in right.items():
            after[arithmetic(sign, a, b)] += ways * more
    return after


def _pool_ways(pool: Pool, budget: Budget) -> Counted:
    budget.spend(pool.sides)
    if is_chained(pool):
        return chained(pool, budget)
    die = _die_weights(pool)
    if pool.picks:
        return kept(pool, die, budget)
    worth: Weights = defaultdict(int)
    for value, ways in zip(worths(pool, die), die.values(), strict=True):
        worth[value] += ways
    if is_dense(worth):
        numbers = pool.count * (max(worth) - min(worth)) + 1
        width = budget.room(numbers, sum(worth.values()) ** pool.count)
        return repeated(pack(worth, width), pool.count)
    total: Counted = worth
    for _ in range(pool.count - 1):
        total = _sum(total, worth, budget)
    return total


def _die_weights(pool: Pool) -> Weights:
    """The ways to each number on one die, after a reroll that happens once."""
    if not pool.once and pool.faces is None:
        return dict.fromkeys(pool.values, 1)
    plain = Counter(pool.values)
    again = sum(ways for value, ways in plain.items() if _is_once(pool, value))
    weights = {
        value: ways * again + (0 if _is_once(pool, value) else ways * pool.sides) for value, ways in plain.items()
    }
    common = gcd(*weights.values())
    return {value: ways // common for value, ways in sorted(weights.items()) if ways}


def _is_once(pool: Pool, value: int) -> bool:
    return any(test.fits(value) for test in pool.once)
