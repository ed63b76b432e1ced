"""A printed table as rows of cells: the whole of it, or what is around the cell that answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from bot.interface.reply.parts import Grid
from bot.rules.errors import TableError
from bot.rules.tables.axis import Axis, axis, heading_axis
from bot.rules.tables.table import Table
from bot.rules.text.line import minus

WIDE = 33
"""What a phone shows in a fixed width."""
MOST_COLUMNS, AROUND = 9, 2
"""So many columns at most, and rows above and below the one that answers."""
HERE = "▶ "


@dataclass(frozen=True, slots=True)
class Card:
    """A table that is a simple grid: what its rows and columns go by, their heads, and its cells as printed."""

    row_by: str
    column_by: str
    rows: tuple[object, ...]
    columns: tuple[object, ...]
    cells: tuple[tuple[object, ...], ...]
    spec: Mapping[str, Any]

    def around(self, values: Mapping[str, Any], words: Mapping[str, str], rows: int = AROUND) -> Grid | None:
        """The rows and columns around the cell that answers `values`, which is marked; None where it is not found."""
        row = self._found(self.rows, self.row_by, values)
        column = self._column(values) if self.column_by else 0
        if row is None or column is None:
            return None
        first, last = max(0, row - rows), min(len(self.rows), row + rows + 1)
        if self.column_by:
            low, high = self._window(column, range(first, last), words)
        else:
            low, high = 0, len(self.columns)
        marked = column if self.column_by else 0
        return self._grid(range(first, last), range(low, high), words, here=(row, marked))

    def all_rows(self, words: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
        """All of it, with a row of heads."""
        return self._grid(range(len(self.rows)), range(len(self.columns)), words).rows

    def _found(self, keys: Sequence[object], by: str, values: Mapping[str, Any]) -> int | None:
        if by not in values:
            return None
        try:
            found: Axis = axis(keys, "", clamp=True, words=[key for key in keys if isinstance(key, str)])
            exact = found.find(values[by])
            return axis(keys, "", clamp=True).find(values[by]) if exact is None else exact
        except TableError:
            return None

    def _column(self, values: Mapping[str, Any]) -> int | None:
        for meaning in ("from", "to"):
            if meaning in self.spec:
                edges = heading_axis(list(self.spec[meaning]), meaning=meaning, clamp=True)
                return edges.find(values[self.column_by]) if self.column_by in values else None
        return self._found(self.columns, self.column_by, values)

    def _window(self, column: int, rows: range, words: Mapping[str, str]) -> tuple[int, int]:
        """The columns beside `column` that fit a phone, by turns on the right and on the left."""

        def width(texts: Iterable[str]) -> int:
            return max(map(len, texts)) + 2

        @cache
        def of_column(at: int) -> int:
            return width(said(item, words) for item in (self.columns[at], *(self.cells[row][at] for row in rows)))

        low, high, right = column, column + 1, True
        room = WIDE + 2 - width((self._corner(words), *(said(self.rows[row], words) for row in rows)))
        room -= of_column(column) + len(HERE)
        for _ in range(2 * len(self.columns)):
            more = high if right else low - 1
            right = not right
            if not 0 <= more < len(self.columns) or high - low == MOST_COLUMNS or of_column(more) > room:
                continue
            low, high, room = min(low, more), max(high, more + 1), room - of_column(more)
        return low, high

    def _corner(self, words: Mapping[str, str]) -> str:
        return said(self.row_by, words) if self.row_by.replace("_", "").isalnum() else ""

    def _grid(self, rows: range, columns: range, words: Mapping[str, str], here: tuple[int, int] | None = None) -> Grid:
        def cell(row: int, column: int) -> str:
            text = said(self.cells[row][column], words)
            if here is None or column != here[1]:
                return text
            return (HERE if row == here[0] else "  ") + text

        heads = [("  " if here and column == here[1] else "") + said(self.columns[column], words) for column in columns]
        lines = [(said(self.rows[row], words), *(cell(row, column) for column in columns)) for row in rows]
        return Grid(((self._corner(words), *heads), *lines))


@lru_cache(300)
def card_of(table: Table) -> Card | None:
    """The table as a grid; None for one that is printed in another way."""
    body = table.printed.get("read")
    return None if isinstance(body, Mapping) and "bands" in body else card_in(table, body)


def card_in(table: Table, body: object) -> Card | None:
    """A part of a table as a grid; None for one that is printed in another way. Ranges of a die stay as printed."""
    if not isinstance(body, Mapping) or not {"rows", "cells"} <= body.keys():
        return None
    cells, spec = body["cells"], body.get("columns") or {}
    results = table.printed.get("results") or {}
    if spec:
        heads = next((spec[key] for key in ("heads", "from", "to") if key in spec), ())
        rows = [[_cell(item, results) for item in row] for row in cells.values()]
    else:
        gives = body.get("gives") or [name for name in table.outputs if name not in ("text", "parts")]
        heads = [gives] if isinstance(gives, str) else list(gives)
        rows = [row if isinstance(row, list) and len(heads) > 1 else [_cell(row, results)] for row in cells.values()]
    if not heads or any(len(row) != len(heads) for row in rows):
        return None
    by = str(spec.get("by", ""))
    return Card(str(body["rows"]), by, tuple(cells), tuple(heads), tuple(map(tuple, rows)), spec)


def _cell(item: object, results: Mapping[Any, Any]) -> object:
    """A cell by what its code means, where that is a single word."""
    meant = results.get(item) if isinstance(item, str | int) else None
    if isinstance(item, list):
        return item[0] if item else ""
    return meant if isinstance(meant, str | int) and not isinstance(meant, bool) else item


_HYPHEN = re.compile(r"(?<=[a-z])-|-(?=[a-z])|_")


def said(value: object, words: Mapping[str, str]) -> str:
    """A key or value of a table as players say it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return minus(value)
    if isinstance(value, list | tuple):
        return " ".join(str(item) if len(str(item)) == 1 else said(item, words) for item in value)
    text = str(value)
    pieces = _HYPHEN.split(text.strip("_"))
    return words.get(text) or " ".join(words.get(piece, piece) for piece in pieces if piece)
