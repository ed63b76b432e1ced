"""The Store on PostgreSQL, which any number of processes share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Self

from bot.storage.base import Clock
from bot.storage.journal import Journal
from bot.storage.postgres.link import SHORT_PATIENCE, Connection, PostgresLink
from bot.storage.postgres.schema import migrate
from bot.storage.postgres.writer import PostgresWriter
from bot.storage.records import CHECKED, NAMES, find_damaged_texts
from bot.storage.store import Store

_PAGE = 2000
"""Rows that are fetched together while stored texts are checked."""


class PostgresStore(Store):
    """A store in a database: a pool of connections, and a writer that sends waiting jobs together."""

    def __init__(self, link: PostgresLink, clock: Clock) -> None:
        # Receipts have a writer of their own: they do not wait for locked games, and only shortly
        # for the server.
        receipts = PostgresWriter(link, SHORT_PATIENCE)
        super().__init__(PostgresWriter(link), link.fetch, Journal(receipts), clock)
        self._link = link

    @classmethod
    async def open(
        cls, url: str, *, clock: Clock = time.time, patience: float | None = None
    ) -> Self:
        """Connect, and bring the schema up to date, which one of several processes does.

        `patience` are the seconds to wait for a server that does not answer, None for the usual
        time. Raises StoreError.
        """
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
        """Finish waiting writes, then close the connections."""
        try:
            await self._writer.close()
            await self.journal.close()
        finally:
            await self._link.close()

    async def watch_for_removal(self) -> str:
        """See Store. This never returns: a server that does not answer loses no data."""
        await asyncio.Event().wait()
        return ""

    async def purge_deleted(self) -> None:
        """See Store. Nothing is done here: the server removes deleted data itself when it vacuums its
        files and recycles its logs.
        """

    async def check(self) -> Sequence[str]:
        """See Store. Only stored texts are checked; the server checks its pages and indexes."""
        problems: list[str] = []
        for table, column in CHECKED:
            name = NAMES.get(table, "'row ' || ctid")
            query = f"SELECT {name}, {column} FROM {table} WHERE {column} IS NOT NULL"
            texts = await self._link.run(partial(_load_texts, query))
            problems += find_damaged_texts(table, column, texts)
        return problems


async def _load_texts(query: str, connection: Connection) -> list[tuple[str, bytes]]:
    """Return (name of the row, stored text) of each row of a query."""
    async with connection.transaction(readonly=True):
        return [
            (name, text.encode()) async for name, text in connection.cursor(query, prefetch=_PAGE)
        ]
