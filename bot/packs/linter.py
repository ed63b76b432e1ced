"""The questions of a proof-reader about a table: cells that nothing reads, a row that is there
twice, a cell out of step.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise, product
from math import prod
from typing import Any

from bot.rules.errors import TableError, UserError
from bot.rules.inputs.options import Option
from bot.rules.tables.axis import Axis, build_axis, build_heading_axis, describe_gap
from bot.rules.tables.printed_edges import list_bodies
from bot.rules.tables.table import Table

# -- the inputs to try on a table: all of them if they are few, else a fair sample, the same at
# each run

MOST = 4_000
_DECIMALS = (0, 0.5, 1, 7, 15, 15.1, 24, 60, 60.1, 150, 300, 301, 5000)


def find_domain_fault(option: Option) -> str:
    """Return why `list_values` cannot list the values of a table's input; "" if it can."""
    if option.type == "int" and (option.min is None or option.max is None):
        return f"{option.name} has no limits: give it a min and a max"
    if option.type not in ("enum", "bool", "int", "number"):
        return f"a table cannot take {option.type}: make {option.name} an int, number, bool or enum"
    return ""


def list_values(option: Option) -> list[Any]:
    """Return the values that an input of a table can have, at most 10,001 of them.

    Decimal numbers have no end of values: the limits and a few usual ones inside them stand for
    all. None is among the words of an optional enum without a default. Raises ValueError for an
    input without limits or of a type that tables do not ask for.
    """
    fault = find_domain_fault(option)
    if fault:
        raise ValueError(fault)
    if option.type == "enum":
        can_be_empty = option.optional and option.default is None
        return [*option.values, None] if can_be_empty else list(option.values)
    if option.type == "bool":
        return [False, True]
    if option.type == "int":
        assert option.min is not None
        assert option.max is not None
        lowest = int(option.min)
        highest = min(int(option.max), lowest + 10_000)
        return list(range(lowest, highest + 1))
    limits = [limit for limit in (option.min, option.max) if limit is not None]
    samples = dict.fromkeys((*_DECIMALS, *limits))
    return [value for value in samples if _is_inside(option, value)]


def _is_inside(option: Option, value: float) -> bool:
    return (option.min is None or value >= option.min) and (
        option.max is None or value <= option.max
    )


def is_whole(table: Table, max_situations: int = MOST) -> bool:
    """Return whether `list_situations` yields every combination of inputs, not a sample."""
    return prod(len(list_values(option)) for option in table.inputs) <= max_situations


