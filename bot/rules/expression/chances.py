"""The exact odds of an expression, counted without rolling. Bounded: what takes too long is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import comb, gcd

from bot.rules.errors import UserError
from bot.rules.expression.cost import arithmetic, compute
from bot.rules.expression.model import Choice, Expression, Number, Operand, Operator, Pool

MAX_STEPS = 300_000  # additions of one count, about a tenth of a second

Weights = dict[int, int]  # how many of all the equally likely ways come to each number


def odds(expression: Expression) -> dict[int | str, Fraction]:
    """The chance of each result of one repeat of `expression`, rising; of a single die with words, of each face.

    Raises UserError for dice that are rerolled without end or explode, for several dice with words, and for
    expressions that would take too long to count.
    """
    if expression.is_text:
        return _face_odds(expression)
    budget = _Budget(expression)

    def read(operand: Operand) -> Weights:
        return {operand.value: 1} if isinstance(operand, Number) else _pool_weights(operand, budget)

    def apply(operator: Operator, left: Weights, right: Weights) -> Weights:
        return _combined(operator.sign, left, right, budget)

    weights = compute(expression.program, read, apply)
    total = sum(weights.values())
    return {value: Fraction(weights[value], total) for value in sorted(weights)}


def _face_odds(expression: Expression) -> dict[int | str, Fraction]:
    (pool,) = expression.pools
    if pool.count > 1 or pool.faces is None:
        raise UserError(
            f"The odds of {expression.notation} cannot be counted: only one die with words can.", code="no-odds"
        )
    return {face: Fraction(ways, pool.sides) for face, ways in Counter(pool.faces).items()}


class _Budget:
    """How many additions are left."""

    def __init__(self, expression: Expression) -> None:
        self.notation = expression.notation
        self.left = MAX_STEPS

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise UserError(
                f"The odds of {self.notation} take too long to count. Fewer dice or fewer sides will do.",
                code="too-large",
            )


def _combined(sign: str, left: Weights, right: Weights, budget: _Budget) -> Weights:
    """The weights of `left` `sign` `right`, which know nothing of each other."""
    budget.spend(len(left) * len(right))
    after: Weights = defaultdict(int)
    for a, ways in left.items():
        for b, more in right.items():
            after[arithmetic(sign, a, b)] += ways * more
    return dict(after)


def _pool_weights(pool: Pool, budget: _Budget) -> Weights:
    if pool.rerolls or pool.explodes:
        raise UserError(
            f"The odds of {pool.notation} cannot be counted: its dice are rerolled or explode without end.",
            hint="A reroll that happens once (ro) can be counted.",
            code="no-odds",
        )
    budget.spend(pool.sides)
    die = _die_weights(pool)
    if pool.picks:
        return _picked(pool, die, budget)
    worth = _merged((_worth(pool, value), ways) for value, ways in die.items())
    total = {0: 1}
    for _ in range(pool.count):
        total = _combined("+", total, worth, budget)
    return total


def _die_weights(pool: Pool) -> Weights:
    """The ways to each number on one die, after a reroll that happens once."""
    plain = Counter(pool.values)
    again = sum(ways for value, ways in plain.items() if _is_once(pool, value))
    weights = {
        value: ways * again + (0 if _is_once(pool, value) else ways * pool.sides) for value, ways in plain.items()
    }
    common = gcd(*weights.values())
    return {value: ways // common for value, ways in sorted(weights.items()) if ways}


def _is_once(pool: Pool, value: int) -> bool:
    return any(test.fits(value) for test in pool.once)


def _worth(pool: Pool, value: int) -> int:
    return value if pool.count_if is None else int(pool.count_if.fits(value))


def _merged(pairs: Iterable[tuple[int, int]]) -> Weights:
    after: Weights = defaultdict(int)
    for value, ways in pairs:
        after[value] += ways
    return dict(after)


def _kept_places(pool: Pool) -> tuple[int, int]:
    """Which places of the dice in rising order are kept: from the first, up to before the second."""
    low, high = 0, pool.count
    for pick in pool.picks:
        match pick.choice:
            case Choice.KEEP_HIGHEST:
                low = max(low, high - pick.number)
            case Choice.KEEP_LOWEST:
                high = min(high, low + pick.number)
            case Choice.DROP_HIGHEST:
                high -= pick.number
            case Choice.DROP_LOWEST:
                low += pick.number
    return low, high


def _picked(pool: Pool, die: Weights, budget: _Budget) -> Weights:
    """The weights of kept dice. Dice are laid in rising order, all dice of one face at a time."""
    low, high = _kept_places(pool)
    laid: list[Weights] = [{0: 1}] + [{} for _ in range(pool.count)]  # by how many dice lie
    for value, ways in die.items():
        worth = _worth(pool, value)
        after: list[Weights] = [defaultdict(int) for _ in laid]
        for count, totals in enumerate(laid):
            budget.spend(len(totals) * (pool.count - count + 1))
            for more in range(pool.count - count + 1):
                kept = max(0, min(count + more, high) - max(count, low))
                arrangements = comb(pool.count - count, more) * ways**more
                for total, before in totals.items():
                    after[count + more][total + kept * worth] += before * arrangements
        laid = after
    return dict(laid[pool.count])
