"""What a store holds, carried row by row into an empty one of either kind: all of it, or nothing."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from typing import Any, Protocol

Row = Sequence[Any]

TABLES: Mapping[str, tuple[str, ...]] = {
    name: tuple(columns.split())
    for name, columns in {
        "games": "id version next_event head created updated",
        "snapshots": "game at state",
        "events": "game number body hash",
        "marks": "game mark block at",
        "bindings": "place game server current removed number",
        "persons": "game person user name",
        "texts": "game event key salt text person",
        "seeds": "game epoch seed commitment first_event texts digest revealed",
        "requests": "id game user reply at",
        "tombstones": "id at",
        "outbox": "id request place reply delivery due attempts created about amends home",
        "shown": "about place spot request",
        "docs": "kind key data expires owner",
        "due": "key at kind data owner",
        "receipts": "number id place user command until due",
    }.items()
}
"""All that both kinds of store keep. What one of them has beside it (`requests.attempt`) is of use to it alone."""
OF_THE_MOMENT = ("receipts",)
"""What only the process at work can make good: a copy that is kept has none of it."""
IN_ORDER = {"games": "id", "events": "game, number"}
"""The largest tables, and how an index has them: so written, they are written at their end alone."""
NUMBERED = {"outbox": "id", "receipts": "number"}
"""Tables whose rows the store numbers itself, and never twice with the same number."""
TOGETHER = 1_000


class Source(Protocol):
    """A store at one moment, whatever is written meanwhile."""

    def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """All rows of a table, some at a time."""
        ...

    async def last(self, table: str) -> int:
        """The last number that the store gave out in a numbered table; 0 for none."""
        ...


class Target(Protocol):
    """An empty store in a transaction that ends well only when all is copied."""

    async def is_empty(self, table: str) -> bool:
        """Whether there is no row."""
        ...

    def add(self, table: str, rows: Sequence[Row]) -> Coroutine[Any, Any, None]:
        """Write rows as they are."""
        ...

    async def go_on(self, table: str, last: int) -> None:
        """The next number given out in a numbered table is greater than `last`."""
        ...


async def copy_all(source: Source, target: Target, *, but: Sequence[str] = ()) -> dict[str, int]:
    """Copy every table `but` some; how many rows each has. The target must be empty."""
    counts = {}
    for table in TABLES:
        if table in but:
            continue
        counts[table] = await _carried(source, target, table)
        if table in NUMBERED:
            await target.go_on(table, await source.last(table))
    return counts


async def _carried(source: Source, target: Target, table: str) -> int:
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


async def holds_anything(target: Target) -> bool:
    """Whether any table of a store has a row."""
    return not all([await target.is_empty(table) for table in TABLES])
