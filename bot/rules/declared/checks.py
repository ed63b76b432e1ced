"""A program gone through before any die falls: what is refused or lacking is found now, and the rows of odds.

A value that dice will decide is open. Both ways are gone through where an open value chooses; what one of them has
changed is open from there on.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import Any

from bot.rules.declared.closures import Env
from bot.rules.declared.formulas import Formula
from bot.rules.declared.program import Block, For, If, Let, Refuse, Roll, Statement, Stop
from bot.rules.declared.running import OPEN, dice_of, listed, refuse
from bot.rules.declared.walk import path_to

FoundRow = tuple[str, Any, int]
"""The path of an item's output, the item as odds show it, and how many it stands for."""


def worth(formula: Formula, env: Env) -> Any:
    """What a formula comes to, open where a value that it needs is; `and` and `if` need what decides them."""
    if formula.kind == "if":
        test, then, other = formula.parts
        found = worth(test, env)
        return OPEN if found is OPEN else worth(then if found else other, env)
    if formula.kind == "and":
        for part in formula.parts:
            found = worth(part, env)
            if found is OPEN or not found:
                return OPEN if found is OPEN else False
        return True
    for key in formula.reads:
        if env.get(key, OPEN) is OPEN:
            return OPEN
    return formula.run(env)


class Partial:
    """Goes through a program as far as its values are known."""

    def value(self, formula: Formula, env: Env) -> Any:
        """What a formula comes to, open where that is."""
        return worth(formula, env)

    def block(self, block: Block, env: Env) -> bool:
        """Whether the sequence surely ends in the block; `env` changes with it."""
        return any(map(self.one, block, repeat(env)))

    def one(self, one: Statement, env: Env) -> bool:
        """Whether the sequence surely ends in a statement."""
        if isinstance(one, Let):
            if not one.drops:
                env[one.key] = self.value(one.value, env)
        elif isinstance(one, Roll):
            env |= dict.fromkeys(one.keys, OPEN)
        elif isinstance(one, Stop):
            ends = self.value(one.when, env)
            return ends is not OPEN and bool(ends)
        elif isinstance(one, If):
            when = self.value(one.when, env)
            if when is not OPEN:
                return self.block(one.then if when else one.other, env)
            ways = dict(env), dict(env)
            ends = [self.block(block, way) for block, way in zip((one.then, one.other), ways, strict=True)]
            _join(env, *ways)
            return all(ends)
        elif isinstance(one, For):
            return self.loop(one, env)
        return False

    def loop(self, one: For, env: Env) -> bool:
        """Whether the sequence surely ends for an item of a list; where dice choose it, any may be the one."""
        items = env[one.items] = listed(self.value(one.each.items, env))
        only = None if one.each.only is None else self.value(one.each.only, env)
        if one.only:
            env[one.only] = only
        for number, item in enumerate(items):
            if one.asked and number not in env[one.asked]:
                continue
            inside = dict(env) if only is OPEN else env
            inside |= {one.number: number, one.each.key: item, one.each.at: number}
            self.item(one, inside)
            if one.only and only is not OPEN and number != only:
                continue
            ends = self.block(one.body, inside)
            if only is OPEN:
                _join(env, inside)
            elif ends:
                return True
        return False

    def item(self, one: For, env: Env) -> None:
        """Called for each item of a list."""


def _join(env: Env, *ways: Env) -> None:
    """Make open what any of the ways has changed."""
    for way in ways:
        for key, value in way.items():
            before = env.get(key)
            if value is not before and not (value.__class__ in (str, int, bool) and _same(value, before)):
                env[key] = OPEN


def _same(one: Any, other: Any) -> bool:
    return one.__class__ is other.__class__ and bool(one == other)


class Early(Partial):
    """Refuses what inputs alone decide; `rows` takes the units whose odds are shown, where these are wanted."""

    def __init__(self, rows: list[FoundRow] | None = None) -> None:
        self._rows = rows

    def one(self, one: Statement, env: Env) -> bool:
        """Whether the sequence surely ends in a statement. Raises UserError."""
        if isinstance(one, Refuse):
            said = one.refusal
            hint = tuple([self.value(piece, env) for piece in said.hint])
            refuse(self.value(said.say, env), hint, self.value(said.option, env), said.code)
        elif isinstance(one, Roll):
            three = [[self.value(formula, env) for formula in some] for _, *some in one.dice]
            dice_of(tuple([(count, sides, "" if label is OPEN else label) for count, sides, label in three]))
        return super().one(one, env)

    def item(self, one: For, env: Env) -> None:
        """Take the row of an item; the first may stand for all."""
        if self._rows is None or one.row is None:
            return
        text, by, alike = one.row
        if alike is None or not env[one.number]:
            many = 1 if alike is None else alike.run(env)
            self._rows.append((path_to(one.within, by, env), text.run(env), many))


def check(program: Block, known: Mapping[str, Any]) -> None:
    """Raises UserError for inputs that the steps refuse, whatever the dice."""
    Early().block(program, dict(known))


def rows_in(program: Block, known: Mapping[str, Any]) -> list[FoundRow]:
    """The units whose odds are shown."""
    rows: list[FoundRow] = []
    Early(rows).block(program, dict(known))
    return rows
