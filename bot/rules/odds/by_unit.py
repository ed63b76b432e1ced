"""Odds by rows: one row for each unit, with the name and the words of the answer (`OddsRow`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.dice import Source
from bot.rules.sequence.sequence import OddsRow, Plan, S, build_row

_PREFIX = "row "
_NONE: Mapping[str, Any] = {}


def get_row_path(index: int) -> str:
    """Return the path that stands for the row at this index in a request for odds."""
    return f"{_PREFIX}{index}"


def is_row(path: str) -> bool:
    """Return whether the path is that of a row."""
    return path.startswith(_PREFIX)


def list_rows(plan: Plan[Any], by: str, worse: Mapping[str, Any] = _NONE) -> tuple[OddsRow, ...]:
    """Return the rows of a plan, or one row of the output `by` if it has none. Rows with the same
    name are numbered.

    `worse` is one {output: value} that replaces the value of `by` if it occurs (a vehicle that
    becomes abandoned).
    """
    rows = plan.odds_rows() if callable(plan.odds_rows) else plan.odds_rows
    names = [row.name for row in rows]
    numbered = (
        row._replace(name=f"{row.name} {names[:index].count(row.name) + 1}")
        if names.count(row.name) > 1
        else row
        for index, row in enumerate(rows)
    )
    return tuple(numbered) or (_build_single_row(by, worse),)


def _build_single_row(by: str, worse: Mapping[str, Any]) -> OddsRow:
    """Return the row of the output `by`, with `worse` as in `list_rows`."""
    if not worse:
        return build_row(by)
    ((path, value),) = worse.items()
    return OddsRow(
        "", (by, path), lambda outputs: value if outputs.get(path) == value else outputs.get(by)
    )


def index_rows(plan: Plan[Any], by: str, worse: Mapping[str, Any] = _NONE) -> dict[str, OddsRow]:
    """Return the same rows by the paths that stand for them in a request for odds."""
    return {get_row_path(index): row for index, row in enumerate(list_rows(plan, by, worse))}


def roll_results(plan: Plan[S], rows: Sequence[OddsRow], source: Source) -> list[Any]:
    """Roll a plan to its end with dice from `source`. Return the result of each row, None if the
    outputs do not decide it.
    """
    state = plan.start
    outputs = {**plan.opening}
    while (step_name := state.next_step) is not None:
        step = plan.steps[step_name]
        faces: Any = tuple([source.draw(die) for die in step.list_dice(state)])
        state, new_outputs, _, _ = step.rule(state, faces)
        outputs.update(new_outputs)
    outputs.update(plan.closing(state))
    return [row.read(outputs) for row in rows]
