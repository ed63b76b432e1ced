"""The interpreter of a program: it runs to the next roll, stops, and goes on from there with the
values that are still read.
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
    TableAnswer,
    format_value,
    make_unworkable_error,
)
from bot.rules.dice import Die
from bot.rules.errors import UserError

TOLD, LINES, NOTES = " told", " lines", " notes"
"""Keys of the collected outputs, lines and notes. No name can be equal to them."""
Keys = frozenset[str]


class Now(NamedTuple):
    """The state of a sequence: the name of the next roll, and the values that are read after it."""

    next_step: str | None
    values: tuple[Any, ...] = ()


class Dice(NamedTuple):
    """The dice of one roll, and the (start, end) of those of each key."""

    dice: tuple[Die, ...]
    cuts: tuple[tuple[int, int], ...]


class Loop(NamedTuple):
    """The keys of a loop: the list, the index, the current item and the number of the item for
    formulas.

    `chosen` is the key of the only index to visit, empty if all are visited.
    """

    items: str
    number: str
    key: str
    at: str
    chosen: str = ""


class OuterList(NamedTuple):
    """An output list around a statement."""

    name: str
    index_key: str
    """The key of the index of the current item; "" if only one item is visited."""


END = Now(None)
Do: TypeAlias = Callable[[Env], Now | None]
"""A function that runs a statement: it returns a state at a roll or at the end, None to go on."""
Steps: TypeAlias = list[tuple[Do, tuple[Formula, ...]]]
"""The functions of statements, each with the statement's formulas."""
Frame: TypeAlias = tuple[Steps, int]
"""Steps, and the index of the next one to run."""
Site: TypeAlias = tuple[Any, tuple[Frame, ...]]
"""A random statement, and the frames that follow it."""
Sites = dict[str, Site]
"""The random statements by name."""


def run_steps(steps: Steps, env: Env, start: int = 0) -> Now | None:
    """Run steps from `start` to the next roll.

    Return the state that awaits the roll, or None after the last step. Raises UserError if a step
    refuses to go on, or if a formula cannot use the values.
    """
    for do, formulas in steps[start:] if start else steps:
        try:
            if (owed := do(env)) is not None:
                return owed
        except UNWORKABLE as error:
            raise build_step_error(formulas, env, error) from None
        except UserError as error:
            error.position = error.position or _find_refusing_position(formulas, env)
            raise
    return None


def _find_refusing_position(formulas: Sequence[Formula], env: Env) -> str:
    """Return the position of the formula that is refused, as by a table that it looks up; else that
    of the first.
    """
    for formula in formulas:
        try:
            formula.run(env)
        except (UserError, *UNWORKABLE):
            return format_position(formula)
    return format_position(formulas[0]) if formulas else ""


def build_step_error(formulas: Iterable[Formula], env: Env, error: Exception) -> UserError:
    """Return the error of a step that has these formulas: which formula fails, and with which
    values.
    """
    candidates = tuple(formulas)
    for formula in candidates:
        try:
            formula.run(env)
        except UNWORKABLE as found:
            names = [
                key for key in formula.reads if re.fullmatch(r"[\w.]+(/\d+)?", key) and key in env
            ]
            value_texts = [
                f"{key.partition('/')[0]} is {format_value(env[key])[:40]}"
                for key in names[:4]
                if env[key] is not OPEN and not isinstance(env[key], TableAnswer)
            ]
            return make_unworkable_error(
                found,
                format_position(formula),
                f" ({', '.join(value_texts)})" if value_texts else "",
            )
    return make_unworkable_error(error, format_position(candidates[0]) if candidates else "")


def format_position(formula: Formula) -> str:
    """Return the file, line, column and step of a formula."""
    if formula.setting is None:
        return ""
    wrong = formula.setting.make_error("", formula.where)
    return str(wrong).rstrip(": ")


@dataclass(frozen=True, slots=True)
class Here:
    """The position of a statement: the frames that follow it, inner ones first. `sites` collects
    the random statements by name.
    """

    sites: Sites
    rest: tuple[Frame, ...] = ()

    def block(self, block: Sequence[Any]) -> Steps:
        """Return the functions of the statements of a block."""
        steps: Steps = []
        for index, statement in enumerate(block, 1):
            following = ((steps, index), *self.rest) if block[index:] else self.rest
            steps.append((statement.do(replace(self, rest=following)), statement.formulas))
        return steps


def build_env(values: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> Env:
    """Return the current values before the first step, or after a roll, with empty outputs, lines
    and notes.
    """
    return dict(values, **{TOLD: {}, LINES: [], NOTES: []})


def build_path(outer_lists: Iterable[OuterList], output: str, env: Env) -> str:
    """Return the path of an output, with the index of each list that it is in:
    `targets[0].result`.
    """
    steps = []
    for outer_list in outer_lists:
        index = env[outer_list.index_key] if outer_list.index_key else 0
        steps.append(f"{outer_list.name}[{index}]")
    if output:
        steps.append(output)
    return ".".join(steps)
