"""Whether stored JSON is still as it was written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from bot.stores.stored import CHECKED, NAMES
from bot.stores.stored import damaged as damaged_rows

_NAMES = NAMES | {"requests": "'row ' || rowid"}


def damaged(conn: sqlite3.Connection) -> Iterator[str]:
    """A line for each stored text that is not as it was written."""
    for table, column in CHECKED:
        query = f"SELECT {_NAMES[table]}, CAST({column} AS BLOB) FROM {table} WHERE {column} IS NOT NULL"
        yield from damaged_rows(table, column, conn.execute(query))
