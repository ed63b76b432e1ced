"""The exact odds of an expression, counted without rolling. Bounded: what takes too long is refused."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb, gcd
from typing import Any

from bot.rules.errors import UserError
from bot.rules.expression.counting import (
    MAX_BYTES,
    Budget,
    Weights,
    chained,
    is_chained,
    is_dense,
    pack,
    unpack,
    width_of,
    worths,
)
from bot.rules.expression.model import Expression, Number, Operand, Operator, Pool, arithmetic, compute, places


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


def odds(expression: Expression) -> Chances:
    """The chance of each result of one repeat of `expression`, rising; of a single die with words, of each face.

    Dice that are rerolled or explode are counted as they are rolled: up to the limit of further dice. Raises UserError
    for several dice with words, and for expressions that would take too long to count. It is counted once.
    """
    known: Chances | None = expression.kept.get("odds")
    if known is None:
        ways = _faces(expression) if expression.is_text else _ways(expression)
        known = expression.kept["odds"] = Chances(ways, sum(ways.values()))
    return known


def _faces(expression: Expression) -> Mapping[Any, int]:
    (pool,) = expression.pools
    if pool.count > 1 or pool.faces is None:
        raise UserError(
            f"The odds of {expression.notation} cannot be counted: only one die with words can.", code="no-odds"
        )
    return Counter(pool.faces)


def _ways(expression: Expression) -> Weights:
    budget = Budget(expression)

    def read(operand: Operand) -> Weights:
        return {operand.value: 1} if isinstance(operand, Number) else _pool(operand, budget)

    def apply(operator: Operator, left: Weights, right: Weights) -> Weights:
        if operator.sign == "-":
            return _sum(left, _negative(right), budget)
        return _sum(left, right, budget) if operator.sign == "+" else _each(operator.sign, left, right, budget)

    return compute(expression.program, read, apply)


def _negative(weights: Weights) -> Weights:
    return {-number: weights[number] for number in reversed(weights)}


def _sum(left: Weights, right: Weights, budget: Budget) -> Weights:
    """The ways to what `left` and `right` come to together, which know nothing of each other."""
    width = width_of(sum(left.values()) * sum(right.values()))
    low, high = min(left) + min(right), max(left) + max(right)
    if is_dense(left) and is_dense(right) and (high - low + 2) * width <= MAX_BYTES:
        return unpack(pack(left, width) * pack(right, width), width, low)
    return _each("+", left, right, budget)


def _each(sign: str, left: Weights, right: Weights, budget: Budget) -> Weights:
    """The ways to `left` `sign` `right`, one number of each at a time."""
    budget.spend(len(left) * len(right))
    after: Weights = defaultdict(int)
    for a, ways in left.items():
        for b, more in right.items():
            after[arithmetic(sign, a, b)] += ways * more
    return dict(sorted(after.items()))


def _pool(pool: Pool, budget: Budget) -> Weights:
    budget.spend(pool.sides)
    if is_chained(pool):
        return chained(pool, budget)
    die = one_die(pool)
    if pool.picks:
        return _kept(pool, die, budget)
    worth: Weights = defaultdict(int)
    for value, ways in zip(worths(pool, die), die.values(), strict=True):
        worth[value] += ways
    if is_dense(worth):
        low = min(worth)
        width = budget.room(pool.count * (max(worth) - low) + 1, sum(worth.values()) ** pool.count)
        return unpack(pack(worth, width) ** pool.count, width, low * pool.count)
    total = dict(sorted(worth.items()))
    for _ in range(pool.count - 1):
        total = _sum(total, worth, budget)
    return total


def one_die(pool: Pool) -> Weights:
    """The ways to each number on one die, after a reroll that happens once."""
    if not pool.once and pool.faces is None:
        return dict.fromkeys(pool.values, 1)
    plain = Counter(pool.values)
    again = {value: ways for value, ways in plain.items() if any(test.fits(value) for test in pool.once)}
    rerolled = sum(again.values())
    weights = {value: ways * rerolled + (ways - again.get(value, 0)) * pool.sides for value, ways in plain.items()}
    common = gcd(*weights.values())
    return {value: ways // common for value, ways in sorted(weights.items()) if ways}


def _kept(pool: Pool, die: Weights, budget: Budget) -> Weights:
    """The ways to the sum of the dice that a pool keeps. `die` are the ways to each number on one, rising.

    Dice are laid in falling order, all of one face at a time, until the last one that is kept is among them: the others
    show that face or a lower one. The lowest of them are the highest of dice with the other sign.
    """
    at = places(pool.picks, pool.count)
    first, last = at.start, at.stop
    faces = [*zip(worths(pool, die), die.values(), strict=True)][::-1]
    is_lowest = first > 0 and last == pool.count
    if is_lowest:
        faces = [(-worth, ways) for worth, ways in faces[::-1]]
        first, last = 0, last - first
    low, number = min(worth for worth, _ in faces), last - first
    apart = gcd(*(worth - low for worth, _ in faces)) or 1  # faces far apart take no more room than others
    faces = [((worth - low) // apart, ways) for worth, ways in faces]
    most, left = number * max(worth for worth, _ in faces), sum(die.values())
    width = budget.room(most + 1, left**pool.count)
    budget.spend(len(faces) * last * pool.count * (1 + most * width // 1500))
    total, laid = 0, {0: 1}
    for worth, ways in faces:
        left -= ways
        after = defaultdict[int, int](int)
        for here, fields in laid.items():
            for more in range(pool.count - here + 1):
                inside = max(0, min(here + more, last) - max(here, first))
                grown = fields * (comb(pool.count - here, more) * ways**more) << 8 * width * worth * inside
                if here + more < last:
                    after[here + more] += grown
                else:
                    total += grown * left ** (pool.count - here - more)
        laid = after
    found = unpack(total, width, low * number, apart)
    return _negative(found) if is_lowest else found
