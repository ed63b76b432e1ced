"""Copying a store, row by row, into an empty one of either kind: all of it, or nothing."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from bot.storage.records import TABLES
from bot.storage.statements import Row

RECEIPT_TABLES = ("receipts",)
"""Tables that backups leave out: only the process that runs can answer its receipts."""
IN_ORDER = {"games": "id", "events": "game, number"}
"""The largest tables, with the columns of the index in whose order they are copied: then rows are
only added at the end of the new file.
"""
NUMBERED = {"outbox": "id", "receipts": "number"}
"""Tables whose rows the store numbers itself, never twice with the same number, and the column of
that number.
"""
PAGE_ROWS = 1_000
"""Rows that are copied together."""


class CopyEnd(Protocol):
    """One end of a copy: a store that is read as it is at one moment, whatever is written
    meanwhile, or an empty store that is written in one transaction, which is committed only if
    everything was copied.
    """

    def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """Yield all rows of a table, some at a time."""
        ...

    async def get_last_number(self, table: str) -> int:
        """Return the last number that the store assigned in a table of NUMBERED, or 0."""
        ...

    async def is_empty(self, table: str) -> bool:
        """Return whether a table has no rows."""
        ...

    async def add(self, table: str, rows: Sequence[Row]) -> None:
        """Write rows into a table as they are."""
        ...

    async def set_last_number(self, table: str, last: int) -> None:
        """Have the store assign numbers above `last` in a table of NUMBERED from now on."""
        ...


async def copy_all(
    source: CopyEnd, target: CopyEnd, *, excluded: Sequence[str] = ()
) -> dict[str, int]:
    """Copy every table but the excluded ones into an empty target, with the last assigned numbers.

    Return the number of rows of each table.
    """
    counts = dict.fromkeys((table for table in TABLES if table not in excluded), 0)
    for table in counts:
        async for rows in source.rows(table):
            await target.add(table, rows)
            counts[table] += len(rows)
        if table in NUMBERED:
            await target.set_last_number(table, await source.get_last_number(table))
    return counts


async def holds_anything(target: CopyEnd) -> bool:
    """Return whether any table of a store has a row."""
    return not all([await target.is_empty(table) for table in TABLES])
