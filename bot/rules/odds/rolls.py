"""Rolls grouped for odds: of those that come to the same one stands for all, with how many it
stands for.
"""

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
            "These odds are too large to count.",
            hint="Ask for one unit at a time, or for fewer units and dice.",
            code="too-large",
        )


@lru_cache(maxsize=256)
def group_alike(count: int, classes: Weighted) -> Weighted:
    """`count` alike dice of which only matters how many fall into each class: ((ways, a roll),
    ...).

    `classes` are those of one die, as `group_values` gives them; what comes back is one
    multinomial.
    """
    groups: list[tuple[int, Roll]] = [(1, ())]
    for last, (faces, roll) in enumerate(classes, 1):
        further: list[tuple[int, Roll]] = []
        for ways, before in groups:
            left = count - len(before)
            numbers = range(left if last == len(classes) else 0, left + 1)
            further += [
                (ways * comb(left, number) * faces**number, before + roll * number)
                for number in numbers
            ]
        groups = further
    return tuple(groups)


@lru_cache(maxsize=64)
def group_sums(count: int, sides: int) -> Weighted:
    """`count` alike dice of which only the sum matters: ((ways, a roll with that sum), ...)."""
    ways: dict[int, tuple[int, Roll]] = {0: (1, ())}
    for _ in range(count):
        further: dict[int, tuple[int, Roll]] = {}
        for total, (number, roll) in ways.items():
            for face in range(1, sides + 1):
                before = further.get(total + face)
                further[total + face] = (number + (before[0] if before else 0), (*roll, face))
        ways = further
    return tuple(ways.values())


@lru_cache(maxsize=256)
def _list_all_rolls(dice: tuple[tuple[int, tuple[int, ...] | None], ...]) -> Weighted:
    size = 1
    for sides, _ in dice:
        size *= sides
    if size > ROLLS_AT_ONCE:
        raise TooManyStates
    faces = [range(1, sides + 1) if faces is None else faces for sides, faces in dice]
    ways: dict[Roll, int] = {}
    for roll in product(*faces):
        ways[roll] = ways.get(roll, 0) + 1
    return tuple((count, roll) for roll, count in ways.items())


def list_all_rolls(dice: tuple[Die, ...]) -> Weighted:
    """All rolls of `dice` in order, with how many of the equally likely ones each stands for."""
    return _list_all_rolls(tuple([(die.sides, die.faces) for die in dice]))


Apart = tuple[tuple[int, Weighted], ...]
"""Dice at their places, rising, each with its own classes."""


def group_values(faces: Iterable[Any], key: Callable[[Any], Any]) -> Weighted:
    """The faces of one die grouped by `key`: ((how many, a roll that stands for them), ...)."""
    groups: dict[Any, list[Any]] = {}
    for face in faces:
        groups.setdefault(key(face), []).append(face)
    return tuple((len(alike), (alike[0],)) for alike in groups.values())


@lru_cache(maxsize=256)
def list_pool_rolls(count: int, classes: Weighted, apart: Apart = ()) -> Weighted:
    """All rolls of `count` alike dice by class, the dice `apart` one by one by classes of their
    own.

    Raises TooManyStates where too many dice are asked for one by one.
    """
    rest = count - len(apart)
    singles = prod(len(own) for _, own in apart)
    if singles * comb(rest + len(classes) - 1, rest) > ROLLS_AT_ONCE:
        raise TooManyStates
    alike = group_alike(rest, classes)
    if not apart:
        return alike
    groups = []
    for faces in product(*(own for _, own in apart)):
        weight = prod(ways for ways, _ in faces)
        for ways, roll in alike:
            mixed = list(roll)
            for (at, _), (_, one) in zip(apart, faces, strict=True):
                mixed.insert(at, one[0])
            groups.append((weight * ways, tuple(mixed)))
    return tuple(groups)
