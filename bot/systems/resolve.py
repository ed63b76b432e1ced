"""Sequences and tables asked from outside: play one, count its odds, read a table. No channel, no game."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from time import monotonic
from typing import Any

from bot.rules.dice import Source
from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster
from bot.rules.odds.odds import STATE_BUDGET, Distribution, joint, marginals
from bot.rules.odds.rows import is_row, row_path, rows_of, told_by_rows
from bot.rules.sequence.sequence import Plan, Played, Row
from bot.systems.system import Sequence

MAX_BY = 8
ROLLS = "rolls"
"""The one list within an item that holds single values: its dice."""
MAX_ROLLS = 1_000_000
MAX_SECONDS = 4.0
"""What one count of odds may take where nobody else waits: the command line and batch."""


def after(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds have gone by since now, for rules that may not read the clock themselves."""
    until = monotonic() + seconds
    return lambda: monotonic() > until


def resolve(sequence: Sequence, raw: Mapping[str, object], source: Source, roster: Roster | None = None) -> Played:
    """Play a sequence with dice from `source`. Raises UserError for bad input or dice."""
    return sequence.play(sequence.plan(sequence.given(raw, roster or {})), source)


def count_odds(
    sequence: Sequence,
    raw: Mapping[str, object],
    by: Many[str] = (),
    roster: Roster | None = None,
    *,
    seconds: float = MAX_SECONDS,
) -> Distribution:
    """Exact chances by the named outputs (default: the sequence's own), as {"value|value": Fraction}.

    Raises UserError for a sequence that rolls nothing, for an output it does not have and for too much work.
    """
    paths = tuple(by) or ((sequence.odds_by,) if sequence.odds_by else ())
    _check_paths(sequence, paths)
    plan = sequence.plan(sequence.given(raw, roster or {}))
    _check_lists(sequence, plan, paths)
    counted = joint(plan, paths, rolls=MAX_ROLLS, out_of_time=after(seconds))
    return {"|".join(str(value) for value in key): chance for key, chance in counted.items()}


def each_odds(
    sequence: Sequence,
    raw: Mapping[str, object],
    paths: Many[str],
    roster: Roster | None = None,
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    seconds: float | None = None,
) -> dict[str, Distribution]:
    """The distribution of each output of `paths` by itself, in one pass. Raises UserError as count_odds does.

    A path may also be that of a row, see `odds_rows`. `budget`, `rolls` and `seconds` limit the states and rolls
    looked at and the time, for whoever must answer at once.
    """
    _check_paths(sequence, [path for path in paths if not is_row(path)])
    plan = sequence.plan(sequence.given(raw, roster or {}))
    return marginals(
        told_by_rows(plan, sequence.odds_by, sequence.odds_row) if any(map(is_row, paths)) else plan,
        paths,
        budget=budget,
        rolls=rolls,
        out_of_time=None if seconds is None else after(seconds),
    )


def odds_rows(sequence: Sequence, raw: Mapping[str, object], roster: Roster | None = None) -> dict[str, Row]:
    """The units (or the one result) whose odds are shown for these inputs, by the path to ask `each_odds` for."""
    rows = rows_of(sequence.plan(sequence.given(raw, roster or {})), sequence.odds_by, sequence.odds_row)
    return {row_path(at): row for at, row in enumerate(rows)}


def _check_paths(sequence: Sequence, paths: Many[str]) -> None:
    if not sequence.odds_by:
        raise UserError(f"{sequence.system.id} {sequence.id} rolls no dice, so it has no odds.", code="no-odds")
    if len(paths) > MAX_BY:
        raise UserError(f"Odds go by at most {MAX_BY} outputs at once.", code="too-many")
    for path in paths:
        head = path.split(".")[0].split("[")[0]
        if head not in sequence.outputs:
            known: Any = ", ".join(sequence.outputs)
            raise UserError(
                f'{sequence.system.id} {sequence.id} has no output "{path[:40]}".',
                hint=f"It has {known}.",
                code="unknown-output",
            )
        if fault := _not_single(path, str(sequence.outputs[head])):
            raise UserError(fault, hint=f"One value of it is such as {head}[0].result.", code="unknown-output")


def _check_lists(sequence: Sequence, plan: Plan[Any], paths: Many[str]) -> None:
    """Raise UserError for a path that is a list of items, where the outputs say so only by naming another sequence."""
    for path in paths:
        if plan.opening.get(path) == [] and str(sequence.outputs.get(path, "")).startswith("as "):
            raise UserError(
                f"{path} is a list, not one value.",
                hint=f"One value of it is such as {path}[0].result.",
                code="unknown-output",
            )


def _not_single(path: str, described: str) -> str:
    """What is wrong with a path that is no single value by what its output is `described` as; empty for one that is."""
    head, *keys = re.split(r"[.\[]", path)
    has_items = "{" in described
    is_list = described.startswith(("list", "as "))
    if keys and not is_list:
        return f"{head} has one value, so there is no {path[:40]}."
    names = [key for key in keys if not key.endswith("]")]
    if has_items and names and keys[-1].endswith("]") and names[-1] != ROLLS:
        return f"{path[:40]} is an item of a list, not one value."
    if has_items and not keys:
        return f"{head} is a list, not one value."
    if has_items and not names:
        return f"{path[:40]} is an item of a list, not one value."
    if has_items and "as in" not in described and names[0] not in re.findall(r"\w+", described):
        return f"The items of {head} have no {names[0][:40]}."
    return ""
