"""Rolls grouped for odds: one roll stands for all that have the same effect, with their number."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import Any

from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Roll, Weighted

ROLLS_AT_ONCE = 200_000


class TooManyStates(UserError):
    """The odds asked for need more work than the budget allows."""

    def __init__(self) -> None:
        super().__init__(
            "These odds take too long to compute.",
            hint="Ask for one unit at a time, or for fewer units and dice.",
            code="too-large",
        )


@lru_cache(maxsize=256)
def group_alike(count: int, classes: Weighted) -> Weighted:
    """Return the rolls of `count` identical dice as (weight, roll), one for each combination of
    numbers of dice in each class: a multinomial distribution.

    `classes` are those of one die, as `group_values` returns them.
    """
    groups: list[tuple[int, Roll]] = [(1, ())]
    for position, (faces, roll) in enumerate(classes, 1):
        further: list[tuple[int, Roll]] = []
        for weight, roll_before in groups:
            remaining = count - len(roll_before)
            least = remaining if position == len(classes) else 0
            for number in range(least, remaining + 1):
                new_weight = weight * comb(remaining, number) * faces**number
                further.append((new_weight, roll_before + roll * number))
        groups = further
    return tuple(groups)


@lru_cache(maxsize=64)
def group_sums(count: int, sides: int) -> Weighted:
    """Return the rolls of `count` identical dice as (weight, roll), one for each sum."""
    rolls_by_sum: dict[int, tuple[int, Roll]] = {0: (1, ())}
    for _ in range(count):
        further: dict[int, tuple[int, Roll]] = {}
        for total, (number, roll) in rolls_by_sum.items():
            for face in range(1, sides + 1):
                earlier, _ = further.get(total + face, (0, ()))
                further[total + face] = (earlier + number, (*roll, face))
        rolls_by_sum = further
    return tuple(rolls_by_sum.values())


@lru_cache(maxsize=256)
def _list_all_rolls(dice: tuple[tuple[int, tuple[int, ...] | None], ...]) -> Weighted:
    """Compute the result of `list_all_rolls` for dice given by sides and faces, to cache it."""
    size = 1
    for sides, _ in dice:
        size *= sides
    if size > ROLLS_AT_ONCE:
        raise TooManyStates
    faces = [range(1, sides + 1) if faces is None else faces for sides, faces in dice]
    weights: dict[Roll, int] = {}
    for roll in product(*faces):
        weights[roll] = weights.get(roll, 0) + 1
    return tuple((count, roll) for roll, count in weights.items())


def list_all_rolls(dice: tuple[Die, ...]) -> Weighted:
    """Return all rolls of `dice` as (weight, roll). Raises TooManyStates for too many."""
    return _list_all_rolls(tuple([(die.sides, die.faces) for die in dice]))


Apart = tuple[tuple[int, Weighted], ...]
"""Dice as (index in the roll, classes of the die), by rising index."""


def group_values(faces: Iterable[Any], key: Callable[[Any], Any]) -> Weighted:
    """Return the faces of one die grouped by `key`: for each group (number of faces, roll).

    The roll is a tuple of one face that stands for the group.
    """
    groups: dict[Any, list[Any]] = {}
    for face in faces:
        groups.setdefault(key(face), []).append(face)
    return tuple((len(members), (members[0],)) for members in groups.values())


@lru_cache(maxsize=256)
def list_pool_rolls(count: int, classes: Weighted, apart: Apart = ()) -> Weighted:
    """Return the rolls of `count` identical dice as (weight, roll), grouped by class.

    The dice `apart` are not grouped with the others; each has its own classes. Raises TooManyStates
    if there are too many of them.
    """
    others = count - len(apart)
    singles = prod(len(die_classes) for _, die_classes in apart)
    if singles * comb(others + len(classes) - 1, others) > ROLLS_AT_ONCE:
        raise TooManyStates
    grouped = group_alike(others, classes)
    if not apart:
        return grouped
    groups = []
    for faces in product(*(die_classes for _, die_classes in apart)):
        separate_weight = prod(weight for weight, _ in faces)
        for weight, roll in grouped:
            mixed = list(roll)
            for (index, _), (_, face) in zip(apart, faces, strict=True):
                mixed.insert(index, face[0])
            groups.append((separate_weight * weight, tuple(mixed)))
    return tuple(groups)
