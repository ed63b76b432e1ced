"""One declared sequence ready to run: its plan for given inputs, and that of the odds of what is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from bot.rules.declared.calls import NONE, said
from bot.rules.declared.checks import check, rows_in
from bot.rules.declared.closures import Env
from bot.rules.declared.formulas import FACES, Formulas
from bot.rules.declared.load import Parsed
from bot.rules.declared.looking import Looks, Pool
from bot.rules.declared.needed import Slicer, asked_key, dice_decide
from bot.rules.declared.pools import faces_of, grouped
from bot.rules.declared.program import NOTHING, Block, Builder, Keys, all_formulas, loops_in
from bot.rules.declared.running import UNWORKABLE, Dice, Now, unworkable
from bot.rules.declared.settling import settled
from bot.rules.declared.walk import LINES, NOTES, TOLD, Site, Walk
from bot.rules.dice import Die
from bot.rules.sequence.ruling import Weighted
from bot.rules.sequence.sequence import Plan, Row, Ruling, Settlement, Step, no_closing, row_of

if TYPE_CHECKING:
    from bot.rules.declared.bounds import Bound
    from bot.rules.inputs.options import Option

_INDEX, _PLACE = re.compile(r"\[\d+\]"), re.compile(r"([^.\[\]]+)\[(\d+)\]")
MOST_ASKED = 32
"""For how many sets of outputs the walk of their odds is kept."""


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


class Coded:
    """A sequence, each walk through it made when it is first needed."""

    def __init__(
        self,
        steps: list[Parsed],
        lists: tuple[str, ...],
        listed: frozenset[str],
        by_item: frozenset[str],
        formulas: Formulas,
        inputs: tuple[str, ...],
    ) -> None:
        self._scope = formulas.scope
        self._lists, self._by_item, self._inputs = lists, by_item, inputs
        self.program: Block = Builder(listed, formulas.setting, formulas.scope).program(steps)
        read = {key for one in all_formulas(self.program) for key in one.reads}
        self.reads = tuple(sorted(read & set(inputs)))
        """The inputs that any formula reads; what comes in are their values in this order."""
        self._has_rows = any(one.row is not None for one in loops_in(self.program))
        self._asked: dict[frozenset[str], tuple[Walk, Mapping[str, Mapping[int, Pool]]]] = {}

    @cached_property
    def dice(self) -> Keys:
        """The keys that dice decide, always or on some way."""
        return dice_decide(self.program)

    @cached_property
    def _play(self) -> Walk:
        return self._walk(None)

    def _kept(self, asked: frozenset[str] | None) -> tuple[Block, Keys]:
        """What of the program is needed, and the inputs that it reads."""
        kept, live, _ = Slicer(asked, self.dice).block(self.program, NOTHING, False)
        return kept, live

    def _walk(self, asked: frozenset[str] | None) -> Walk:
        kept, live = self._kept(asked)
        return Walk(kept, (*self._inputs, *live))

    def bound(self, path: str, options: tuple[Option, ...], units: int) -> Bound:
        """How many states the odds of an output have, with at most so many `units` in a list."""
        from bot.rules.declared.bounds import bound_of

        return bound_of(self._kept(frozenset((_INDEX.sub("", path),)))[0], options, self._scope, units)

    def plan(self, values: Sequence[Any]) -> Plan[Now]:
        """The plan for these inputs. Raises UserError for what the steps refuse."""
        known = dict(zip(self.reads, values, strict=True))
        try:
            check(self.program, known)
            walk = self._play
            start, env = walk.begin(known)
        except UNWORKABLE as error:
            raise unworkable(error) from None
        told = _with_lists(env[TOLD], self._lists, self._by_item) if self._lists else env[TOLD]

        def rows() -> tuple[Row, ...]:
            found = rows_in(self.program, known)
            return tuple([replace(row_of(path, said(name)), alike=alike) for path, name, alike in found])

        def focus(paths: tuple[str, ...]) -> Plan[Now]:
            return self._focus(known, paths)

        return Plan(
            start, _steps(walk, start, env, {}), never, told, no_closing, tuple(env[LINES]), focus,
            rows if self._has_rows else (), None, tuple(env[NOTES]), settled,
        )  # fmt: skip

    def _focus(self, known: Mapping[str, Any], paths: tuple[str, ...]) -> Plan[Now]:
        """The plan of the odds of some outputs, which remembers no more than these need."""
        asked = frozenset(_INDEX.sub("", path) for path in paths)
        if asked not in self._asked:
            if len(self._asked) >= MOST_ASKED:
                self._asked.clear()
            walk = self._walk(asked)
            self._asked[asked] = walk, {name: _pools(walk, site) for name, site in walk.sites.items()}
        walk, pools = self._asked[asked]
        try:
            start, env = walk.begin({**known, **places_in(paths)})
        except UNWORKABLE as error:
            raise unworkable(error) from None
        return Plan(start, _steps(walk, start, env, pools), never, env[TOLD])


def _steps(walk: Walk, start: Now, env: Env, pools: Mapping[str, Mapping[int, Pool]]) -> dict[str, Step[Now]]:
    if start.owes is None:
        return {}
    return {name: Segment(site, env, pools.get(name, {})) for name, site in walk.sites.items()}


def _pools(walk: Walk, site: Site) -> dict[int, Pool]:
    """The dice of a roll whose faces are read one by one, and not as all of them."""
    keys = [key for key, *_ in site.roll.dice]
    faces = site.roll.faces
    found = {
        at: Pool(walk.program, site.roll, key + FACES)
        for at, key in enumerate(keys)
        if key not in faces and key + FACES in faces
    }
    return {at: pool for at, pool in found.items() if not pool.hopeless}


def places_in(paths: Iterable[str]) -> dict[str, frozenset[int]]:
    """The places that are asked for in each list: `targets[0].men[2].fate` has one in `targets` and one in `men`."""
    found: dict[str, set[int]] = {}
    for path in paths:
        for deep, (listed, at) in enumerate(_PLACE.findall(path)):
            found.setdefault(asked_key(deep, listed), set()).add(int(at))
    return {key: frozenset(places) for key, places in found.items()}


def _with_lists(told: dict[str, Any], lists: Sequence[str], by_item: frozenset[str]) -> dict[str, Any]:
    """The outputs with lists that nobody enters empty, those told `by_item` behind what is known before."""
    before: dict[str, Any] = {}
    behind: dict[str, Any] = {}
    for name in lists:
        value = told.get(name, NONE)
        if value == NONE:
            (behind if name in by_item else before)[name] = []
        elif isinstance(value, tuple):
            told[name] = list(value)
    return {**before, **told, **behind}


def never(_out: Any) -> Settlement:
    """Nobody asks: a declared sequence settles by its notes."""
    raise AssertionError("a declared sequence settles by its notes")
