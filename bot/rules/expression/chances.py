"""The exact odds of an expression, counted without rolling. Bounded: what takes too long is
refused.

The ways to each number are side by side in one large whole number. Written with a digit for each
number, a d4 is 1111: one way each to 1, 2, 3 and 4. And 1111 * 1111 is 1234321: the ways to 2, 3,
and so on to 8 with 2d4. Just so a packed count has a field of `width` bytes for each number, lowest
first. Multiplying two adds the dice of both, a power is so many dice alike, and nothing is ever
carried from one field to the next as long as all the ways fit into one.

Dice that are rerolled or explode are counted up to the limit of further dice, just as they are
rolled. Each die that is drawn either ends one of the dice written, or takes one of the further
dice: it is rerolled, or it explodes. So what counts is how many further dice there were before the
last die ended; once all are used up, each die that is still to come ends with whatever it shows.
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
"""Bytes of a field up to which Python has a list of them at once."""
_SPREAD = 64
"""A die is not packed that has more than so many numbers between its lowest and its highest for
each of its own.
"""
_FEW = 6
"""Up to so many faces of a die are laid one by one, which is quicker than as one packed count."""
MAX_STEPS = 300_000  # additions of one count, about a tenth of a second
MAX_BYTES = 200_000  # of a packed count, which takes about as long

Weights = dict[int, int]
"""How many of all the equally likely ways come to each number, rising."""
EXPLODING, ENDING, REROLLED = range(3)
Counts = tuple[int, int, int]
"""How many dice lie in the end that exploded, that ended, and that were cut short."""
Window = tuple[int, int]
"""From which place on dice are kept, and before which."""
Faces = list[tuple[int, int, int]]
"""Faces of a die, falling: the kind of each, what it is worth beyond the lowest, the ways to it."""


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

    def room(self, numbers: int, total: int) -> int:
        """The width in bytes of the fields of a packed count of so many `numbers` and `total` ways.

        Raises UserError where it would be too large.
        """
        width = compute_width(total)
        if numbers * width > MAX_BYTES:
            self.refuse()
        return width

    def refuse(self) -> None:
        """Raise the UserError for what is too large."""
        what = f"The odds of {self.expression.notation} take too long to count. Fewer dice or fewer sides will do."
        raise UserError(what, code="too-large")


def compute_width(total: int) -> int:
    """The bytes of a field that holds `total` ways."""
    return max(_WORD, (total.bit_length() + 7) // 8)


def is_dense(weights: Weights) -> bool:
    """Return whether the numbers are near enough to each other to be packed."""
    return max(weights) - min(weights) <= _SPREAD * len(weights)


def pack(weights: Mapping[int, int], width: int) -> int:
    """The ways to each number from the lowest on, in fields of so many bytes."""
    ways = [weights.get(number, 0) for number in range(min(weights), max(weights) + 1)]
    if width == _WORD:
        return int.from_bytes(struct.pack(f"<{len(ways)}Q", *ways), "little")
    return int.from_bytes(b"".join([some.to_bytes(width, "little") for some in ways]), "little")


def unpack(fields: int, width: int, low: int, apart: int = 1) -> Weights:
    """The ways to each number that can come: the first field is for `low`, the next for so many
    more.
    """
    count = -(-fields.bit_length() // (8 * width))
    raw = fields.to_bytes(count * width, "little")
    ways: Sequence[int] = (
        struct.unpack(f"<{count}Q", raw)
        if width == _WORD
        else [int.from_bytes(raw[at : at + width], "little") for at in range(0, len(raw), width)]
    )
    return {low + apart * at: some for at, some in enumerate(ways) if some}


def list_die_values(pool: Pool, values: Iterable[int]) -> list[int]:
    """What dice that show these numbers count for: the number, or 1 where it fits and 0 where it
    does not.
    """
    if pool.count_if is None:
        return list(values)
    low, high = pool.count_if.span
    return [int(low <= value <= high) for value in values]


def is_chained(pool: Pool) -> bool:
    """Return whether a die of the pool may bring any number of further ones."""
    return bool(pool.rerolls or pool.explodes)


def count_chained_ways(pool: Pool, budget: Budget) -> Weights:
    """The ways of such a pool. Raises UserError for too many dice, and where some are kept after a
    reroll that happens once."""
    if pool.once and pool.picks:
        what = f"The odds of {pool.notation} cannot be counted: ro, further dice and some that are kept are too much."
        raise UserError(what, hint="Leave out one of the three.", code="no-odds")
    low, faces = list_faces(pool, list_die_values(pool, dict.fromkeys(pool.values)))
    most = pool.count + pool.extra
    numbers = most * max(worth for _, worth, _ in faces) + 1
    width = budget.room(numbers, pool.sides**most)
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
    return unpack(fields, width, low * most)


def list_faces(pool: Pool, worth: Iterable[int]) -> tuple[int, Faces]:
    """The least that a die is worth, at most 0 as a die that is not drawn; and its faces, each
    with its `worth`.
    """
    ways = Counter(pool.values)
    worths = dict(zip(ways, worth, strict=True))
    low = min(0, *worths.values())

    def kind(value: int) -> int:
        if any(test.fits(value) for test in pool.rerolls):
            return REROLLED
        return EXPLODING if any(test.fits(value) for test in pool.explodes) else ENDING

    return low, [
        (kind(value), worths[value] - low, ways[value]) for value in sorted(ways, reverse=True)
    ]


def sum_dice(pool: Pool, faces: Faces, nothing: int, bits: int) -> int:
    """All dice added up, packed in fields of so many `bits`: a closed form over the number of
    further dice. What is not drawn weighs as much as a die, and is `nothing` bits up."""
    count = pool.count
    extra = pool.extra
    burst, end = (
        _build_layer(((up, ways) for of, up, ways in faces if of == kind), bits)
        for kind in (EXPLODING, ENDING)
    )
    every = _build_layer(((up, ways) for _, up, ways in faces), bits)
    again = _count_rerolls(faces)
    total = cut = 0
    power = 1
    for used in range(extra):
        total += power * comb(count - 1 + used, used) * pool.sides ** (extra - used) << nothing * (
            extra - used
        )
        power = burst(power) + (power * again << nothing)
    for ended in range(count):
        total = end(total)
        cut = every(cut + power * comb(extra - 1 + ended, ended))
        power = end(power)
    return total + cut


def sum_rerolled_dice(pool: Pool, worth: Iterable[int], nothing: int, bits: int) -> int:
    """The same by the `worth` of each face where a die may be rerolled once: die by die, by how
    many further ones are left, `fresh` until it was rerolled."""
    pairs = [*zip(pool.values, worth, strict=True)]
    again, once, bursts = (
        {value for value in pool.values if any(test.fits(value) for test in tests)}
        for tests in (pool.rerolls, pool.once, pool.explodes)
    )
    ends = {*pool.values} - again - bursts
    burst, late, end, at_last, every = (
        _build_layer(((up, 1) for value, up in pairs if value in some), bits)
        for some in (bursts - again - once, bursts - again, ends - once, ends, pool.values)
    )
    rerolls, renews = (
        sum(value in some for value in pool.values) for some in (again, once - again)
    )
    left = [0] * pool.extra + [1]
    for _ in range(pool.count):
        fresh = left
        stale = [0] * len(left)
        left = [0] * len(left)
        for more in range(pool.extra, 0, -1):
            new = fresh[more]
            old = stale[more]
            fresh[more - 1] += burst(new) + late(old) + (new * rerolls << nothing)
            stale[more - 1] += (new * renews + old * rerolls) << nothing
            left[more] = end(new) + at_last(old)
        left[0] = every(fresh[0] + stale[0])
    return sum(fields * pool.sides**more << nothing * more for more, fields in enumerate(left))


def _build_layer(faces: Iterable[tuple[int, int]], bits: int) -> Callable[[int], int]:
    """What lays a further die: `faces` are what each is worth, and the ways to it. A few are
    added one by one.
    """
    ways = Counter[int]()
    for worth, some in faces:
        ways[worth] += some
    if len(ways) > _FEW:
        packed = sum(some << bits * worth for worth, some in ways.items())
        return lambda fields: fields * packed
    return lambda fields: sum([fields * some << bits * worth for worth, some in ways.items()])


def _count_rerolls(faces: Faces) -> int:
    return sum(ways for kind, _, ways in faces if kind == REROLLED)


def _sum_kept_chained(pool: Pool, faces: Faces, nothing: int, bits: int, budget: Budget) -> int:
    """Those that are kept added up, by how many dice of each kind are on the table in the end.

    Tables share what is laid where they keep the same places. These are counted from the highest
    die or from the lowest, whichever are fewer; and where they are open to the end they go up to
    `most`: all of 3d6!dh1 are one from the highest, all of 3d6!kl2 from the lowest.
    """
    most = pool.count + pool.extra
    limits = most, pool.count, pool.count if pool.rerolls else 0
    budget.spend(len(faces) * limits[0] * limits[1] * (limits[2] + 1) * 30)
    tables = Counter[Counts]()
    for counts, times in count_ends(pool, _count_rerolls(faces)):
        tables[counts] += times
    kept = {counts: list_kept_indices(pool.picks, sum(counts)) for counts in tables}
    highest = {
        counts: (at.start, most if at.stop == sum(counts) else at.stop)
        for counts, at in kept.items()
    }
    lowest = {
        counts: (sum(counts) - at.stop, most if at.start == 0 else sum(counts) - at.start)
        for counts, at in kept.items()
    }
    if len(set(lowest.values())) < len(set(highest.values())):
        faces = faces[::-1]
        highest = lowest
    ends = {
        window: [counts for counts in tables if highest[counts] == window]
        for window in set(highest.values())
    }
    laid = {window: _lay(faces, some, window, bits) for window, some in ends.items()}
    return sum(
        laid[highest[counts]].get(counts, 0) * times << nothing * (most - len(kept[counts]))
        for counts, times in tables.items()
    )


def _lay(faces: Faces, ends: Sequence[Counts], window: Window, bits: int) -> Mapping[Counts, int]:
    """The packed sums of the dice at the places of the `window`, by how many of each kind are laid
    in all.

    Dice are laid in the order of `faces`, all dice of one face at a time; no more of each kind than
    any of `ends` has, and with the last face of a kind no fewer.
    """
    first, last = window
    most, fewest = ([of(counts[kind] for counts in ends) for kind in range(3)] for of in (max, min))
    laid: dict[Counts, int] = {(0, 0, 0): 1}
    for at, (kind, worth, ways) in enumerate(faces):
        after = defaultdict[Counts, int](int)
        least = 0 if any(of == kind for of, _, _ in faces[at + 1 :]) else fewest[kind]
        for counts, fields in laid.items():
            here = sum(counts)
            number = counts[kind]
            for more in range(max(0, least - number), most[kind] - number + 1):
                inside = max(0, min(here + more, last) - max(here, first))
                new: Counts = (*counts[:kind], number + more, *counts[kind + 1 :])  # type: ignore[assignment]
                after[new] += (
                    fields * (comb(number + more, more) * ways**more)
                ) << bits * worth * inside
        laid = after
    return laid


def count_ends(pool: Pool, again: int) -> Iterator[tuple[Counts, int]]:
    """Return how many dice may lie in the end that exploded, that ended, and that were cut short;
    and the ways to that, where `again` faces are rerolled.

    What its faces weigh is left out of the ways, but for the dice that were rerolled and those
    never drawn.
    """
    count = pool.count
    extra = pool.extra
    for used in range(extra):
        for exploded in range(used + 1) if again else (used,):
            here = comb(count - 1 + used, used) * comb(used, exploded) * again ** (used - exploded)
            yield (exploded, count, 0), here * pool.sides ** (extra - used)
    for exploded in range(extra + 1) if again else (extra,):
        before = comb(extra, exploded) * again ** (extra - exploded)
        for done in range(count):
            left = count - done
            for more in range(left + 1):
                for cut in range(left - more + 1) if again else (0,):
                    ways = comb(left, more) * comb(left - more, cut) * comb(extra - 1 + done, done)
                    yield (exploded + more, done + left - more - cut, cut), before * ways


# -- the odds of a whole expression


class Chances(Mapping[int | str, Fraction]):
    """The chance of each result, rising. Kept as the `ways` to it of `total` ones, all equally
    likely: a fraction is made when it is asked for."""

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
    """The chance of each result of one repeat of `expression`, rising; of a single die with words,
    of each face.

    Dice that are rerolled or explode are counted as they are rolled: up to the limit of further
    dice. Raises UserError for several dice with words, and for expressions that would take too long
    to count. It is counted once.
    """
    known: Chances | None = expression.kept.get("odds")
    if known is None:
        ways = _count_faces(expression) if expression.is_text else _count_ways(expression)
        known = expression.kept["odds"] = Chances(ways, sum(ways.values()))
    return known


def _count_faces(expression: Expression) -> Mapping[Any, int]:
    (pool,) = expression.pools
    if pool.count > 1 or pool.faces is None:
        raise UserError(
            f"The odds of {expression.notation} cannot be counted: only one die with words can.",
            code="no-odds",
        )
    return Counter(pool.faces)


def _count_ways(expression: Expression) -> Weights:
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
    """The ways to what `left` and `right` come to together, which know nothing of each other."""
    width = compute_width(sum(left.values()) * sum(right.values()))
    low = min(left) + min(right)
    high = max(left) + max(right)
    if is_dense(left) and is_dense(right) and (high - low + 2) * width <= MAX_BYTES:
        return unpack(pack(left, width) * pack(right, width), width, low)
    return _combine_each("+", left, right, budget)


def _combine_each(sign: str, left: Weights, right: Weights, budget: Budget) -> Weights:
    """The ways to `left` `sign` `right`, one number of each at a time."""
    budget.spend(len(left) * len(right))
    after: Weights = defaultdict(int)
    for a, ways in left.items():
        for b, more in right.items():
            after[arithmetic(sign, a, b)] += ways * more
    return dict(sorted(after.items()))


def _count_pool_ways(pool: Pool, budget: Budget) -> Weights:
    budget.spend(pool.sides)
    if is_chained(pool):
        return count_chained_ways(pool, budget)
    if pool.as_digits:
        return {join_digits(digits): 1 for digits in product(pool.values, repeat=pool.count)}
    die = count_die_ways(pool)
    if pool.picks:
        return _sum_kept(pool, die, budget)
    worth: Weights = defaultdict(int)
    for value, ways in zip(list_die_values(pool, die), die.values(), strict=True):
        worth[value] += ways
    if is_dense(worth):
        low = min(worth)
        width = budget.room(pool.count * (max(worth) - low) + 1, sum(worth.values()) ** pool.count)
        return unpack(pack(worth, width) ** pool.count, width, low * pool.count)
    total = dict(sorted(worth.items()))
    for _ in range(pool.count - 1):
        total = _add_ways(total, worth, budget)
    return total


def count_die_ways(pool: Pool) -> Weights:
    """The ways to each number on one die, after a reroll that happens once."""
    if not pool.once and pool.faces is None:
        return dict.fromkeys(pool.values, 1)
    plain = Counter(pool.values)
    again = {
        value: ways for value, ways in plain.items() if any(test.fits(value) for test in pool.once)
    }
    rerolled = sum(again.values())
    weights = {
        value: ways * rerolled + (ways - again.get(value, 0)) * pool.sides
        for value, ways in plain.items()
    }
    common = gcd(*weights.values())
    return {value: ways // common for value, ways in sorted(weights.items()) if ways}


def _sum_kept(pool: Pool, die: Weights, budget: Budget) -> Weights:
    """The ways to the sum of the dice that a pool keeps. `die` are the ways to each number on one,
    rising.

    Dice are laid in falling order, all of one face at a time, until the last one that is kept is
    among them: the others show that face or a lower one. The lowest of them are the highest of dice
    with the other sign.
    """
    at = list_kept_indices(pool.picks, pool.count)
    first = at.start
    last = at.stop
    faces = [*zip(list_die_values(pool, die), die.values(), strict=True)][::-1]
    is_lowest = first > 0 and last == pool.count
    if is_lowest:
        faces = [(-worth, ways) for worth, ways in faces[::-1]]
        first, last = 0, last - first
    low = min(worth for worth, _ in faces)
    number = last - first
    # faces far apart take no more room than others
    apart = gcd(*(worth - low for worth, _ in faces)) or 1
    faces = [((worth - low) // apart, ways) for worth, ways in faces]
    most = number * max(worth for worth, _ in faces)
    left = sum(die.values())
    width = budget.room(most + 1, left**pool.count)
    budget.spend(len(faces) * last * pool.count * (1 + most * width // 1500))
    total = 0
    laid = {0: 1}
    for worth, ways in faces:
        left -= ways
        after = defaultdict[int, int](int)
        for here, fields in laid.items():
            for more in range(pool.count - here + 1):
                inside = max(0, min(here + more, last) - max(here, first))
                grown = (
                    fields * (comb(pool.count - here, more) * ways**more)
                    << 8 * width * worth * inside
                )
                if here + more < last:
                    after[here + more] += grown
                else:
                    total += grown * left ** (pool.count - here - more)
        laid = after
    found = unpack(total, width, low * number, apart)
    return _negate(found) if is_lowest else found
