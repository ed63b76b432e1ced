"""Several alike dice rolled at once: how many of them fall into each class, some of them told apart by place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import Any

from bot.rules.odds.odds import ROLLS_AT_ONCE, TooManyStates, Weighted, group_alike

Apart = tuple[tuple[int, Weighted], ...]
"""Dice at their places, rising, each with its own classes."""


def group_values(faces: Iterable[Any], key: Callable[[Any], Any]) -> Weighted:
    """The faces of one die grouped by `key`: ((how many, a roll that stands for them), ...)."""
    groups: dict[Any, list[Any]] = {}
    for face in faces:
        groups.setdefault(key(face), []).append(face)
    return tuple((len(alike), (alike[0],)) for alike in groups.values())


@lru_cache(maxsize=256)
def pool(count: int, classes: Weighted, apart: Apart = ()) -> Weighted:
    """All rolls of `count` alike dice by class, the dice `apart` one by one by classes of their own.

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
