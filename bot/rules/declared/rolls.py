"""The rolls of a plan, each a `Step`: the dice that it asks for, and what comes after them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from bot.rules.declared.closures import Env
from bot.rules.declared.looking import Looks, Pool
from bot.rules.declared.pools import faces_of, grouped
from bot.rules.declared.running import UNWORKABLE, Dice, Now, unworkable
from bot.rules.declared.types import FACES
from bot.rules.declared.walk import LINES, NOTES, TOLD, Site, Walk
from bot.rules.dice import Die
from bot.rules.sequence.ruling import Weighted
from bot.rules.sequence.sequence import Ruling, Step


class Segment:
    """One roll of a plan, a `Step`: what comes after it. `pools` are keys of whose faces less than all is looked at."""

    __slots__ = ("_early", "_kept", "_pools", "_site")

    exact_only: ClassVar[frozenset[str]] = frozenset()
    comes: ClassVar[None] = None

    def __init__(self, site: Site, env: Env, pools: Mapping[int, Pool]) -> None:
        self._site, self._pools = site, pools
        self._early = {key: env[key] for key in site.early if key in env}
        self._kept: dict[tuple[Any, ...], Looks | None] = {}

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """What the roll comes to."""
        try:
            after, env = self._site.fallen(self._early, state, faces)
        except UNWORKABLE as error:
            raise unworkable(error) from None
        return Ruling(after, env[TOLD], env[LINES].copy, env[NOTES])

    def _asked(self, state: Now) -> Dice:
        dice: Dice = self._site.dice or state.values[-1]
        return dice

    @property
    def dice(self) -> tuple[Die, ...] | Any:
        """The dice, or how they are found where they are not always the same."""
        return self.asks if self._site.dice is None else self._site.dice.dice

    def asks(self, state: Now, /) -> tuple[Die, ...]:
        """The dice in this state."""
        return self._asked(state).dice

    def groups(self, state: Now) -> Weighted:
        """The rolls that differ for whoever reads them."""
        asked, kinds, roll = self._asked(state), list[Any](), self._site.roll
        for at, ((key, *_), (first, last)) in enumerate(zip(roll.dice, asked.cuts, strict=True)):
            dice = asked.dice[first:last]
            looks = self._looks(state, at, dice) if dice and at in self._pools else None
            shape = tuple([(die.sides, die.faces) for die in dice])
            kinds.append((shape, key in roll.faces, key + FACES in roll.faces, looks))
        return grouped(tuple(kinds))

    grouped = groups

    def _looks(self, state: Now, at: int, dice: tuple[Die, ...]) -> Looks | None:
        """What is looked at of the dice of a key in this state; None where every face counts."""
        pool, site = self._pools[at], self._site
        read = [value for key, value in zip(site.keys, state.values, strict=False) if key in pool.reads]
        numbers = [value for key, value in zip(site.keys, state.values, strict=False) if key in site.roll.loops]
        key = (at, dice[0].sides, dice[0].faces, *read, *numbers)
        if key not in self._kept:
            self._kept[key] = pool.looks(faces_of(dice[0]), site.env(self._early, state))
        return self._kept[key]


def steps_of(walk: Walk, start: Now, env: Env, pools: Mapping[str, Mapping[int, Pool]]) -> dict[str, Step[Now]]:
    """The rolls of a walk that has come to its first."""
    if start.owes is None:
        return {}
    return {name: Segment(site, env, pools.get(name, {})) for name, site in walk.sites.items()}


def pools_of(walk: Walk, site: Site) -> dict[int, Pool]:
    """The dice of a roll whose faces are read one by one, and not as all of them."""
    keys = [key for key, *_ in site.roll.dice]
    faces = site.roll.faces
    found = {
        at: Pool(walk.program, site.roll, key + FACES)
        for at, key in enumerate(keys)
        if key not in faces and key + FACES in faces
    }
    return {at: pool for at, pool in found.items() if not pool.hopeless}
