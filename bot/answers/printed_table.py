"""The printed form of a table: which row or column answers, for text, picture and page alike."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.errors import TableError
from bot.rules.tables.axis import Axis, axis, heading_axis
from bot.rules.tables.formula import compile_formula
from bot.rules.tables.table import Table


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


def find_position(edge: Axis, by: object, values: Mapping[str, Any]) -> int | None:
    """Return the row or column of `edge` that gave the answer, or None.

    `values` are those that the table worked with: the inputs come before outputs of the same name.
    """
    name = str(by)
    if name in values:
        return edge.find(values[name])
    try:
        formula = compile_formula(name, set(values), "")
    except TableError:  # an input of the formula was not given
        return None
    return edge.find(formula(values))


def cell_names(table: Table, body: Mapping[str, Any]) -> list[str]:
    """Return the names of the values that a cell of `body` holds, in the order of the cell."""
    gives = body.get("gives")
    if gives is None:
        data = table.printed
        computed = {"text", "parts", *(data.get("derive") or {}), *(data.get("then") or {})}
        gives = [name for name in table.outputs if name not in computed]
    return [gives] if isinstance(gives, str) else list(gives)


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
