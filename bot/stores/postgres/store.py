"""The Store on PostgreSQL: what every answer writes goes in batches through functions in the server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Self

from bot.stores.base import Clock
from bot.stores.postgres import writing
from bot.stores.postgres.checking import problems
from bot.stores.postgres.journal import PostgresJournal
from bot.stores.postgres.link import SHORT_PATIENCE, Link, Writer
from bot.stores.postgres.schema import migrate
from bot.stores.records import Commit, Committed, Doc, Json, check_change
from bot.stores.statements import Row, Step, Talk
from bot.stores.store import Store


@asynccontextmanager
async def open_postgres(url: str, *, clock: Clock = time.time) -> AsyncIterator[PostgresStore]:
    """The store in the database that `url` names; closed on every way out. Raises StoreError."""
    store = await PostgresStore.open(url, clock=clock)
    try:
        yield store
    finally:
        await store.close()


class PostgresStore(Store):
    """One pool of connections; a writer that sends what waits together."""

    def __init__(self, link: Link, clock: Clock) -> None:
        # Of its own: a receipt does not wait for another process to let go of a game, nor long for the server.
        self._receipts = Writer(link, SHORT_PATIENCE)
        super().__init__(clock, PostgresJournal(link, self._receipts, clock))
        self._link, self._writer = link, Writer(link)

    @classmethod
    async def open(cls, url: str, *, clock: Clock = time.time) -> Self:
        """Connect, and bring the database up to date; of several processes one does so. Raises StoreError."""
        link = await Link.open(url)
        try:
            await link.run(migrate)
        except BaseException:
            await link.close()
            raise
        return cls(link, clock)

    async def close(self) -> None:
        """Write what is waiting, then let go of the server."""
        try:
            await self._writer.close()
            await self._receipts.close()
        finally:
            await self._link.close()

    async def gone(self) -> str:
        """See Store. A server that is away comes back; nothing is lost with it."""
        await asyncio.Event().wait()
        return ""

    async def _ask(self, query: str, *values: object) -> Sequence[Row]:
        """See Store."""
        return await self._link.fetch(query, *values)

    async def _write(
        self, steps: Sequence[Step], *, is_safe: bool = True, before: Callable[[], None] = lambda: None
    ) -> Sequence[Row]:
        """See Store. What is written for every answer goes to functions in the server instead, a batch at once."""
        before()
        rows: Sequence[Row] = await self._talk(lambda: _each(steps), is_safe=is_safe)
        return rows

    async def _talk(self, begin: Callable[[], Talk], *, is_safe: bool = True) -> Any:
        """See Store."""
        return await self._link.talk(begin, is_safe=is_safe)

    async def commit(self, commit: Commit) -> Committed:
        """See Store."""
        for change in commit.changes:
            check_change(change)
        sent = writing.message(commit, self._clock())
        gate = commit.gate.enter if commit.gate is not None else lambda: None
        game = commit.changes[0].game if commit.changes else ""
        done = await self._writer.run("commit", sent, key=game, is_safe=commit.request_id is not None, before=gate)
        if done.get("seen"):
            return Committed(json.loads(done["reply"]), seen=True)
        return Committed(commit.reply, outbox=tuple(done["outbox"]))

    async def outbox_done(self, *ids: int, spot: Json | None = None) -> None:
        """See Store."""
        await self._writer.run("posted", {"ids": ids, "spot": writing.spot_text(spot or {})})

    async def outbox_retry(self, due: float, *ids: int, held: bool = False) -> None:
        """See Store."""
        await self._writer.run("retry", {"ids": ids, "due": due, "held": held})

    async def put_doc(self, doc: Doc) -> None:
        """See Store."""
        await self._writer.run("put_doc", writing.document(doc))

    async def check(self) -> Sequence[str]:
        """See Store."""
        return await problems(self._link)


def _each(steps: Sequence[Step]) -> Talk:
    """A talk that gives all rows of some steps."""
    found: list[Row] = []
    for step in steps:
        found += yield step
    return found
