"""Several alike d20 rolled at once: how many of them succeed, with the natural 1s and 20s where they matter."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from itertools import product
from math import comb, prod

from bot.rules.odds import ROLLS_AT_ONCE, TooManyStates, Weighted, group_alike
from bot.rules.sequence import Row
from bot.systems.ucn.skills import FACES

EVERY_FACE: Weighted = tuple((1, (face,)) for face in FACES)


def pool(count: int, classes: Weighted, apart: Collection[int] = (), among: Weighted | None = None) -> Weighted:
    """All rolls of `count` alike dice by class, the dice at the positions `apart` one by one.

    Those are told apart by the classes `among`, by default face by face. Raises TooManyStates where too many dice
    are asked for one by one.
    """
    single = EVERY_FACE if among is None else among
    return _pool(count, classes, tuple(sorted(at for at in apart if at < count)), single)


@lru_cache(maxsize=256)
def _pool(count: int, classes: Weighted, apart: tuple[int, ...], single: Weighted) -> Weighted:
    rest = count - len(apart)
    if len(single) ** len(apart) * comb(rest + len(classes) - 1, rest) > ROLLS_AT_ONCE:
        raise TooManyStates
    alike = group_alike(rest, classes)
    if not apart:
        return alike
    groups = []
    for weight, faces in each(len(apart), single):
        for ways, roll in alike:
            mixed = list(roll)
            for at, face in zip(apart, faces, strict=True):
                mixed.insert(at, face)
            groups.append((weight * ways, tuple(mixed)))
    return tuple(groups)


def each(count: int, classes: Weighted) -> Weighted:
    """All rolls of `count` dice in order, every die by its class."""
    return tuple(
        (prod(ways for ways, _ in faces), tuple(face for _, roll in faces for face in roll))
        for faces in product(classes, repeat=count)
    )


def all_alike(count: int) -> Row:
    """The odds of each of `count` characters, who roll the same: those of the first."""
    name = "the character" if count == 1 else f"each of {count} characters"
    return Row(name, ("results[0]",), lambda told: told.get("results[0]"), alike=count)
