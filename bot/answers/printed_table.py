"""The printed form of a table, for text, picture and docs alike: its cells and modifiers as the
card has them, and the axes of its rows and columns.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.rules.errors import TableError
from bot.rules.tables.axis import Axis, axis, heading_axis
from bot.rules.tables.print_pattern import fill, is_blank, signed
from bot.rules.tables.table import Table

BLANK_CELL = "\u2013"
"""Stands in a cell that has nothing on the card."""
ANY_OTHER = {"*": "any other"}
"""The key of the row or case for all that no other names, and its head in words."""


def row_axis(table: Table, keys: Sequence[object], by: object, body: Mapping[str, Any]) -> Axis:
    """Return the axis of printed rows, or of the cases of a `pick`, as the table itself reads them.

    It finds nothing where the keys cannot be read.
    """
    return _edge_axis(table, keys, by, is_clamped=body.get("off_card") in ("clamp", "rows"))


def column_axis(table: Table, body: Mapping[str, Any]) -> Axis:
    """Return the axis of the printed columns of `body`, as the table itself reads them."""
    spec = body["columns"]
    is_clamped = body.get("off_card") in ("clamp", "columns")
    for meaning in ("from", "to"):
        if meaning in spec:
            return heading_axis(list(spec[meaning]), meaning=meaning, clamp=is_clamped)
    return _edge_axis(table, spec["heads"], spec["by"], is_clamped=is_clamped)


def cell_names(table: Table, body: Mapping[str, Any]) -> list[str]:
    """Return the names of the values that a cell of `body` holds, in the order of the cell."""
    gives = body.get("gives")
    if gives is None:
        data = table.printed
        computed = {"text", "parts", *(data.get("derive") or {}), *(data.get("then") or {})}
        gives = [name for name in table.outputs if name not in computed]
    return [gives] if isinstance(gives, str) else list(gives)


def print_cell(
    table: Table,
    body: Mapping[str, Any],
    place: tuple[object, int],
    cell: object,
    say: Callable[[object], str],
) -> str:
    """Return a cell as its card prints it: all its values, in the order and spelling of the card.

    `place` is the key of its row and the number of its column; `say` puts one value into words.
    """
    cell = _meaning(table, cell)
    names = cell_names(table, body)
    row, column = place
    pattern = body.get("print")
    if isinstance(pattern, Mapping):
        pattern = pattern.get(row, pattern.get("*"))
    if isinstance(pattern, list):
        pattern = pattern[column]
    if pattern is not None:
        values = cell if isinstance(cell, list) and len(names) > 1 else [cell]
        return fill(pattern, dict(zip(names, values, strict=True)), say)
    if isinstance(cell, list) and len(names) == 1:
        return fill("{cell}", {"cell": cell}, say)
    if isinstance(cell, list):
        return " / ".join(BLANK_CELL if is_blank(item) else say(item) for item in cell)
    return BLANK_CELL if cell is None else say(cell)


def print_row(
    table: Table,
    body: Mapping[str, Any],
    key: object,
    row: Any,
    say: Callable[[object], str],
) -> tuple[str, ...]:
    """Return the cells of a row as printed; of a list, a cell for each value that a row gives."""
    if body.get("columns"):
        return tuple(
            print_cell(table, body, (key, column), cell, say) for column, cell in enumerate(row)
        )
    if isinstance(row, list) and len(cell_names(table, body)) > 1:
        return tuple(BLANK_CELL if item is None or item == "" else say(item) for item in row)
    return (print_cell(table, body, (key, 0), row, say),)


def print_modifier(row: Mapping[str, Any], total: str, say_formula: Callable[[str], str]) -> str:
    """Return what a modifier adds to `total` as the card prints it; "" if it adds nothing.

    `say_formula` puts a formula into words where the row has no `shown`.
    """
    adds = row.get("adds") or {}
    shown = row.get("shown", {})
    if isinstance(shown, str):
        shown = dict.fromkeys(adds, shown)
    if total in shown:
        return re.sub(r"(?<![\w\u2013])-(?=\d)|^-(?= )", "\u2212", shown[total])
    value = adds.get(total)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return signed(value)
    return say_formula(str(value).strip())


def _meaning(table: Table, cell: object) -> object:
    """Return what the code of a cell means, if that is a single value."""
    if not isinstance(cell, str | int):
        return cell
    meaning = (table.printed.get("results") or {}).get(cell)
    is_single = isinstance(meaning, str | int) and not isinstance(meaning, bool)
    return meaning if is_single else cell


def option_words(table: Table, by: object) -> tuple[object, ...]:
    """Return the words that an input or output of the table can be; none for a number."""
    option = next((option for option in table.inputs if option.name == by), None)
    words = option.values if option is not None else table.outputs.get(str(by))
    return words if isinstance(words, tuple) else ()


def _edge_axis(table: Table, keys: Sequence[object], by: object, *, is_clamped: bool) -> Axis:
    option = next((option for option in table.inputs if option.name == by), None)
    is_decimal = option is not None and option.type == "number"
    words = option_words(table, by)
    try:
        return axis(keys, "", decimal=is_decimal, clamp=is_clamped, words=words)
    except TableError:
        return Axis({})
