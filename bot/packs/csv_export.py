"""A table as a sheet (CSV), laid out like its card, as the importer reads it back."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from bot.packs.importing.figures import read_figures
from bot.rules.errors import UserError
from bot.rules.tables.printed_edges import list_bodies
from bot.rules.tables.table import Table


def format_csv(table: Table) -> str:
    """Format a table as CSV: a line of headings, and a line for each row with its total or word
    first.

    Bodies of a table are below each other, with an empty line between them. Raises UserError for a
    table that has nothing but formulas.
    """
    printed = table.printed
    if printed.get("kind") == "modifiers":
        sheets = [list(_list_modifier_rows(printed))]
    else:
        bodies = [body for body in list_bodies(printed) if "cells" in body]
        sheets = [list(_list_body_rows(body, table)) for body in bodies]
    if not sheets:
        hint = "Its results are computed by formulas."
        raise UserError(f"{table.title} has no rows to export.", hint=hint, code="not-a-table")
    out = io.StringIO()
    for number, sheet in enumerate(sheets):
        out.write("\n" if number else "")
        csv.writer(out, lineterminator="\n").writerows(sheet)
    return out.getvalue()


def _list_body_rows(body: Mapping[str, Any], table: Table) -> Iterator[list[str]]:
    """Yield the rows of a body as cells. The first one has the headings: the columns as printed, or
    else the names of the outputs of a row.
    """
    columns = body.get("columns") or {}
    heads = next((columns[key] for key in ("heads", "from", "to") if key in columns), None)
    keys = [_format_key(key) for key in body["cells"]]
    corner = str(body.get("rows"))
    if all(map(read_figures, keys)):  # else the importer would refuse the dice of its heading
        corner = _format_row_basis(body.get("rows"), table.printed)
    if heads is not None:
        corner += f" \\ {columns.get('by')}"
    outputs = body.get("gives") or list(table.outputs)[:1]
    yield [corner, *map(_format_cell, heads or _as_list(outputs))]
    for key, row in zip(keys, body["cells"].values(), strict=True):
        yield [key, *map(_format_cell, _as_list(row))]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _format_row_basis(name: object, printed: Mapping[str, Any]) -> str:
    """Format the heading of rows that go by `name`: the dice of a table with a single roll, with
    `+ DRM` if `name` is derived from them; else the name.
    """
    rolls = printed.get("rolls") or {}
    derived = printed.get("derive") or {}
    if len(rolls) != 1:
        return str(name)
    roll = next(iter(rolls.values()))
    dice = roll.get("dice") if isinstance(roll, Mapping) else roll
    if isinstance(dice, str) and name in rolls:
        return dice
    if isinstance(dice, str) and name in derived:
        return f"{dice} + DRM"
    return str(name)


def _format_key(key: object) -> str:
    """Format the key of a row as cards print it: `..0` is `0 or less`."""
    text = str(key)
    return f"{text[2:]} or less" if text.startswith("..") else text


def _format_cell(cell: object) -> str:
    """Format a cell in words, the values of a list with slashes between them."""
    if isinstance(cell, list):
        return " / ".join(map(_format_cell, cell))
    return {"True": "yes", "False": "no", "None": "-"}.get(str(cell), str(cell))


def _list_modifier_rows(printed: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the rows of a table of modifiers, the headings first: the name of each, when it counts,
    and the number that it adds to each output.
    """
    rows = printed["rows"]
    outputs = list(dict.fromkeys(name for row in rows for name in row.get("adds") or {}))
    yield ["modifier", "when", *outputs]
    for row in rows:
        adds = row.get("adds") or {}
        numbers = [str(adds.get(name, "")) for name in outputs]
        yield [str(row["name"]), str(row.get("when", "")), *numbers]
