"""Odds by rows: each unit under the name and by the words that the answer has for it, see `OddsRow`."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.dice import Source
from bot.rules.sequence.sequence import OddsRow, Plan, S, build_row

_PREFIX = "row "
_NONE: Mapping[str, Any] = {}


def get_row_path(at: int) -> str:
    """What the odds are asked for to have those of the row at this place."""
    return f"{_PREFIX}{at}"


def is_row(path: str) -> bool:
    """Return whether the path is that of a row."""
    return path.startswith(_PREFIX)


def list_rows(plan: Plan[Any], by: str, worse: Mapping[str, Any] = _NONE) -> tuple[OddsRow, ...]:
    """The rows of a plan, those of one name numbered in their order; the single output `by` where
    it has none.

    `worse` is an output with the value that tells more than `by`: a vehicle that becomes abandoned.
    """
    rows = plan.rows() if callable(plan.rows) else plan.rows
    names = [row.name for row in rows]
    named = (
        row._replace(name=f"{row.name} {names[:at].count(row.name) + 1}")
        if names.count(row.name) > 1
        else row
        for at, row in enumerate(rows)
    )
    return tuple(named) or (_build_single_row(by, worse),)


def _build_single_row(by: str, worse: Mapping[str, Any]) -> OddsRow:
    if not worse:
        return build_row(by)
    ((path, value),) = worse.items()
    return OddsRow("", (by, path), lambda told: value if told.get(path) == value else told.get(by))


def index_rows(plan: Plan[Any], by: str, worse: Mapping[str, Any] = _NONE) -> dict[str, OddsRow]:
    """The same by the paths that odds ask them by."""
    return {get_row_path(at): row for at, row in enumerate(list_rows(plan, by, worse))}


def roll_results(plan: Plan[S], rows: Sequence[OddsRow], source: Source) -> list[Any]:
    """The result of each of the rows with these dice, by all that was told: None where that does
    not decide it.
    """
    state = plan.start
    told = {**plan.opening}
    while (owed := state.owes) is not None:
        step = plan.steps[owed]
        faces: Any = tuple([source.draw(die) for die in step.asks(state)])
        state, more, _, _ = step.rule(state, faces)
        told.update(more)
    told.update(plan.closing(state))
    return [row.read(told) for row in rows]
