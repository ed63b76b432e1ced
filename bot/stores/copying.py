"""What a store holds, carried row by row into an empty one of either kind: all of it, or nothing."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Any, Protocol

from bot.stores.records import TABLES
from bot.stores.statements import Row

OF_THE_MOMENT = ("receipts",)
"""What only the process at work can make good: a copy that is kept has none of it."""
IN_ORDER = {"games": "id", "events": "game, number"}
"""The largest tables, and how an index has them: so written, they are written at their end alone."""
NUMBERED = {"outbox": "id", "receipts": "number"}
"""Tables whose rows the store numbers itself, and never twice with the same number."""
TOGETHER = 1_000


class End(Protocol):
    """A store that is copied from, as it is at one moment, whatever is written meanwhile; or an empty one that is
    copied into, in a transaction that ends well only when all is copied."""

    def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """All rows of a table, some at a time."""
        ...

    async def last(self, table: str) -> int:
        """The last number that the store gave out in a numbered table; 0 for none."""
        ...

    async def is_empty(self, table: str) -> bool:
        """Whether there is no row."""
        ...

    def add(self, table: str, rows: Sequence[Row]) -> Coroutine[Any, Any, None]:
        """Write rows as they are."""
        ...

    async def go_on(self, table: str, last: int) -> None:
        """The next number given out in a numbered table is greater than `last`."""
        ...


async def copy_all(source: End, target: End, *, but: Sequence[str] = ()) -> dict[str, int]:
    """Copy every table `but` some; how many rows each has. The target must be empty."""
    counts = {}
    for table in TABLES:
        if table in but:
            continue
        counts[table] = await _carried(source, target, table)
        if table in NUMBERED:
            await target.go_on(table, await source.last(table))
    return counts


async def _carried(source: End, target: End, table: str) -> int:
    """Copy a table; how many rows it has. Some are written while the next ones are read."""
    count, adding = 0, None
    try:
        async for rows in source.rows(table):
            if adding is not None:
                await adding
            adding = asyncio.create_task(target.add(table, rows))
            count += len(rows)
    finally:
        if adding is not None:
            await asyncio.wait({adding})
    if adding is not None:
        adding.result()
    return count


async def holds_anything(target: End) -> bool:
    """Whether any table of a store has a row."""
    return not all([await target.is_empty(table) for table in TABLES])
