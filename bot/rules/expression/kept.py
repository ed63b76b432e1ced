"""The ways to each sum of dice of which some are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb, gcd
from typing import TYPE_CHECKING

from bot.rules.expression.model import Choice, Pick, Pool
from bot.rules.expression.packed import Packed, Weights, unpack

if TYPE_CHECKING:
    from bot.rules.expression.chances import Budget

Counts = tuple[int, ...]
"""How many dice are laid of each kind."""
Faces = list[tuple[int, int, int]]
"""Faces in the order in which dice are laid: the kind of die that shows it, what it is worth, the ways to it."""


def places(picks: Iterable[Pick], count: int) -> tuple[int, int]:
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


def kept(pool: Pool, die: Weights, budget: Budget) -> Weights:
    """The weights of the dice that a pool keeps. `die` are the ways to each number on one, rising."""
    first, last = places(pool.picks, pool.count)
    fits = None if pool.count_if is None else pool.count_if.fits
    faces = [(value if fits is None else int(fits(value)), ways) for value, ways in reversed(die.items())]
    low, number = min(worth for worth, _ in faces), last - first
    apart = gcd(*(worth - low for worth, _ in faces)) or 1  # faces far apart take no more room than others
    faces = [((worth - low) // apart, ways) for worth, ways in faces]
    steps = max(worth for worth, _ in faces)
    width = budget.room(number * steps + 1, sum(die.values()) ** pool.count)
    if first == 0 or last == pool.count:
        if first:
            faces.reverse()
        products = (number - 1) * (number - 2) // 2  # of long numbers, by the length of the shorter
        budget.spend(len(faces) * (number * pool.count + products * (steps * width // 4) ** 2 // 600))
        fields = _first_kept(faces, pool.count, number, 8 * width)
    else:
        budget.spend(len(faces) * pool.count**2 * (1 + number * steps * width // 4000) // 2)
        order = [(0, worth, ways) for worth, ways in faces]
        fields = lay(order, (pool.count,), (first, last), 8 * width)[pool.count,]
    return {low * number + apart * value: ways for value, ways in unpack(Packed(0, fields), width).items()}


def _first_kept(faces: list[tuple[int, int]], count: int, number: int, bits: int) -> int:
    """The packed sums of the first `number` of `count` dice in the order of `faces`.

    Each term has a face that the last of them shows, and how many dice are before it: those are free to show any face
    before, and of the others as many show the face as it takes, or more.
    """
    total, before, left = 0, 0, sum(ways for _, ways in faces)
    for worth, ways in faces:
        left -= ways
        power = 1
        for ahead in range(number if before else 1):
            if ahead:
                power *= before
            others = count - ahead
            few = _at_least(others, number - ahead, ways, left)
            total += (power * (comb(count, ahead) * few)) << bits * worth * (number - ahead)
        before += ways << bits * worth
    return total


def _at_least(dice: int, least: int, ways: int, other: int) -> int:
    """The ways in which at least so many dice show one face, which has `ways` ways, beside `other` ones."""
    if dice - least < least:
        return sum(comb(dice, some) * other**some * ways ** (dice - some) for some in range(dice - least + 1))
    fewer: int = sum(comb(dice, some) * ways**some * other ** (dice - some) for some in range(least))
    every: int = (ways + other) ** dice
    return every - fewer


def lay(faces: Faces, limits: Counts, window: tuple[int, int], bits: int) -> Mapping[Counts, int]:
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
