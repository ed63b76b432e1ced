"""The Store on PostgreSQL: one that any number of processes share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Self

from bot.storage.base import Clock
from bot.storage.journal import Journal
from bot.storage.postgres.link import SHORT_PATIENCE, Connection, PostgresLink, PostgresWriter
from bot.storage.postgres.schema import migrate
from bot.storage.records import CHECKED, NAMES, find_damaged_texts
from bot.storage.store import Store

_PAGE = 2000


class PostgresStore(Store):
    """One pool of connections; a writer that sends what waits together."""

    def __init__(self, link: PostgresLink, clock: Clock) -> None:
        # Of its own: a receipt does not wait for another process to let go of a game, nor long for
        # the server.
        receipts = PostgresWriter(link, SHORT_PATIENCE)
        super().__init__(PostgresWriter(link), link.fetch, Journal(receipts), clock)
        self._link = link

    @classmethod
    async def open(
        cls, url: str, *, clock: Clock = time.time, patience: float | None = None
    ) -> Self:
        """Connect, and bring the database up to date; of several processes one does so. Raises
        StoreError; `patience`: after so many seconds for a server that is away, where that is not
        the usual time."""
        link = await PostgresLink.open(url)
        try:
            await link.run(migrate, patience=patience)
        except BaseException:
            await link.close()
            raise
        link.to_host = False
        return cls(link, clock)

    @property
    def in_use(self) -> int:  # type: ignore[override]
        """See Store."""
        return self._link.in_use

    async def close(self) -> None:
        """Write what is waiting, then let go of the server."""
        try:
            await self._writer.close()
            await self.journal.close()
        finally:
            await self._link.close()

    async def watch_for_removal(self) -> str:
        """See Store. A server that is away comes back; nothing is lost with it."""
        await asyncio.Event().wait()
        return ""

    async def purge_deleted(self) -> None:
        """See Store. What is deleted leaves the server's files as it vacuums, and its logs as it
        recycles them.
        """

    async def check(self) -> Sequence[str]:
        """See Store. Pages and indexes are the server's business."""
        found: list[str] = []
        for table, column in CHECKED:
            name = NAMES.get(table, "'row ' || ctid")
            query = f"SELECT {name}, {column} FROM {table} WHERE {column} IS NOT NULL"
            found += find_damaged_texts(
                table, column, await self._link.run(partial(_load_texts, query))
            )
        return found


async def _load_texts(query: str, connection: Connection) -> list[tuple[str, bytes]]:
    """The stored texts that a query finds, by the names of their rows."""
    async with connection.transaction(readonly=True):
        return [
            (name, text.encode()) async for name, text in connection.cursor(query, prefetch=_PAGE)
        ]
