"""The exact odds of an expression, computed without rolling. Odds that would take too long are
refused.

The numbers of ways to roll each result are packed into one large whole number. Written with a digit
for each result, a d4 is 1111: one way each to roll 1, 2, 3 and 4. And 1111 * 1111 is 1234321: the
ways to roll 2, 3, and so on to 8 with 2d4. In the same way a packed count has a field of `width`
bytes for each result, lowest first. The product of two counts is the count for the dice of both,
and a power the count for several identical dice. Nothing is carried from one field to the next as
long as the largest count fits into a field.

Dice that are rerolled or explode are counted up to the limit of extra dice, just as they are
rolled. Each die that is drawn either ends one of the dice of the expression, or uses one of the
extra dice because it is rerolled or explodes. So the count depends on the number of extra dice that
were used before the last die ended. Once all are used, each remaining die ends with any face.
"""

import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb, gcd
from typing import Any

from bot.rules.errors import UserError
from bot.rules.expression.model import (
    Expression,
    Number,
    Operand,
    Operator,
    Pool,
    arithmetic,
    compute,
    join_digits,
    list_kept_indices,
)

_WORD = 8
"""The field width in bytes up to which Python unpacks all fields at once."""
_SPREAD = 64
"""A die is packed only if its numbers span at most this many times their count."""
_FEW = 6
"""Up to this many faces are added one by one, which is faster than multiplying by a packed
count.
"""
MAX_STEPS = 300_000  # additions of one count, about a tenth of a second
MAX_BYTES = 200_000  # of a packed count, which takes about as long

Weights = dict[int, int]
"""The number of equally likely ways to each number, by rising number."""
EXPLODING, ENDING, REROLLED = range(3)
Counts = tuple[int, int, int]
"""The number of final dice that exploded, that ended, and that were cut short by the limit."""
Window = tuple[int, int]
"""The first index of the dice that are kept, and the index after the last."""
Faces = list[tuple[int, int, int]]
"""The faces of a die, highest first: kind, value above the lowest, and weight."""


class Budget:
    """The remaining additions of one calculation, and the size limit of packed counts."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.left = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Take `steps` additions off the budget. Raises UserError if fewer are left."""
        self.left -= steps
        if self.left < 0:
            self.refuse()

    def room(self, numbers: int, total: int) -> int:
        """Return the field width in bytes for a packed count of `numbers` fields with `total` ways.

        Raises UserError if it would be too large.
        """
        width = compute_width(total)
        if numbers * width > MAX_BYTES:
            self.refuse()
        return width

    def refuse(self) -> None:
        """Raise the UserError for odds that take too long."""
        problem = f"The odds of {self.expression.notation} take too long to compute. Use fewer dice or fewer sides."
        raise UserError(problem, code="too-large")


