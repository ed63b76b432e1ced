"""A program gone through with dice: it runs to the next roll, and goes on from there with what
is still read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from bot.rules.declared.formula import Env, Formula
from bot.rules.declared.formula_functions import (
    OPEN,
    UNWORKABLE,
    format_value,
    make_unworkable_error,
)
from bot.rules.dice import Die
from bot.rules.errors import UserError

TOLD, LINES, NOTES = " told", " lines", " notes"
"""Where outputs, lines and notes are collected: keys that no name can be."""
Keys = frozenset[str]


class Now(NamedTuple):
    """The state: which roll is owed, and the values that are still read after it."""

    owes: str | None
    values: tuple[Any, ...] = ()


class Dice(NamedTuple):
    """The dice of one roll, and where those of each key begin and end."""

    dice: tuple[Die, ...]
    cuts: tuple[tuple[int, int], ...]


class Loop(NamedTuple):
    """The keys of a list that is gone through: its items, the place and the item at hand, its
    number for formulas.

    `chosen` is that of the one place that is gone through, empty where all are.
    """

    items: str
    number: str
    key: str
    at: str
    chosen: str = ""


END = Now(None)
Do: TypeAlias = Callable[[Env], Now | None]
"""Carries a statement out: the state where a roll is owed or the sequence ends, None where it
goes on.
"""
Steps: TypeAlias = list[tuple[Do, tuple[Formula, ...]]]
"""What carries statements out, each with its formulas."""
Frame: TypeAlias = tuple[Steps, int]
"""Steps, and the first of them that is still to be done."""
Site: TypeAlias = tuple[Any, tuple[Frame, ...]]
"""The statement that dice fall for, and what follows once they have fallen."""
Sites = dict[str, Site]
"""The rolls by name."""


def run_steps(steps: Steps, env: Env, at: int = 0) -> Now | None:
    """Carry steps out from one on, as far as the next roll. Raises UserError."""
    for do, formulas in steps[at:] if at else steps:
        try:
            if (owed := do(env)) is not None:
                return owed
        except UNWORKABLE as error:
            raise build_step_error(formulas, env, error) from None
    return None


def build_step_error(formulas: Iterable[Formula], env: Env, error: Exception) -> UserError:
    """What is wrong where a step that has these formulas raised an error: which one it is, and
    with which values.
    """
    some = tuple(formulas)
    for formula in some:
        try:
            formula.run(env)
        except UNWORKABLE as found:
            names = [
                key for key in formula.reads if re.fullmatch(r"[\w.]+(/\d+)?", key) and key in env
            ]
            shown = [
                f"{key.partition('/')[0]} is {format_value(env[key])[:40]}"
                for key in names[:4]
                if env[key] is not OPEN
            ]
            return make_unworkable_error(
                found, format_position(formula), f" ({', '.join(shown)})" if shown else ""
            )
    return make_unworkable_error(error, format_position(some[0]) if some else "")


def format_position(formula: Formula) -> str:
    """The file, line, column and step of a formula."""
    if formula.setting is None:
        return ""
    wrong = formula.setting.make_error("", formula.where)
    return str(wrong).rstrip(": ")


@dataclass(frozen=True, slots=True)
class Here:
    """Where a statement is: what follows it, from inside to outside; `sites` takes the rolls by
    name.
    """

    sites: Sites
    rest: tuple[Frame, ...] = ()

    def block(self, block: Sequence[Any]) -> Steps:
        """What carries out one statement after the other."""
        steps: Steps = []
        for at, one in enumerate(block, 1):
            rest = ((steps, at), *self.rest) if block[at:] else self.rest
            steps.append((one.do(replace(self, rest=rest)), one.formulas))
        return steps


def build_env(known: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> Env:
    """The values at hand before the first step, or behind a roll."""
    return dict(known, **{TOLD: {}, LINES: [], NOTES: []})


def build_path(within: Iterable[tuple[str, str]], output: str, env: Env) -> str:
    """The path of an output, each list it is in at the place of a key: `targets[0].result`."""
    places = [f"{listed}[{env[number] if number else 0}]" for listed, number in within]
    return ".".join([*places, output] if output else places)
