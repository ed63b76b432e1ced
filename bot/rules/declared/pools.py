"""The rolls of some dice that differ for whoever reads them, each with how many equally likely ones it stands for."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from bot.rules.declared.looking import Looks
from bot.rules.dice import Die
from bot.rules.odds.odds import every_roll, group_sums
from bot.rules.odds.pools import group_values, pool
from bot.rules.sequence.ruling import Weighted


def faces_of(die: Die) -> tuple[Any, ...]:
    """The faces of a die."""
    return die.faces or tuple(range(1, die.sides + 1))


Shape = tuple[tuple[int, tuple[Any, ...] | None], ...]


@lru_cache(maxsize=256)
def grouped(keys: tuple[tuple[Shape, bool, bool, Looks | None], ...]) -> Weighted:
    """The rolls that differ for whoever reads them: dice of which only the sum is read count by their sum."""
    kinds: list[Any] = []
    for shape, summed, single, looks in keys:
        dice = tuple(Die("", sides, faces) for sides, faces in shape)
        if not summed and not single:
            kinds.append(
                ((prod(die.sides for die in dice), tuple([die.faces[0] if die.faces else 1 for die in dice])),)
            )
        elif looks is not None:
            kinds.append(pooled(dice, looks))
        elif single or not dice or dice[0].faces:
            kinds.append(every_roll(dice))
        else:
            kinds.append(group_sums(len(dice), dice[0].sides))
    return tuple(
        (prod(ways for ways, _ in some), tuple(f for _, faces in some for f in faces)) for some in product(*kinds)
    )


def pooled(dice: tuple[Die, ...], looks: Looks) -> Weighted:
    """Alike dice by what is looked at: single ones at their places, of the others how many there are of each kind."""
    faces = faces_of(dice[0])
    tests = [seen for at, seen in looks if at is None]
    apart: dict[int, list[tuple[Any, ...]]] = {}
    for at, seen in looks:
        if at.__class__ is int and 0 <= at < len(dice):
            apart.setdefault(at, []).append(seen)

    def kinds(looked: list[tuple[Any, ...]]) -> Weighted:
        places = {face: at for at, face in enumerate(faces)}
        return group_values(faces, lambda face: tuple([seen[places[face]] for seen in looked]))

    return pool(len(dice), kinds(tests), tuple([(at, kinds([*tests, *own])) for at, own in sorted(apart.items())]))