def compute_width(total: int) -> int:
    """Return the bytes of a field that can hold `total` ways."""
    return max(_WORD, (total.bit_length() + 7) // 8)


def is_dense(weights: Weights) -> bool:
    """Return whether the numbers are near enough to each other to be packed."""
    return max(weights) - min(weights) <= _SPREAD * len(weights)


def pack(weights: Mapping[int, int], width: int) -> int:
    """Return the ways to each number from the lowest on, in fields of `width` bytes."""
    weights_in_order = [weights.get(number, 0) for number in range(min(weights), max(weights) + 1)]
    if width == _WORD:
        return int.from_bytes(
            struct.pack(f"<{len(weights_in_order)}Q", *weights_in_order), "little"
        )
    return int.from_bytes(
        b"".join([weight.to_bytes(width, "little") for weight in weights_in_order]), "little"
    )


def unpack(fields: int, width: int, low: int, step: int = 1) -> Weights:
    """Return the ways to each number that has any. The first field is for `low`, and each next
    field for `step` more.
    """
    count = -(-fields.bit_length() // (8 * width))
    raw = fields.to_bytes(count * width, "little")
    weights_in_order: Sequence[int] = (
        struct.unpack(f"<{count}Q", raw)
        if width == _WORD
        else [
            int.from_bytes(raw[index : index + width], "little")
            for index in range(0, len(raw), width)
        ]
    )
    return {low + step * index: weight for index, weight in enumerate(weights_in_order) if weight}


def list_die_values(pool: Pool, values: Iterable[int]) -> list[int]:
    """Return what dice with these numbers count: the number itself, or 1 for a success and 0 for a
    failure.
    """
    if pool.count_if is None:
        return list(values)
    low, high = pool.count_if.span
    return [int(low <= value <= high) for value in values]


def is_chained(pool: Pool) -> bool:
    """Return whether a die of the pool may add further dice."""
    return bool(pool.rerolls or pool.explodes)


def count_chained_ways(pool: Pool, budget: Budget) -> Weights:
    """Return the ways of a pool with further dice. Raises UserError for too many dice, and for kept
    dice together with a single reroll.
    """
    if pool.once and pool.picks:
        problem = (
            f"The odds of {pool.notation} cannot be computed: "
            "ro, exploding dice and kept dice are too much together."
        )
        raise UserError(problem, hint="Leave out one of the three.", code="no-odds")
    low, faces = list_faces(pool, list_die_values(pool, dict.fromkeys(pool.values)))
    max_dice = pool.count + pool.extra
    numbers = max_dice * max(worth for _, worth, _ in faces) + 1
    width = budget.room(numbers, pool.sides**max_dice)
    if pool.picks:
        fields = _sum_kept_chained(pool, faces, -low * 8 * width, 8 * width, budget)
    elif pool.once:
        budget.spend(pool.count * pool.extra * numbers * width // 50)
        fields = sum_rerolled_dice(
            pool,
            [worth - low for worth in list_die_values(pool, pool.values)],
            -low * 8 * width,
            8 * width,
        )
    else:
        budget.spend(numbers * width * pool.extra // 32)
        fields = sum_dice(pool, faces, -low * 8 * width, 8 * width)
    return unpack(fields, width, low * max_dice)


def list_faces(pool: Pool, worth: Iterable[int]) -> tuple[int, Faces]:
    """Return the least value of a die, at most 0 (a die that is not drawn); and its faces with
    their values in `worth`.
    """
    face_counts = Counter(pool.values)
    worths = dict(zip(face_counts, worth, strict=True))
    low = min(0, *worths.values())

    def kind(value: int) -> int:
        if any(test.fits(value) for test in pool.rerolls):
            return REROLLED
        return EXPLODING if any(test.fits(value) for test in pool.explodes) else ENDING

    return low, [
        (kind(value), worths[value] - low, face_counts[value])
        for value in sorted(face_counts, reverse=True)
    ]


def sum_dice(pool: Pool, faces: Faces, nothing: int, bits: int) -> int:
    """Return the packed sums of all dice, by a closed form over the number of further dice.

    Fields have `bits` bits. Each die that is not drawn counts as one die with the value 0, which is
    `nothing` bits up.
    """
    count = pool.count
    extra = pool.extra
    burst, lay_ending = (
        _build_layer(((up, weight) for of, up, weight in faces if of == kind), bits)
        for kind in (EXPLODING, ENDING)
    )
    lay_any = _build_layer(((up, weight) for _, up, weight in faces), bits)
    again = _count_rerolls(faces)
    total = cut = 0
    power = 1
    for used in range(extra):
        total += power * comb(count - 1 + used, used) * pool.sides ** (extra - used) << nothing * (
            extra - used
        )
        power = burst(power) + (power * again << nothing)
    for ended in range(count):
        total = lay_ending(total)
        cut = lay_any(cut + power * comb(extra - 1 + ended, ended))
        power = lay_ending(power)
    return total + cut


def sum_rerolled_dice(pool: Pool, worth: Iterable[int], nothing: int, bits: int) -> int:
    """Return the packed sums, as `sum_dice`, if a die may be rerolled once. `worth` is the value of
    each face.

    It goes die by die, by the number of further dice left; `fresh` dice have not been rerolled yet.
    """
    pairs = [*zip(pool.values, worth, strict=True)]
    again, once, bursts = (
        {value for value in pool.values if any(test.fits(value) for test in tests)}
        for tests in (pool.rerolls, pool.once, pool.explodes)
    )
    ending = {*pool.values} - again - bursts
    burst, late, lay_ending, at_last, lay_any = (
        _build_layer(((up, 1) for value, up in pairs if value in chosen), bits)
        for chosen in (bursts - again - once, bursts - again, ending - once, ending, pool.values)
    )
    rerolls, renews = (
        sum(value in chosen for value in pool.values) for chosen in (again, once - again)
    )
    packed_by_left = [0] * pool.extra + [1]
    for _ in range(pool.count):
        fresh = packed_by_left
        stale = [0] * len(packed_by_left)
        packed_by_left = [0] * len(packed_by_left)
        for dice_left in range(pool.extra, 0, -1):
            fresh_fields = fresh[dice_left]
            stale_fields = stale[dice_left]
            fresh[dice_left - 1] += (
                burst(fresh_fields) + late(stale_fields) + (fresh_fields * rerolls << nothing)
            )
            stale[dice_left - 1] += (fresh_fields * renews + stale_fields * rerolls) << nothing
            packed_by_left[dice_left] = lay_ending(fresh_fields) + at_last(stale_fields)
        packed_by_left[0] = lay_any(fresh[0] + stale[0])
    return sum(
        fields * pool.sides**dice_left << nothing * dice_left
        for dice_left, fields in enumerate(packed_by_left)
    )


def _build_layer(faces: Iterable[tuple[int, int]], bits: int) -> Callable[[int], int]:
    """Return the function that adds one die to packed sums. `faces` are pairs of (value,
    weight).
    """
    weights = Counter[int]()
    for worth, weight in faces:
        weights[worth] += weight
    if len(weights) > _FEW:
        packed = sum(weight << bits * worth for worth, weight in weights.items())
        return lambda fields: fields * packed
    return lambda fields: sum(
        [fields * weight << bits * worth for worth, weight in weights.items()]
    )


def _count_rerolls(faces: Faces) -> int:
    """Return the number of faces that are rerolled."""
    return sum(weight for kind, _, weight in faces if kind == REROLLED)


def _sum_kept_chained(pool: Pool, faces: Faces, nothing: int, bits: int, budget: Budget) -> int:
    """Return the packed sums of the kept dice, by the number of final dice of each kind.

    Tables share what is laid where they keep the same places. These are counted from the highest
    die or from the lowest, whichever are fewer; and where they are open to the end they go up to
    `max_dice`: all of 3d6!dh1 are one from the highest, all of 3d6!kl2 from the lowest.
    """
    max_dice = pool.count + pool.extra
    limits = max_dice, pool.count, pool.count if pool.rerolls else 0
    budget.spend(len(faces) * limits[0] * limits[1] * (limits[2] + 1) * 30)
    tables = Counter[Counts]()
    for counts, times in count_ends(pool, _count_rerolls(faces)):
        tables[counts] += times
    kept_indices = {counts: list_kept_indices(pool.picks, sum(counts)) for counts in tables}
    highest = {
        counts: (indices.start, max_dice if indices.stop == sum(counts) else indices.stop)
        for counts, indices in kept_indices.items()
    }
    lowest = {
        counts: (
            sum(counts) - indices.stop,
            max_dice if indices.start == 0 else sum(counts) - indices.start,
        )
        for counts, indices in kept_indices.items()
    }
    if len(set(lowest.values())) < len(set(highest.values())):
        faces = faces[::-1]
        highest = lowest
    counts_by_window = {
        window: [counts for counts in tables if highest[counts] == window]
        for window in set(highest.values())
    }
    sums_by_window = {
        window: _lay(faces, window_counts, window, bits)
        for window, window_counts in counts_by_window.items()
    }
    return sum(
        sums_by_window[highest[counts]].get(counts, 0) * times
        << nothing * (max_dice - len(kept_indices[counts]))
        for counts, times in tables.items()
    )


def _lay(faces: Faces, wanted: Sequence[Counts], window: Window, bits: int) -> Mapping[Counts, int]:
    """Return the packed sums of the dice at the indices of the `window`, by the number of dice of
    each kind.

    Dice are laid in the order of `faces`, all dice of one face at a time; no more of each kind than
    any of `wanted` has, and with the last face of a kind no fewer.
    """
    first, last = window
    highest, fewest = (
        [of(counts[kind] for counts in wanted) for kind in range(3)] for of in (max, min)
    )
    laid: dict[Counts, int] = {(0, 0, 0): 1}
    for index, (kind, worth, weight) in enumerate(faces):
        next_laid = defaultdict[Counts, int](int)
        least = 0 if any(of == kind for of, _, _ in faces[index + 1 :]) else fewest[kind]
        for counts, fields in laid.items():
            dice_laid = sum(counts)
            number = counts[kind]
            for added in range(max(0, least - number), highest[kind] - number + 1):
                inside = max(0, min(dice_laid + added, last) - max(dice_laid, first))
                new_counts: Counts = (*counts[:kind], number + added, *counts[kind + 1 :])  # type: ignore[assignment]
                next_laid[new_counts] += (
                    fields * (comb(number + added, added) * weight**added)
                ) << bits * worth * inside
        laid = next_laid
    return laid


def count_ends(pool: Pool, again: int) -> Iterator[tuple[Counts, int]]:
    """Yield the possible numbers of final dice of each kind, with the ways to them, if `again`
    faces are rerolled.

    The ways leave out the weights of the faces, except for rerolled dice and dice that were never
    drawn.
    """
    count = pool.count
    extra = pool.extra
    for used in range(extra):
        for exploded in range(used + 1) if again else (used,):
            weight = (
                comb(count - 1 + used, used) * comb(used, exploded) * again ** (used - exploded)
            )
            yield (exploded, count, 0), weight * pool.sides ** (extra - used)
    for exploded in range(extra + 1) if again else (extra,):
        exploded_ways = comb(extra, exploded) * again ** (extra - exploded)
        for ended in range(count):
            remaining = count - ended
            for exploding in range(remaining + 1):
                for cut in range(remaining - exploding + 1) if again else (0,):
                    last_ways = (
                        comb(remaining, exploding)
                        * comb(remaining - exploding, cut)
                        * comb(extra - 1 + ended, ended)
                    )
                    yield (
                        (exploded + exploding, ended + remaining - exploding - cut, cut),
                        exploded_ways * last_ways,
                    )


# -- the odds of a whole expression


class Chances(Mapping[int | str, Fraction]):
    """The chance of each result, by rising result. It holds the `ways` of `total` equally likely
    ones, and makes a fraction on request.
    """

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


def compute_odds(expression: Expression) -> Chances:
    """Return the chance of each result of one repeat, by rising result; for a single die with
    words, of each face.

    Dice that are rerolled or explode are counted up to the limit of further dice, as in a roll. The
    result is cached. Raises UserError for several dice with words, and for expressions that would
    take too long.
    """
    cached: Chances | None = expression.kept.get("odds")
    if cached is None:
        weights = _count_faces(expression) if expression.is_text else _count_ways(expression)
        cached = expression.kept["odds"] = Chances(weights, sum(weights.values()))
    return cached


def _count_faces(expression: Expression) -> Mapping[Any, int]:
    """Return the ways to each face of a single die with words. Raises UserError for several
    dice.
    """
    (pool,) = expression.pools
    if pool.count > 1 or pool.faces is None:
        raise UserError(
            f"The odds of {expression.notation} cannot be computed: that only works for a single die with words.",
            code="no-odds",
        )
    return Counter(pool.faces)


def _count_ways(expression: Expression) -> Weights:
    """Return the ways to each number of an expression. Raises UserError if it takes too long."""
    budget = Budget(expression)

    def read(operand: Operand) -> Weights:
        return (
            {operand.value: 1} if isinstance(operand, Number) else _count_pool_ways(operand, budget)
        )

    def apply(operator: Operator, left: Weights, right: Weights) -> Weights:
        if operator.sign == "-":
            return _add_ways(left, _negate(right), budget)
        return (
            _add_ways(left, right, budget)
            if operator.sign == "+"
            else _combine_each(operator.sign, left, right, budget)
        )

    return compute(expression.program, read, apply)


def _negate(weights: Weights) -> Weights:
    return {-number: weights[number] for number in reversed(weights)}


def _add_ways(left: Weights, right: Weights, budget: Budget) -> Weights:
    """Return the ways to the sum of two independent numbers."""
    width = compute_width(sum(left.values()) * sum(right.values()))
    low = min(left) + min(right)
    high = max(left) + max(right)
    if is_dense(left) and is_dense(right) and (high - low + 2) * width <= MAX_BYTES:
        return unpack(pack(left, width) * pack(right, width), width, low)
    return _combine_each("+", left, right, budget)


def _combine_each(sign: str, left: Weights, right: Weights, budget: Budget) -> Weights:
    """Return the ways to `left` `sign` `right`, computed for each pair of numbers."""
    budget.spend(len(left) * len(right))
    combined: Weights = defaultdict(int)
    for a, weight in left.items():
        for b, other_weight in right.items():
            combined[arithmetic(sign, a, b)] += weight * other_weight
    return dict(sorted(combined.items()))


def _count_pool_ways(pool: Pool, budget: Budget) -> Weights:
    """Return the ways to the result of one pool. Raises UserError if it takes too long."""
    budget.spend(pool.sides)
    if is_chained(pool):
        return count_chained_ways(pool, budget)
    if pool.as_digits:
        return {join_digits(digits): 1 for digits in product(pool.values, repeat=pool.count)}
    die = count_die_ways(pool)
    if pool.picks:
        return _sum_kept(pool, die, budget)
    worth: Weights = defaultdict(int)
    for value, weight in zip(list_die_values(pool, die), die.values(), strict=True):
        worth[value] += weight
    if is_dense(worth):
        low = min(worth)
        width = budget.room(pool.count * (max(worth) - low) + 1, sum(worth.values()) ** pool.count)
        return unpack(pack(worth, width) ** pool.count, width, low * pool.count)
    total = dict(sorted(worth.items()))
    for _ in range(pool.count - 1):
        total = _add_ways(total, worth, budget)
    return total


def count_die_ways(pool: Pool) -> Weights:
    """Return the ways to each number on one die, after a reroll that happens once."""
    if not pool.once and pool.faces is None:
        return dict.fromkeys(pool.values, 1)
    plain = Counter(pool.values)
    again = {
        value: weight
        for value, weight in plain.items()
        if any(test.fits(value) for test in pool.once)
    }
    rerolled = sum(again.values())
    weights = {
        value: weight * rerolled + (weight - again.get(value, 0)) * pool.sides
        for value, weight in plain.items()
    }
    common = gcd(*weights.values())
    return {value: weight // common for value, weight in sorted(weights.items()) if weight}


def _sum_kept(pool: Pool, die: Weights, budget: Budget) -> Weights:
    """Return the ways to the sum of the dice that a pool keeps. `die` are the ways to each number
    on one die, rising.

    Dice are laid in falling order, all of one face at a time, until the last one that is kept is
    among them: the others show that face or a lower one. The lowest of them are the highest of dice
    with the other sign.
    """
    indices = list_kept_indices(pool.picks, pool.count)
    first = indices.start
    last = indices.stop
    faces = [*zip(list_die_values(pool, die), die.values(), strict=True)][::-1]
    is_lowest = first > 0 and last == pool.count
    if is_lowest:
        faces = [(-worth, weight) for worth, weight in faces[::-1]]
        first, last = 0, last - first
    low = min(worth for worth, _ in faces)
    number = last - first
    # faces far apart take no more room than others
    step = gcd(*(worth - low for worth, _ in faces)) or 1
    faces = [((worth - low) // step, weight) for worth, weight in faces]
    highest = number * max(worth for worth, _ in faces)
    faces_below = sum(die.values())
    width = budget.room(highest + 1, faces_below**pool.count)
    budget.spend(len(faces) * last * pool.count * (1 + highest * width // 1500))
    total = 0
    sums_by_count = {0: 1}
    for worth, weight in faces:
        faces_below -= weight
        next_sums = defaultdict[int, int](int)
        for dice_laid, fields in sums_by_count.items():
            for added in range(pool.count - dice_laid + 1):
                inside = max(0, min(dice_laid + added, last) - max(dice_laid, first))
                fields_laid = (
                    fields * (comb(pool.count - dice_laid, added) * weight**added)
                    << 8 * width * worth * inside
                )
                if dice_laid + added < last:
                    next_sums[dice_laid + added] += fields_laid
                else:
                    total += fields_laid * faces_below ** (pool.count - dice_laid - added)
        sums_by_count = next_sums
    weights = unpack(total, width, low * number, step)
    return _negate(weights) if is_lowest else weights
