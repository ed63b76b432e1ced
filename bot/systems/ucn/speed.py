"""What is there only to count odds fast: what they are asked for, and dice grouped by what a roll makes of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from bot.rules.odds.odds import Weighted, group_faces
from bot.rules.odds.pools import pool
from bot.rules.sequence.sequence import Roll
from bot.systems.ucn.skills import FACES, LAST, Check
from bot.systems.ucn.weapons import SAVED, Damage, Saves

EVERY_FACE: Weighted = tuple((1, (face,)) for face in FACES)
_HEAD = re.compile(r"(\w+)(?:\[(\d+)\])?")


@dataclass(frozen=True, slots=True)
class Asked:
    """The paths of outputs that odds are asked for: states keep no more than these need."""

    paths: tuple[str, ...]

    def keeps(self, *names: str) -> bool:
        """Whether one of the outputs `names` is asked for."""
        return any(path.split("[")[0].split(".")[0] in names for path in self.paths)

    def items(self, name: str) -> frozenset[int]:
        """Positions of the list `name` that odds are asked for."""
        found = map(_HEAD.match, self.paths)
        return frozenset(int(at[2]) for at in found if at and at[1] == name and at[2])

    def leaf(self, *names: str) -> bool:
        """Whether a path ends in one of `names`."""
        return any(path.rsplit(".", 1)[-1].split("[")[0] in names for path in self.paths)


def succeeding(check: Check, *, one: bool = False) -> Weighted:
    """The faces of a check by success; with `one` a natural 1 by itself."""
    return group_faces(LAST, lambda face: (check.passes[face], one and face == 1))


def apart(count: int, classes: Weighted, places: Collection[int], among: Weighted = EVERY_FACE) -> Weighted:
    """All rolls of `count` alike dice by class, the dice at `places` one by one, by face or by the classes `among`."""
    return pool(count, classes, tuple((at, among) for at in sorted(places) if at < count))


@lru_cache(maxsize=64)
def saving(saves: Saves) -> Weighted:
    """The save die by whether it saves."""
    return group_faces(LAST, lambda face: saves[face - 1] == SAVED)


def by_status(damage: Damage) -> Weighted:
    """The dice of a hit in order, each by the status that it gives."""
    one = group_faces(LAST, lambda face: damage.rank(face))
    return tuple(
        (prod(ways for ways, _ in faces), tuple(face for _, roll in faces for face in roll))
        for faces in product(one, repeat=damage.dice)
    )


@lru_cache(maxsize=64)
def harms(damage: Damage) -> Weighted:
    """The dice of a hit grouped by casualties and worst status."""
    ways: Counter[tuple[int, int]] = Counter()
    rolls: dict[tuple[int, int], Roll] = {}
    for number, roll in by_status(damage):
        key = damage.casualties(roll), damage.worst(roll)
        ways[key] += number
        rolls[key] = roll
    return tuple((number, rolls[key]) for key, number in ways.items())
