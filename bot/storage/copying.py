"""What a store holds, carried row by row into an empty one of either kind: all of it, or
nothing.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from bot.storage.records import TABLES
from bot.storage.statements import Row

OF_THE_MOMENT = ("receipts",)
"""What only the process at work can make good: a copy that is kept has none of it."""
IN_ORDER = {"games": "id", "events": "game, number"}
"""The largest tables, and how an index has them: so written, they are written at their end
alone.
"""
NUMBERED = {"outbox": "id", "receipts": "number"}
"""Tables whose rows the store numbers itself, and never twice with the same number."""
TOGETHER = 1_000


class CopyEnd(Protocol):
    """A store that is copied from, as it is at one moment, whatever is written meanwhile; or an
    empty one that is copied into, in a transaction that ends well only when all is copied."""

    def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """All rows of a table, some at a time."""
        ...

    async def get_last_number(self, table: str) -> int:
        """The last number that the store gave out in a numbered table; 0 for none."""
        ...

    async def is_empty(self, table: str) -> bool:
        """Return whether there is no row."""
        ...

    async def add(self, table: str, rows: Sequence[Row]) -> None:
        """Write rows as they are."""
        ...

    async def set_last_number(self, table: str, last: int) -> None:
        """The next number given out in a numbered table is greater than `last`."""
        ...


async def copy_all(source: CopyEnd, target: CopyEnd, *, but: Sequence[str] = ()) -> dict[str, int]:
    """Copy every table `but` some; how many rows each has. The target must be empty."""
    counts = dict.fromkeys((table for table in TABLES if table not in but), 0)
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
