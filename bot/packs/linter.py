"""What a proof-reader asks about a table: cells that nothing reads, a row that is there twice, a
cell out of step.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product
from math import prod
from typing import Any

from bot.rules.errors import TableError, UserError
from bot.rules.inputs.options import Option
from bot.rules.tables.axis import Axis, build_axis, build_heading_axis, describe_gap
from bot.rules.tables.printed_edges import list_bodies
from bot.rules.tables.table import Table

# -- what may be asked of a table: all of it where that is little, else a fair part, the same at
# each run

MOST = 4_000
_DECIMALS = (0, 0.5, 1, 7, 15, 15.1, 24, 60, 60.1, 150, 300, 301, 5000)


def find_domain_fault(option: Option) -> str:
    """Why the values of a table's input cannot be gone through; empty where they can."""
    if option.type == "int" and (option.min is None or option.max is None):
        return f"{option.name} has no limits: give it min and max"
    if option.type not in ("enum", "bool", "int", "number"):
        return (
            f"a table cannot ask for {option.type}: {option.name} is an int, number, bool or enum"
        )
    return ""


def list_values(option: Option) -> list[Any]:
    """Every declared value of an input; of decimal numbers some inside and at both ends. Raises
    ValueError.
    """
    if fault := find_domain_fault(option):
        raise ValueError(fault)
    if option.type == "enum":
        return [*option.values, *([None] if option.optional and option.default is None else [])]
    if option.type == "bool":
        return [False, True]
    if option.type == "int":
        assert option.min is not None
        assert option.max is not None
        return list(range(int(option.min), min(int(option.max), int(option.min) + 10_000) + 1))
    ends = [end for end in (option.min, option.max) if end is not None]
    return [value for value in dict.fromkeys((*_DECIMALS, *ends)) if _is_inside(option, value)]


def _is_inside(option: Option, value: float) -> bool:
    return (option.min is None or value >= option.min) and (
        option.max is None or value <= option.max
    )


def is_whole(table: Table, most: int = MOST) -> bool:
    """Return whether `list_situations` are all there are."""
    return prod(len(list_values(option)) for option in table.inputs) <= most


