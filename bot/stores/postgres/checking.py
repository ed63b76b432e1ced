"""Whether stored JSON is still as it was written. Pages and indexes are the server's business."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bot.stores.postgres.link import Connection, Link
from bot.stores.stored import CHECKED, NAMES, damaged

_NAMES = NAMES | {"requests": "'row ' || ctid"}
_PAGE = 2000


async def problems(link: Link) -> Sequence[str]:
    """A line for each stored text that is not as it was written."""
    found: list[str] = []
    for table, column in CHECKED:
        query = f"SELECT {_NAMES[table]}, {column} FROM {table} WHERE {column} IS NOT NULL"
        found += damaged(table, column, await link.run(partial(_rows, query)))
    return found


async def _rows(query: str, connection: Connection) -> list[tuple[str, bytes]]:
    async with connection.transaction(readonly=True):
        return [(name, text.encode()) async for name, text in connection.cursor(query, prefetch=_PAGE)]
