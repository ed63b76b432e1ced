"""A program gone through before any die falls: what is refused or lacking is found now, and the rows of odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.declared.branches import For
from bot.rules.declared.formulas import Env
from bot.rules.declared.program import OPEN, Block, Partial, Statement, undecided
from bot.rules.declared.rolls import Roll, dice_of
from bot.rules.declared.saying import pieced
from bot.rules.declared.values import Refuse
from bot.rules.declared.walk import path_to
from bot.rules.errors import UserError

FoundRow = tuple[str, Any, int]
"""The path of an item's output, the item as odds show it, and how many it stands for."""


class Early(Partial):
    """Refuses what inputs alone decide; `rows` takes the units whose odds are shown, where these are wanted."""

    def __init__(self, rows: list[FoundRow] | None = None) -> None:
        self._rows = rows

    def meets(self, one: Statement, env: Env) -> None:
        """Raise the UserError of a refusal, or of dice that cannot be."""
        if isinstance(one, Refuse):
            hint, say, option = (
                [self.value(f, env) for f in one.hint],
                self.value(one.say, env),
                self.value(one.option, env),
            )
            if OPEN in (say, option, *hint):
                raise undecided("what a refusal says")
            raise UserError(str(say), hint=pieced(list(map(str, hint))), option=str(option) or None, code=one.code)
        if isinstance(one, Roll):
            three = [[self.value(formula, env) for formula in thrown.formulas()] for thrown in one.dice]
            dice_of(tuple([(count, sides, "" if label is OPEN else label) for count, sides, label in three]))

    def enters(self, one: Statement, number: int, env: Env) -> None:
        """Take the row of an item; the first may stand for all."""
        if self._rows is None or not isinstance(one, For) or one.row is None:
            return
        text, by, alike = one.row
        if alike is None or not number:
            many = 1 if alike is None else alike.run(env)
            self._rows.append((path_to(one.within, by, env), text.run(env), many))


def check(program: Block, known: Mapping[str, Any]) -> None:
    """Raises UserError for inputs that the steps refuse, whatever the dice."""
    Early().block(program, dict(known))


def rows_in(program: Block, known: Mapping[str, Any]) -> list[FoundRow]:
    """The units whose odds are shown: path of the output, the unit, and how many it stands for."""
    rows: list[FoundRow] = []
    Early(rows).block(program, dict(known))
    return rows
