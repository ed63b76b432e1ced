"""What an expression can cost and how far its results can reach, known before a die is rolled."""

from typing import NamedTuple

from bot.rules.expression.model import (
    MAX_DICE,
    MAX_RESULT,
    Expression,
    ExpressionError,
    Number,
    Operand,
    Operator,
    Pool,
    arithmetic,
    compute,
    places,
)


def worst_cost(expression: Expression) -> int:
    """The most dice that rolling `expression` can draw, all repeats together; at most 1,000."""
    return (expression.repeat or 1) * sum(pool.cost for pool in expression.pools)


class Reach(NamedTuple):
    """The lowest and the highest number that something can come to; of words, nothing is known."""

    low: int
    high: int
    is_text: bool = False


def reach(pool: Pool) -> Reach:
    """How far the total (or the count) of `pool` can reach."""
    if pool.is_text:
        return Reach(0, 0, is_text=True)
    # Only an explosion puts more dice on the table; a reroll replaces one.
    most = len(places(pool.picks, pool.cost if pool.explodes else pool.count))
    if pool.count_if:
        return Reach(0, most)
    fewest = len(places(pool.picks, pool.count))
    low, high = pool.lowest, pool.highest
    return Reach(min(low * fewest, low * most), max(high * fewest, high * most))


def check_cost(expression: Expression, text: str) -> None:
    """Raise ExpressionError when too many dice could be drawn, at the pool that passes the limit."""
    times = expression.repeat or 1
    total = 0
    for pool in expression.pools:
        total += pool.cost * times
        if total > MAX_DICE:
            reason = f"this could draw {total:,} dice at worst, at most {MAX_DICE:,} may be drawn"
            raise ExpressionError(reason, text, pool.at, end=pool.end)


def check_reach(expression: Expression, text: str) -> Reach:
    """How far the result can reach. Raises ExpressionError for a division by zero, for arithmetic on words and
    for results beyond 10^15, each at its operator."""

    def read(operand: Operand) -> Reach:
        return Reach(operand.value, operand.value) if isinstance(operand, Number) else reach(operand)

    def apply(operator: Operator, left: Reach, right: Reach) -> Reach:
        sign, at = operator.sign, operator.at
        if left.is_text or right.is_text:
            raise ExpressionError("faces that are words are counted, nothing can be added to them", text, at)
        if sign == "/" and right.low <= 0 <= right.high:
            is_sure = right.low == right.high == 0
            raise ExpressionError(f"this {'divides' if is_sure else 'could divide'} by 0", text, at)
        # Each operation rises or falls steadily in each operand, so the extremes lie among these.
        corners = [arithmetic(sign, a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        if max(map(abs, corners)) > MAX_RESULT:
            raise ExpressionError(f"the result could pass {MAX_RESULT:,}", text, at)
        return Reach(min(corners), max(corners))

    return compute(expression.program, read, apply)
