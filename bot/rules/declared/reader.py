"""A table as formulas ask it: by the names of its inputs, or, in generated code, by a function for a set of names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.rules.declared.calls import Row
from bot.rules.tables.table import Tables

MOST_ROWS = 2_000
"""How many rows are remembered for each set of names."""


class Reader:
    """What a table says. The same question gives the same row, so that states that hold it can be compared."""

    __slots__ = ("_by", "_id", "_tables")

    def __init__(self, tables: Tables, id: str) -> None:
        self._tables, self._id = tables, id
        self._by: dict[tuple[str, ...], Callable[..., Row]] = {}

    def __call__(self, **given: Any) -> Row:
        """The row for inputs by their names."""
        return self.by(tuple(given))(*given.values())

    def by(self, names: tuple[str, ...]) -> Callable[..., Row]:
        """A function of the values of these inputs, in this order."""
        found = self._by.get(names)
        if found is None:
            found = self._by[names] = self._made(names)
        return found

    def _made(self, names: tuple[str, ...]) -> Callable[..., Row]:
        rows: dict[Any, Row] = {}

        def read(*values: Any) -> Row:
            key = (values, *map(type, values))  # True is no 1 here
            row = rows.get(key)
            if row is None:
                table = self._tables[self._id]
                if len(rows) >= MOST_ROWS:
                    rows.clear()
                row = rows[key] = Row(table(**dict(zip(names, values, strict=True))), table)
            return row

        return read