def list_situations(table: Table, most: int = MOST) -> Iterator[dict[str, Any]]:
    """All combinations of inputs where they are few; else every value of each input beside a
    drawn rest.
    """
    domains = {option.name: list_values(option) for option in table.inputs}
    if is_whole(table, most):
        yield from (
            dict(zip(domains, values, strict=True)) for values in product(*domains.values())
        )
        return
    draw = random.Random(table.id)  # which cells are tried must not change from run to run
    rest = {name: draw.choice(domain) for name, domain in domains.items()}
    for name, domain in domains.items():
        for value in islice(domain, most):
            yield {**rest, name: value}
    for _ in range(most // 2):
        yield {name: draw.choice(domain) for name, domain in domains.items()}


def is_declared(value: Any, output: Any) -> bool:
    """Return whether a value is one of the declared tokens, or of the declared type."""
    if isinstance(output, tuple):
        return all(item in output for item in value) if isinstance(value, list) else value in output
    kinds: dict[str, Any] = {
        "int": int, "number": (int, float), "bool": bool, "text": str, "list": list, "token": object,
    }  # fmt: skip
    return isinstance(value, kinds[output]) and (
        output not in ("int", "number") or not isinstance(value, bool)
    )


# -- what is wrong or odd in it

FEWEST = 5
"""Cells of a column that rise or fall: with fewer there is no telling which one is odd."""
MOST_HOLES = 3
"""Figures without an answer that are named."""
MOST_SAID = 12
"""Remarks on one table."""


@dataclass(frozen=True, slots=True)
class TableGrid:
    """One body of a table: the names that its rows and columns go by, their keys, and the cells
    as written.
    """

    row_by: object
    rows: tuple[object, ...]
    column_by: object
    heads: tuple[object, ...]
    meaning: str
    clamp: str
    cells: tuple[tuple[object, ...], ...]


def find_faults(table: Table, file: str, most: int = MOST) -> Iterator[str]:
    """What is wrong beyond what loading finds: inputs without an answer, answers of the wrong
    kind, dead rows.
    """
    if said := [fault for option in table.inputs if (fault := find_domain_fault(option))]:
        yield from (f"{file}: {fault}" for fault in said)
        return
    seen: dict[str, set[Any]] = {}
    count = 0
    holes = dict[str, list[str]]()
    for given in list_situations(table, most):
        try:
            answer, values = table.answer_with_values(given)
        except UserError as error:
            if _is_hole(error, table):
                holes.setdefault(_describe_hole(error, table, file), []).append(
                    _format_values(given)
                )
            continue
        count += 1
        for name, value in values.items():
            if isinstance(value, str | int | float):
                seen.setdefault(name, set()).add(value)
        strange = [
            name
            for name, value in answer.out.items()
            if not is_declared(value, table.outputs[name])
        ]
        if strange:
            yield (
                f"{file}: {strange[0]} is {answer.out[strange[0]]!r:.40} for "
                f"{_format_values(given)}, which is not declared"
            )
            return
    for hole, such in list(holes.items())[:MOST_HOLES]:
        yield f"{file}{hole}, as for {such[0]}{f' and {len(such) - 1:,} more' if len(such) > 1 else ''}"
    if len(holes) > MOST_HOLES:
        yield f"{file}: and {len(holes) - MOST_HOLES} more such holes"
    if not count and not table.blank:
        yield f"{file}: no combination of inputs is answered"
    elif (
        not table.blank
        and is_whole(table, most)
        and all(option.type != "number" for option in table.inputs)
    ):
        yield from (
            line
            for grid in list_grids(table.printed)
            for line in _find_dead_keys(grid, table, seen, file)
        )


def _is_hole(error: UserError, table: Table) -> bool:
    """Return whether no cell answers, where no rule of the card says so."""
    return error.code == "not-on-card" and not table.refuse


def _describe_hole(error: UserError, table: Table, file: str) -> str:
    """Which figure nothing answers, and between which rows (or columns) it would be."""
    for grid in list_grids(table.printed):
        for what, by, keys in (
            ("row", grid.row_by, grid.rows),
            ("column", grid.column_by, grid.heads),
        ):
            if (
                isinstance(by, str)
                and by == error.option
                and error.about is not None
                and keys
                and not grid.meaning
            ):
                edge = _build_axis(keys, by, "", grid.clamp, {}, table, file)
                return f", {what}s: nothing answers {by} {error.about}{describe_gap(keys, edge, error.about)}"
    return f": {error.message.rstrip('.')}"


def _format_values(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in given.items() if value is not None)


def _find_dead_keys(
    grid: TableGrid, table: Table, seen: Mapping[str, set[Any]], file: str
) -> Iterator[str]:
    """Rows and columns that no input leads to."""
    options = {option.name: option for option in table.inputs}
    for what, by, keys, meaning in (
        ("row", grid.row_by, grid.rows, ""),
        ("column", grid.column_by, grid.heads, grid.meaning),
    ):
        if not isinstance(by, str) or by not in seen or not keys:
            continue
        edge = _build_axis(keys, by, meaning, grid.clamp, options, table, file)
        found = {edge.find(value) for value in seen[by]}
        if dead := [str(key) for at, key in enumerate(keys) if at not in found]:
            values = sorted(seen[by], key=lambda value: (isinstance(value, str), value))
            reach = (
                f"{values[0]} to {values[-1]}"
                if not isinstance(values[0], str)
                else ", ".join(map(str, values))
            )
            yield f"{file}, {what} {', '.join(dead[:4])}: nothing leads to it; {by} is {reach:.80}"


def _build_axis(
    keys: Sequence[object],
    by: str,
    meaning: str,
    clamp: str,
    options: Mapping[str, Option],
    table: Table,
    file: str,
) -> Axis:
    if meaning:
        return build_heading_axis(keys, meaning=meaning, clamp=True)  # type: ignore[arg-type]  # loading has checked them
    option = options.get(by)
    words = table.outputs.get(by)
    return build_axis(
        keys,
        file,
        decimal=option is not None and option.type == "number",
        clamp=bool(clamp),
        words=option.values if option is not None else words if isinstance(words, tuple) else (),
    )


def find_questions(table: Table, file: str) -> Iterator[str]:
    """What may be a slip of the pen and may be as printed: rows alike, cells out of step, codes
    that nobody uses.
    """
    written: set[object] = set()
    for grid in list_grids(table.printed):
        written |= {cell for row in grid.cells for cell in row if isinstance(cell, str | int)}
        if not _is_ordered(grid.row_by, table):
            continue
        for (one, cells), (other, more) in pairwise(zip(grid.rows, grid.cells, strict=True)):
            if len(cells) > 2 and cells == more and len(set(map(str, cells))) > 1:
                yield f"{file}: row {one} and row {other} are the same: is one of them a slip?"
        columns = (
            list(zip(*grid.cells, strict=True))
            if len({len(row) for row in grid.cells}) == 1
            else []
        )
        for at, row in _find_odd_cells(
            [[_get_rank(cell, table) for cell in column] for column in columns]
        ):
            head = grid.heads[at] if grid.heads else None
            where = f"row {grid.rows[row]}" + (f", column {head}" if head is not None else "")
            yield f"{file}, {where}: {columns[at][row]} is out of step with the cells above and below it: as printed?"
        if grid.heads and (grid.meaning or _is_ordered(grid.column_by, table)):
            for at, column in _find_odd_cells(
                [[_get_rank(cell, table) for cell in row] for row in grid.cells]
            ):
                yield (
                    f"{file}, row {grid.rows[at]}, column {grid.heads[column]}: {grid.cells[at][column]} is out of "
                    "step with the cells left and right of it: as printed?"
                )
    codes = table.printed.get("results") or {}
    plain = all(isinstance(cell, str | int) for cell in written) and not any(
        "bands" in b for b in list_bodies(table.printed)
    )
    if (
        written
        and plain
        and "_" not in written
        and (unused := [str(code) for code in codes if code not in written])
    ):
        yield f"{file}, results {', '.join(unused[:4])}: no cell has it"


def _is_ordered(by: object, table: Table) -> bool:
    """Return whether the rows or columns follow a number, or words that a formula works out: then
    results rise or fall.
    """
    option = next((option for option in table.inputs if option.name == by), None)
    return isinstance(by, str) and (option is None or option.type in ("int", "number"))


def _get_rank(cell: object, table: Table) -> float | None:
    """A cell as a number by which cells can be compared: its own, or its place in the list that
    it is from.
    """
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    for words in (list(table.printed.get("results") or {}), *table.outputs.values()):
        if isinstance(words, list | tuple) and cell in words:
            return list(words).index(cell)
    return None


def _find_odd_cells(lines: Sequence[Sequence[float | None]]) -> Iterator[tuple[int, int]]:
    """(line, place) of single cells that keep a line from rising or falling as most of the other
    lines do.
    """
    ranked = [
        (at, [rank for rank in line if rank is not None])
        for at, line in enumerate(lines)
        if None not in line
    ]
    ways = {sign: [at for at, line in ranked if _is_rising(line, sign)] for sign in (1, -1)}
    for at, line in ranked:
        sign = 1 if len(ways[1]) >= len(ways[-1]) else -1
        if len(line) < FEWEST or at in ways[sign] or 2 * len(ways[sign]) < len(ranked) - 1:
            continue
        without = [
            place
            for place in range(len(line))
            if _is_rising([*line[:place], *line[place + 1 :]], sign)
        ]
        if without:
            yield at, without[0]


def _is_rising(line: Sequence[float], sign: int) -> bool:
    return all(sign * (after - before) >= 0 for before, after in pairwise(line))


def list_grids(printed: Mapping[str, Any]) -> Iterator[TableGrid]:
    """The grids that a table file has under `read`, also those within a `pick`."""
    for body in list_bodies(printed):
        if "cells" not in body:
            continue
        columns = body.get("columns") or {}
        cells = body["cells"]
        meaning = next((key for key in ("from", "to") if key in columns), "")
        rows = tuple(
            tuple(row) if isinstance(row, list) and columns else (row,) for row in cells.values()
        )
        heads = tuple(columns.get(meaning or "heads") or ())
        yield TableGrid(
            body.get("rows"), tuple(cells), columns.get("by"), heads, meaning, str(body.get("off_card") or ""),
            tuple(tuple(map(_make_comparable, row)) for row in rows),
        )  # fmt: skip


def _make_comparable(cell: object) -> object:
    """A cell that can be compared and hashed."""
    return cell if isinstance(cell, str | int | float | None) else str(cell)


def lint_table(table: Table, file: str, most: int = MOST) -> tuple[list[str], list[str]]:
    """The faults of a table that loads, and what is asked about it."""
    found: tuple[list[str], list[str]] = ([], [])
    try:
        found[0].extend(find_faults(table, file, most))
        found[1].extend(find_questions(table, file))
    except TableError as error:
        found[0].append(str(error))
    return found[0][:MOST_SAID], found[1][:MOST_SAID]
