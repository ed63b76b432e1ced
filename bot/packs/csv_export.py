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
    """The text of the sheet: a line of heads, a line for each row with its total or word first; of
    a table of several bodies one below the other, an empty line between. Raises UserError for one
    that has nothing but formulas."""
    printed = table.printed
    sheets = [
        list(_list_body_rows(body, table)) for body in list_bodies(printed) if "cells" in body
    ]
    if printed.get("kind") == "modifiers":
        sheets = [list(_list_modifier_rows(printed))]
    if not sheets:
        hint = "It is worked out by formulas."
        raise UserError(f"{table.title} has no rows to write.", hint=hint, code="not-a-table")
    out = io.StringIO()
    for number, sheet in enumerate(sheets):
        out.write("\n" if number else "")
        csv.writer(out, lineterminator="\n").writerows(sheet)
    return out.getvalue()


def _list_body_rows(body: Mapping[str, Any], table: Table) -> Iterator[list[str]]:
    """The rows of a body, its heads first: the columns as printed, else the names of what a row
    gives.
    """
    columns = body.get("columns") or {}
    gives = body.get("gives") or list(table.outputs)[:1]
    heads = next((columns[key] for key in ("heads", "from", "to") if key in columns), None)
    across = f" \\ {columns.get('by')}" if heads is not None else ""
    keys = [_format_key(key) for key in body["cells"]]
    by = str(body.get("rows"))
    if all(map(read_figures, keys)):  # else the importer would refuse the dice of its heading
        by = _format_row_basis(body.get("rows"), table.printed)
    yield [f"{by}{across}", *map(_format_cell, heads or _as_list(gives))]
    for key, row in zip(keys, body["cells"].values(), strict=True):
        yield [key, *map(_format_cell, _as_list(row))]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _format_row_basis(row_by: object, printed: Mapping[str, Any]) -> str:
    """What the rows go by: their dice, with what is added to them; else the name."""
    rolls = printed.get("rolls") or {}
    derive = printed.get("derive") or {}
    dice = next(
        (roll.get("dice") if isinstance(roll, Mapping) else roll for roll in rolls.values()), ""
    )
    if len(rolls) != 1 or not isinstance(dice, str) or not (row_by in rolls or row_by in derive):
        return str(row_by)
    return dice if row_by in rolls else f"{dice} + DRM"


def _format_key(key: object) -> str:
    """A row as cards print it: `..0` is `0 or less`."""
    said = str(key)
    return f"{said[2:]} or less" if said.startswith("..") else said


def _format_cell(cell: object) -> str:
    """A cell in words; what it gives several of beside each other."""
    if isinstance(cell, list):
        return " / ".join(map(_format_cell, cell))
    return {"True": "yes", "False": "no", "None": "-"}.get(str(cell), str(cell))


def _list_modifier_rows(printed: Mapping[str, Any]) -> Iterator[list[str]]:
    """What counts, when it does, and what it adds to each output."""
    rows = printed["rows"]
    adds = list(dict.fromkeys(name for row in rows for name in row.get("adds") or {}))
    yield ["modifier", "when", *adds]
    for row in rows:
        added = [str((row.get("adds") or {}).get(name, "")) for name in adds]
        yield [str(row["name"]), str(row.get("when", "")), *added]
