"""Sequences and tables asked from outside: play one, count its odds, read a table. No channel, no game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from time import monotonic
from typing import Any

from bot.rules.dice import Source
from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster
from bot.rules.odds import STATE_BUDGET, Distribution, joint, marginals
from bot.rules.rows import is_row, row_path, rows_of, told_by_rows
from bot.rules.sequence import Played, Row, play
from bot.systems.catalog import Sequence

MAX_BY = 8
MAX_ROLLS = 1_000_000
MAX_SECONDS = 4.0
"""What one count of odds may take where nobody else waits: the command line and batch."""


def after(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds have gone by since now, for rules that may not read the clock themselves."""
    until = monotonic() + seconds
    return lambda: monotonic() > until


def resolve(sequence: Sequence, raw: Mapping[str, object], source: Source, roster: Roster | None = None) -> Played:
    """Play a sequence with dice from `source`. Raises UserError for bad input or dice."""
    return play(sequence.plan(sequence.given(raw, roster or {})), source)


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
        told_by_rows(plan, sequence.odds_by) if any(map(is_row, paths)) else plan,
        paths,
        budget=budget,
        rolls=rolls,
        out_of_time=None if seconds is None else after(seconds),
    )


def odds_rows(sequence: Sequence, raw: Mapping[str, object], roster: Roster | None = None) -> dict[str, Row]:
    """The units (or the one result) whose odds are shown for these inputs, by the path to ask `each_odds` for."""
    rows = rows_of(sequence.plan(sequence.given(raw, roster or {})), sequence.odds_by)
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
