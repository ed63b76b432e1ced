"""Odds by rows: each unit under the name and by the words that the answer has for it, see `Row`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.rules.dice import Source
from bot.rules.sequence.sequence import Outputs, Part, Parts, Plan, Row, Ruled, Ruling, S, Step, row_of

_PREFIX = "row "
_NONE: Mapping[str, Any] = {}


def row_path(at: int) -> str:
    """What the odds are asked for to have those of the row at this place."""
    return f"{_PREFIX}{at}"


def is_row(path: str) -> bool:
    """Whether the path is that of a row."""
    return path.startswith(_PREFIX)


def rows_of(plan: Plan[Any], by: str, worse: Mapping[str, Any] = _NONE) -> tuple[Row, ...]:
    """The rows of a plan, those of one name numbered in their order; the single output `by` where it has none.

    `worse` is an output with the value that tells more than `by`: a vehicle that becomes abandoned."""
    rows = plan.rows() if callable(plan.rows) else plan.rows
    names = [row.name for row in rows]
    named = (
        replace(row, name=f"{row.name} {names[:at].count(row.name) + 1}") if names.count(row.name) > 1 else row
        for at, row in enumerate(rows)
    )
    return tuple(named) or (_single(by, worse),)


def _single(by: str, worse: Mapping[str, Any]) -> Row:
    if not worse:
        return row_of(by)
    ((path, value),) = worse.items()
    return Row("", (by, path), lambda told: value if told.get(path) == value else told.get(by))


def told_by_rows(plan: Plan[S], by: str, worse: Mapping[str, Any] = _NONE) -> Plan[S]:
    """The plan that also tells the result of each of its rows, under `row_path`."""
    rows = rows_of(plan, by, worse)
    plan = plan.by_row() if plan.by_row is not None else plan
    paths = tuple(path for row in rows for path in row.paths)
    plan = plan.focus(paths) if plan.focus is not None else plan
    places: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        for path in row.paths:
            places.setdefault(path, []).append(at)

    def read(told: Outputs) -> Outputs:
        touched = {at for path in told if path in places for at in places[path]}
        found = {row_path(at): value for at in touched if (value := rows[at].read(told)) is not None}
        return {**told, **found} if found else told

    return _reading(plan, read, _heads(rows), {})


def came_to(plan: Plan[S], rows: Sequence[Row], source: Source) -> list[Any]:
    """The result of each of the rows with these dice, by all that was told: None where that does not decide it."""
    plan = plan.by_row() if plan.by_row is not None else plan
    state, told = plan.start, {**plan.opening}
    while (owed := state.owes) is not None:
        step = plan.steps[owed]
        faces: Any = tuple([source.draw(die) for die in step.asks(state)])
        state, more, _, _ = step.rule(state, faces)
        told.update(more)
    told.update(plan.closing(state))
    return [row.read(told) for row in rows]


Read = Callable[[Outputs], Outputs]
Made = dict[int, tuple[Any, Any]]
"""Steps that read, by the identity of those that they are made of, which are kept with them."""


def _reading(plan: Plan[S], read: Read, heads: Mapping[str, list[int]], made: Made) -> Plan[S]:
    known = made.get(id(plan.steps))
    if known is None:
        steps = {owes: _read(step, read) for owes, step in plan.steps.items()}
        known = made[id(plan.steps)] = plan.steps, steps
    return replace(
        plan,
        steps=known[1],
        opening=read(plan.opening),
        closing=lambda state: read(plan.closing(state)),
        focus=None,
        apart=None if plan.apart is None else _apart(plan.apart, read, heads, made),
    )


def _heads(rows: Sequence[Row]) -> dict[str, list[int]]:
    """The rows that look at outputs that begin so."""
    heads: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        path = row.paths[0]
        ends = [end for end, sign in enumerate(path) if sign in ".["]
        for end in (*ends, len(path)):
            heads.setdefault(path[:end], []).append(at)
    return heads


def _apart(
    apart: Callable[[S], Parts[S] | None], read: Read, heads: Mapping[str, list[int]], made: Made
) -> Callable[[S], Parts[S] | None]:
    """The parts, each with the rows that look at what it tells."""

    def told(part: Part[S]) -> Part[S]:
        comes, plan = part.comes, part.plan
        rows = [at for _, head in part.paths for at in heads.get(head, ())]
        named = tuple([(f"{_PREFIX}{place}", row_path(at)) for place, at in enumerate(rows)])
        return part._replace(
            paths=part.paths + named,
            comes=None if comes is None else lambda: [(ways, read(told), after) for ways, told, after in comes()],
            plan=None if plan is None else lambda: _reading(plan(), read, heads, made),
        )

    def found(state: S) -> Parts[S] | None:
        parts = apart(state)
        return None if parts is None else parts._replace(each=tuple(map(told, parts.each)))

    return found


def _read(step: Step[S], read: Read) -> Ruled[S]:
    def reading(ruling: Ruling[S]) -> Ruling[S]:
        after, told, story, notes = ruling
        return Ruling(after, read(told), story, notes)

    def all_read(before: S) -> list[tuple[int, Ruling[S]]]:
        assert comes is not None
        return [(ways, reading(ruling)) for ways, ruling in comes(before)]

    rule, comes = step.rule, step.comes
    found = None if comes is None else all_read
    return Ruled(step.dice, lambda before, roll: reading(rule(before, roll)), step.groups, step.exact_only, found)