def list_situations(table: Table, max_situations: int = MOST) -> Iterator[dict[str, Any]]:
    """Yield inputs to look up in a table, as `{input: value}`.

    These are all combinations if there are at most `max_situations`. Otherwise a sample, the same
    at each run: every value of each input with fixed values of the others, then random
    combinations.
    """
    domains = {option.name: list_values(option) for option in table.inputs}
    if is_whole(table, max_situations):
        for values in product(*domains.values()):
            yield dict(zip(domains, values, strict=True))
        return
    draw = random.Random(table.id)  # which cells are tried must not change from run to run
    base = {name: draw.choice(domain) for name, domain in domains.items()}
    for name, domain in domains.items():
        for value in islice(domain, max_situations):
            yield {**base, name: value}
    for _ in range(max_situations // 2):
        yield {name: draw.choice(domain) for name, domain in domains.items()}


def is_declared(value: Any, output: Any) -> bool:
    """Return whether an output of a table may have a value.

    `output` is its declaration: a tuple of tokens, or the name of a type. Every item of a list has
    to be one of the tokens.
    """
    if isinstance(output, tuple):
        return all(item in output for item in value) if isinstance(value, list) else value in output
    kinds: dict[str, Any] = {
        "int": int, "number": (int, float), "bool": bool, "text": str, "list": list, "token": object,
    }  # fmt: skip
    if output in ("int", "number") and isinstance(value, bool):
        return False
    return isinstance(value, kinds[output])


# -- faults and questions

FEWEST = 5
"""Cells that a row or column needs, so that one of them can be called odd."""
MOST_HOLES = 3
"""Holes of a table (figures without an answer) that are listed one by one."""
MOST_SAID = 12
"""Faults of one table that are listed, and likewise questions."""


@dataclass(frozen=True, slots=True)
class TableGrid:
    """One body of a table: the names that its rows and columns go by, their keys, and the cells
    as written.

    `heads` are the keys of the columns; `meaning` is "from" or "to" if each of them is a lowest or
    highest figure, else "". `clamp` is how rows beyond the card are read, "" if they are not.
    """

    row_by: object
    rows: tuple[object, ...]
    column_by: object
    heads: tuple[object, ...]
    meaning: str
    clamp: str
    cells: tuple[tuple[object, ...], ...]


@dataclass(slots=True)
class _Survey:
    """The results of looking up many situations in one table."""

    answered: int = 0
    """The number of situations that have an answer."""
    values: dict[str, set[Any]] = field(default_factory=dict)
    """The values that inputs and derived figures had in answered situations, by name."""
    outputs: set[str] = field(default_factory=set)
    """The outputs that an answer had."""
    holes: dict[str, list[str]] = field(default_factory=dict)
    """Situations that no cell answers, in words, by the description of the hole."""
    undeclared: str = ""
    """The fault of the first answer that has an undeclared value. The survey ends with it."""


def find_faults(table: Table, file: str, max_situations: int = MOST) -> Iterator[str]:
    """Yield the faults of a table that loading does not find. Blank cells are no fault.

    These are inputs without limits, answers of an undeclared kind, inputs without an answer,
    outputs that no answer has, and rows or columns that no input leads to. Inputs without limits,
    or one undeclared answer, end the check. If there are more than `max_situations` combinations
    of inputs, a sample of them is looked up. Then, as in tables with decimal inputs or blank cells,
    rows, columns and single outputs are not
    checked.
    """
    domain_faults = list(filter(None, map(find_domain_fault, table.inputs)))
    if domain_faults:
        yield from (f"{file}: {fault}" for fault in domain_faults)
        return
    survey = _survey_table(table, file, max_situations)
    if survey.undeclared:
        yield survey.undeclared
        return
    for hole, situations in list(survey.holes.items())[:MOST_HOLES]:
        suffix = f" and {len(situations) - 1:,} more" if len(situations) > 1 else ""
        yield f"{file}{hole}, for example for {situations[0]}{suffix}"
    if len(survey.holes) > MOST_HOLES:
        yield f"{file}: and {len(survey.holes) - MOST_HOLES} more gaps like these"
    if table.blank:
        return
    if not survey.answered:
        yield f"{file}: no combination of inputs has an answer"
    elif not survey.outputs:
        yield (
            f"{file}: it gives no result: an example needs something to read. Type the rows of "
            "the card under rows, or its cells under read"
        )
    elif is_whole(table, max_situations) and not _has_decimal_input(table):
        for name in table.outputs:
            if name not in survey.outputs:
                yield f"{file}, row outputs {name}: nothing in the table sets it"
        for grid in list_grids(table.printed):
            yield from _find_dead_keys(grid, table, survey.values, file)


def _survey_table(table: Table, file: str, max_situations: int) -> _Survey:
    """Look up situations in a table and return the results. See `list_situations`.

    The first answer with an undeclared value ends it.
    """
    survey = _Survey()
    for situation in list_situations(table, max_situations):
        try:
            answer, values = table.answer_with_values(situation)
        except UserError as error:
            if _is_hole(error, table):
                hole = _describe_hole(error, table, file)
                survey.holes.setdefault(hole, []).append(_format_values(situation))
            continue
        survey.answered += 1
        survey.outputs |= answer.out.keys()
        for name, value in values.items():
            if isinstance(value, str | int | float):
                survey.values.setdefault(name, set()).add(value)
        for name, value in answer.out.items():
            if not is_declared(value, table.outputs[name]):
                inputs = _format_values(situation)
                survey.undeclared = (
                    f"{file}: {name} is {value!r:.40} for {inputs}, but that result is not declared"
                )
                return survey
    return survey


def _has_decimal_input(table: Table) -> bool:
    return any(option.type == "number" for option in table.inputs)


def _is_hole(error: UserError, table: Table) -> bool:
    """Return whether an error says that no cell answers, and no rule of the card refuses either."""
    return error.code == "not-on-card" and not table.refuse


def _describe_hole(error: UserError, table: Table, file: str) -> str:
    """Return which figure has no answer, and the rows or columns around it. The text begins with
    a comma or colon, as it goes after the name of the file.
    """
    for grid in list_grids(table.printed):
        for kind, name, keys in (
            ("row", grid.row_by, grid.rows),
            ("column", grid.column_by, grid.heads),
        ):
            if not isinstance(name, str) or name != error.option or error.about is None:
                continue
            if not keys or grid.meaning:
                continue
            axis = _build_axis(keys, name, "", grid.clamp, {}, table, file)
            gap = describe_gap(keys, axis, error.about)
            return f", {kind}s: nothing answers {name} {error.about}{gap}"
    return f": {error.message.rstrip('.')}"


def _format_values(situation: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in situation.items() if value is not None)


def _find_dead_keys(
    grid: TableGrid, table: Table, values: Mapping[str, set[Any]], file: str
) -> Iterator[str]:
    """Yield a fault for the rows and one for the columns that none of the `values` leads to.

    `values` are all that inputs and derived figures can be, by name.
    """
    options = {option.name: option for option in table.inputs}
    for kind, name, keys, meaning in (
        ("row", grid.row_by, grid.rows, ""),
        ("column", grid.column_by, grid.heads, grid.meaning),
    ):
        if not isinstance(name, str) or name not in values or not keys:
            continue
        axis = _build_axis(keys, name, meaning, grid.clamp, options, table, file)
        reached = {axis.find(value) for value in values[name]}
        dead = [str(key) for index, key in enumerate(keys) if index not in reached]
        if dead:
            reach = _format_reach(values[name])
            yield f"{file}, {kind} {', '.join(dead[:4])}: never used; {name} is {reach:.80}"


def _format_reach(values: set[Any]) -> str:
    """Format numbers as `1 to 6`, words as a list."""
    ordered = sorted(values, key=lambda value: (isinstance(value, str), value))
    if isinstance(ordered[0], str):
        return ", ".join(map(str, ordered))
    return f"{ordered[0]} to {ordered[-1]}"


def _build_axis(
    keys: Sequence[object],
    name: str,
    meaning: str,
    clamp: str,
    options: Mapping[str, Option],
    table: Table,
    file: str,
) -> Axis:
    """Build the axis that finds the row or column of a value, as the table itself does.

    `name` is what the rows or columns go by. Words are those of its input, or of the output that
    has this name.
    """
    if meaning:
        return build_heading_axis(keys, meaning=meaning, clamp=True)  # type: ignore[arg-type]  # loading has checked them
    option = options.get(name)
    output = table.outputs.get(name)
    words: Sequence[str] = output if isinstance(output, tuple) else ()
    if option is not None:
        words = option.values
    return build_axis(
        keys,
        file,
        decimal=option is not None and option.type == "number",
        clamp=bool(clamp),
        words=words,
    )


def find_questions(table: Table, file: str) -> Iterator[str]:
    """Yield a question about whatever may be a slip of the pen, or may be as printed.

    These are rows that are the same and cells out of step with their neighbors, both only if the
    rows are in an order, and results that no cell has.
    """
    for grid in list_grids(table.printed):
        if _is_ordered(grid.row_by, table):
            yield from _find_equal_rows(grid, file)
            yield from _find_cells_out_of_step(grid, table, file)
    yield from _find_unused_results(table, file)


def _find_equal_rows(grid: TableGrid, file: str) -> Iterator[str]:
    """Yield a question about each two rows, one after the other, of three or more same cells."""
    rows = zip(grid.rows, grid.cells, strict=True)
    for (key, cells), (next_key, next_cells) in pairwise(rows):
        has_different_cells = len(set(map(str, cells))) > 1
        if len(cells) > 2 and cells == next_cells and has_different_cells:
            yield f"{file}: row {key} and row {next_key} are the same: is one of them a typo?"


def _find_cells_out_of_step(grid: TableGrid, table: Table, file: str) -> Iterator[str]:
    """Yield a question about cells that rise or fall unlike those around them.

    Rows are compared only if the columns are in an order, too.
    """
    widths = {len(row) for row in grid.cells}
    columns = list(zip(*grid.cells, strict=True)) if len(widths) == 1 else []
    ranks_by_column = [[_get_rank(cell, table) for cell in column] for column in columns]
    for column, row in _find_odd_cells(ranks_by_column):
        position = f"row {grid.rows[row]}"
        if grid.heads and grid.heads[column] is not None:
            position += f", column {grid.heads[column]}"
        cell = columns[column][row]
        yield (
            f"{file}, {position}: {cell} is out of step with the cells above and below it: is that as printed?"
        )
    if not grid.heads or not (grid.meaning or _is_ordered(grid.column_by, table)):
        return
    ranks_by_row = [[_get_rank(cell, table) for cell in row] for row in grid.cells]
    for row, column in _find_odd_cells(ranks_by_row):
        position = f"row {grid.rows[row]}, column {grid.heads[column]}"
        cell = grid.cells[row][column]
        yield (
            f"{file}, {position}: {cell} is out of step with the cells on either side: is that as printed?"
        )


def _find_unused_results(table: Table, file: str) -> Iterator[str]:
    """Yield a question about entries of `results` that no cell has. Nothing is asked about a table
    with blank cells or with bands.
    """
    cells = [cell for grid in list_grids(table.printed) for row in grid.cells for cell in row]
    codes = {cell for cell in cells if isinstance(cell, str | int)}
    if not codes or "_" in codes:
        return
    if any("bands" in body for body in list_bodies(table.printed)):
        return
    results = table.printed.get("results") or {}
    unused = [str(result) for result in results if result not in codes]
    if unused:
        yield f"{file}, results {', '.join(unused[:4])}: not used in any cell"


def _is_ordered(name: object, table: Table) -> bool:
    """Return whether rows or columns that go by `name` are in an order: `name` is an input with a
    number, or what a formula works out. Then their results rise or fall.
    """
    option = next((option for option in table.inputs if option.name == name), None)
    return isinstance(name, str) and (option is None or option.type in ("int", "number"))


def _get_rank(cell: object, table: Table) -> float | None:
    """Return a number by which cells can be compared: the cell's own, or its position in the list
    of results or of an output's words that has it. None if it is in none.
    """
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    for words in (list(table.printed.get("results") or {}), *table.outputs.values()):
        if isinstance(words, list | tuple) and cell in words:
            return list(words).index(cell)
    return None


def _find_odd_cells(lines: Sequence[Sequence[float | None]]) -> Iterator[tuple[int, int]]:
    """Yield (line, position) of each single cell that keeps its line from rising or falling.

    Nothing is yielded unless at least half of the other lines rise, or fall. Lines with less than
    FEWEST cells or with a None are left out.
    """
    complete_lines = _select_complete_lines(lines)
    rising = {number for number, line in complete_lines.items() if _is_rising(line, 1)}
    falling = {number for number, line in complete_lines.items() if _is_rising(line, -1)}
    sign = 1 if len(rising) >= len(falling) else -1
    in_step = rising if sign == 1 else falling
    if 2 * len(in_step) < len(complete_lines) - 1:
        return
    for number, line in complete_lines.items():
        if len(line) < FEWEST or number in in_step:
            continue
        position = _find_odd_position(line, sign)
        if position is not None:
            yield number, position


def _select_complete_lines(lines: Sequence[Sequence[float | None]]) -> dict[int, list[float]]:
    """Return the lines without a None, by their number."""
    complete_lines = dict[int, list[float]]()
    for number, line in enumerate(lines):
        ranks = [rank for rank in line if rank is not None]
        if len(ranks) == len(line):
            complete_lines[number] = ranks
    return complete_lines


def _find_odd_position(line: Sequence[float], sign: int) -> int | None:
    """Return the first position without which a line rises (`sign` 1) or falls (-1), else None."""
    for position in range(len(line)):
        if _is_rising([*line[:position], *line[position + 1 :]], sign):
            return position
    return None


def _is_rising(line: Sequence[float], sign: int) -> bool:
    """Return whether no figure is lower than the one before it; with `sign` -1, none is higher."""
    return all(sign * (figure - previous) >= 0 for previous, figure in pairwise(line))


def list_grids(printed: Mapping[str, Any]) -> Iterator[TableGrid]:
    """Yield the grids that a table file has under `read`, also those within a `pick`."""
    for body in list_bodies(printed):
        if "cells" not in body:
            continue
        columns = body.get("columns") or {}
        cells = body["cells"]
        meaning = next((key for key in ("from", "to") if key in columns), "")
        rows = [row if isinstance(row, list) and columns else [row] for row in cells.values()]
        yield TableGrid(
            row_by=body.get("rows"),
            rows=tuple(cells),
            column_by=columns.get("by"),
            heads=tuple(columns.get(meaning or "heads") or ()),
            meaning=meaning,
            clamp=str(body.get("off_card") or ""),
            cells=tuple(tuple(map(_make_comparable, row)) for row in rows),
        )


def _make_comparable(cell: object) -> object:
    """Return a cell that can be compared and hashed: a list or mapping becomes its text."""
    return cell if isinstance(cell, str | int | float | None) else str(cell)


def lint_table(table: Table, file: str, max_situations: int = MOST) -> tuple[list[str], list[str]]:
    """Return the faults of a table that loads, and the questions about it.

    There are at most MOST_SAID of each. A TableError ends the check and becomes the last fault. See
    `find_faults` for `max_situations`.
    """
    faults = list[str]()
    questions = list[str]()
    try:
        faults.extend(find_faults(table, file, max_situations))
        questions.extend(find_questions(table, file))
    except TableError as error:
        faults.append(str(error))
    return faults[:MOST_SAID], questions[:MOST_SAID]
