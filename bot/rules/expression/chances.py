"""The exact odds of an expression, counted without rolling. Bounded: what takes too long is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import gcd

from bot.rules.errors import UserError
from bot.rules.expression.chained import chained, is_chained
from bot.rules.expression.cost import arithmetic, compute
from bot.rules.expression.kept import kept
from bot.rules.expression.model import Expression, Number, Operand, Operator, Pool
from bot.rules.expression.packed import Packed, Weights, is_dense, pack, unpack, width_of

MAX_STEPS = 300_000  # additions of one count, about a tenth of a second
MAX_BYTES = 200_000  # of a packed count, which takes about as long


def odds(expression: Expression) -> dict[int | str, Fraction]:
    """The chance of each result of one repeat of `expression`, rising; of a single die with words, of each face.

    Dice that are rerolled or explode are counted as they are rolled: up to the limit of further dice. Raises UserError
    for several dice with words, and for expressions that would take too long to count. It is counted once.
    """
    known: dict[int | str, Fraction] | None = expression.kept.get("odds")
    if known is None:
        known = expression.kept["odds"] = _face_odds(expression) if expression.is_text else _odds(expression)
    return known.copy()


def _odds(expression: Expression) -> dict[int | str, Fraction]:
    budget = Budget(expression)

    def read(operand: Operand) -> Weights:
        return {operand.value: 1} if isinstance(operand, Number) else _pool_weights(operand, budget)

    def apply(operator: Operator, left: Weights, right: Weights) -> Weights:
        return _combined(operator.sign, left, right, budget)

    weights = compute(expression.program, read, apply)
    total = sum(weights.values())
    chances = {ways: Fraction(ways, total) for ways in set(weights.values())}
    return {value: chances[weights[value]] for value in sorted(weights)}


def _face_odds(expression: Expression) -> dict[int | str, Fraction]:
    (pool,) = expression.pools
    if pool.count > 1 or pool.faces is None:
        raise UserError(
            f"The odds of {expression.notation} cannot be counted: only one die with words can.", code="no-odds"
        )
    return {face: Fraction(ways, pool.sides) for face, ways in Counter(pool.faces).items()}


class Budget:
    """How many additions are left, and how large a packed count may be."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.left = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Count so many additions. Raises UserError where they are too many."""
        self.left -= steps
        if self.left < 0:
            self.refuse()

    def room(self, numbers: int, total: int, times: int = 1) -> int:
        """The width of the fields of a packed count of so many `numbers` and `total` ways, made `times` times.

        Raises UserError where it would be too large.
        """
        width = width_of(total)
        if numbers * width * times > MAX_BYTES:
            self.refuse()
        return width

    def refuse(self) -> None:
        """Raise the UserError for what is too large."""
        raise UserError(
            f"The odds of {self.expression.notation} take too long to count. Fewer dice or fewer sides will do.",
            code="too-large",
        )


def _combined(sign: str, left: Weights, right: Weights, budget: Budget) -> Weights:
    """The weights of `left` `sign` `right`, which know nothing of each other."""
    if len(right) == 1 and sign in "+-":
        ((number, once),) = right.items()
        number = -number if sign == "-" else number
        return {value + number: ways * once for value, ways in left.items()}
    if sign in "+-" and len(left) * len(right) > 64 and is_dense(left) and is_dense(right):
        right = right if sign == "+" else {-value: ways for value, ways in right.items()}
        numbers = sum(max(some) - min(some) + 1 for some in (left, right))
        width = budget.room(numbers, sum(left.values()) * sum(right.values()))
        one, two = pack(left, width), pack(right, width)
        return unpack(Packed(one.low + two.low, one.fields * two.fields), width)
    budget.spend(len(left) * len(right))
    after: Weights = defaultdict(int)
    for a, ways in left.items():
        for b, more in right.items():
            after[arithmetic(sign, a, b)] += ways * more
    return dict(after)


def _pool_weights(pool: Pool, budget: Budget) -> Weights:
    budget.spend(pool.sides)
    if is_chained(pool):
        return chained(pool, budget)
    die = _die_weights(pool)
    if pool.picks:
        return kept(pool, die, budget)
    worth = _merged((_worth(pool, value), ways) for value, ways in die.items())
    if pool.count == 1:
        return worth
    if not is_dense(worth):
        total = {0: 1}
        for _ in range(pool.count):
            total = _combined("+", total, worth, budget)
        return total
    numbers = pool.count * (max(worth) - min(worth)) + 1
    width = budget.room(numbers, sum(worth.values()) ** pool.count)
    low, fields = pack(worth, width)
    return unpack(Packed(low * pool.count, fields**pool.count), width)


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


def _worth(pool: Pool, value: int) -> int:
    return value if pool.count_if is None else int(pool.count_if.fits(value))


def _merged(pairs: Iterable[tuple[int, int]]) -> Weights:
    after: Weights = defaultdict(int)
    for value, ways in pairs:
        after[value] += ways
    return dict(after)
