"""One roll of a plan, a `Step`: the dice that it asks for, the rolls that differ, and what comes after them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from bot.rules.declared.calls import UNWORKABLE, unworkable
from bot.rules.declared.formulas import Env
from bot.rules.declared.pools import Looks, Pool, faces_of, grouped
from bot.rules.declared.vocabulary import FACES
from bot.rules.declared.walk import LINES, NOTES, TOLD, Dice, Now, Site
from bot.rules.dice import Die
from bot.rules.sequence.ruling import Weighted
from bot.rules.sequence.sequence import Ruling


class Segment:
    """One roll of a plan, a `Step`. `pools` are the dice of whose faces less than all is looked at, by their place."""

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
        asked, kinds, site = self._asked(state), list[Any](), self._site
        for at, (key, (first, last)) in enumerate(zip(site.own, asked.cuts, strict=True)):
            dice = asked.dice[first:last]
            looks = self._looks(state, at, dice) if dice and at in self._pools else None
            shape = tuple([(die.sides, die.faces) for die in dice])
            kinds.append((shape, key in site.faces, key + FACES in site.faces, looks))
        return grouped(tuple(kinds))

    grouped = groups

    def _looks(self, state: Now, at: int, dice: tuple[Die, ...]) -> Looks | None:
        """What is looked at of the dice of a key in this state; None where every face counts."""
        pool, site = self._pools[at], self._site
        numbers = {loop.number for loop in site.loops}
        read = [v for k, v in zip(site.keys, state.values, strict=False) if k in pool.reads or k in numbers]
        key = (at, dice[0].sides, dice[0].faces, *read)
        if key not in self._kept:
            self._kept[key] = pool.looks(faces_of(dice[0]), site.env(self._early, state))
        return self._kept[key]
