"""The ways to each sum of dice of which some are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb, gcd

from bot.rules.expression.model import Choice, Pick, Pool
from bot.rules.expression.packed import Budget, Counted, Packed, Weights, negative, unpack

Counts = tuple[int, ...]
"""How many dice are laid of each kind."""
Window = tuple[int, int]
"""From which place on dice are kept, and before which."""
Faces = list[tuple[int, int, int]]
"""Faces in the order in which dice are laid: the kind of die that shows it, what it is worth, the ways to it."""


def places(picks: Iterable[Pick], count: int) -> Window:
    """Which of so many dice in falling order are kept: from the first place, up to before the second."""
    first, last = 0, count
    for pick in picks:
        match pick.choice:
            case Choice.KEEP_HIGHEST:
                last = min(last, first + pick.number)
            case Choice.KEEP_LOWEST:
                first = max(first, last - pick.number)
            case Choice.DROP_HIGHEST:
                first += pick.number
            case Choice.DROP_LOWEST:
                last -= pick.number
    return first, last


def worths(pool: Pool, values: Iterable[int]) -> list[int]:
    """What dice that show these numbers count for: the number, or 1 where it fits and 0 where it does not."""
    if pool.count_if is None:
        return list(values)
    low, high = pool.count_if.span
    return [int(low <= value <= high) for value in values]


def kept(pool: Pool, die: Weights, budget: Budget) -> Counted:
    """The ways of the dice that a pool keeps. `die` are the ways to each number on one, rising."""
    first, last = places(pool.picks, pool.count)
    is_lowest = first > 0 and last == pool.count  # they are the highest of dice with the other sign
    faces = [*zip(worths(pool, die), die.values(), strict=True)]
    faces = [(-worth, ways) for worth, ways in faces] if is_lowest else faces[::-1]
    low, number = min(worth for worth, _ in faces), last - first
    apart = gcd(*(worth - low for worth, _ in faces)) or 1  # faces far apart take no more room than others
    faces = [((worth - low) // apart, ways) for worth, ways in faces]
    steps, total = max(worth for worth, _ in faces), sum(die.values()) ** pool.count
    width = budget.room(number * steps + 1, total)
    if first == 0 or is_lowest:
        products = (number - 1) * (number - 2) // 2  # of long numbers, by the length of the shorter
        budget.spend(len(faces) * (number * pool.count + products * (steps * width // 4) ** 2 // 600))
        fields = _highest(faces, pool.count, number, 8 * width)
    else:
        budget.spend(len(faces) * pool.count**2 * (1 + number * steps * width // 4000) // 2)
        order = [(0, worth, ways) for worth, ways in faces]
        fields = lay(order, (pool.count,), (first, last), 8 * width)[pool.count,]
    found: Counted = Packed(low * number, fields, width, total)
    if apart > 1:
        found = {low * number + apart * at: ways for at, ways in unpack(Packed(0, fields, width, total)).items()}
    return negative(found) if is_lowest else found


def _highest(faces: list[tuple[int, int]], count: int, number: int, bits: int) -> int:
    """The packed sums of the first `number` of `count` dice in the order of `faces`, each with its worth and its ways.

    With the dice in that order, each roll is counted under the face that the last kept die shows. Say that `ahead` of
    the kept dice show an earlier face.
    - They can be any of the dice: comb(count, ahead). Their sums are `before` ** ahead, `before` being one such die.
    - The other kept dice show the face itself, and add its worth each.
    - What is not ahead shows the face or a later one, but a later one on no more than `spare` dice, since only so many
      are not kept. `rest` has the ways to that.

    So a face has the sum of comb * rest * before ** ahead for every `ahead` below `number`. Horner's rule adds that up
    from the highest power down, with one multiplication by `before` each. Meanwhile `rest` gains one die at a time: it
    shows any face that is left, except where `spare` dice show a later one already and it would be one more. To keep
    the numbers short, worths are counted from `low`, the least so far.
    """
    spare = count - number
    choices = [(comb(count, others), comb(others - 1, spare)) for others in range(spare + 1, count + 1)]
    left = sum(ways for _, ways in faces)
    low = max(worth for worth, _ in faces)
    total = before = 0
    for worth, ways in faces:
        if worth < low:
            before, low = before << bits * (low - worth), worth
        more = bits * (worth - low)
        here, left = left, left - ways
        rest, full = here**spare, left ** (spare + 1)
        sums = upward = 0
        for ways_ahead, ways_full in choices:
            rest = rest * here - ways_full * full
            full *= ways
            upward += more
            sums = sums * before + (ways_ahead * rest << upward)
        total += sums << bits * low * number
        before += ways << more
    return total


def lay(faces: Faces, limits: Counts, window: Window, bits: int) -> Mapping[Counts, int]:
    """The packed sums of the dice at the places of the `window`, by how many of each kind are laid in all.

    Dice are laid in the order of `faces`, all dice of one face at a time, up to so many of each kind.
    """
    first, last = window
    laid: dict[Counts, int] = {(0,) * len(limits): 1}
    for kind, worth, ways in faces:
        after: dict[Counts, int] = {}
        for counts, fields in laid.items():
            here, number = sum(counts), counts[kind]
            for more in range(limits[kind] - number + 1):
                inside = max(0, min(here + more, last) - max(here, first))
                new = (*counts[:kind], number + more, *counts[kind + 1 :])
                grown = (fields * (comb(number + more, more) * ways**more)) << bits * worth * inside
                after[new] = after.get(new, 0) + grown
        laid = after
    return laid
