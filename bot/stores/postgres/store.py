"""The Store on PostgreSQL: writes go in batches through functions in the server, reads are one query each."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Self

from bot.rules.text.plain import storable
from bot.stores.base import DAY, LONGEST_WAIT, REQUESTS_KEPT, Clock, Deleted
from bot.stores.journal import Journal
from bot.stores.postgres import reading, writing
from bot.stores.postgres.checking import problems
from bot.stores.postgres.journal import PostgresJournal
from bot.stores.postgres.link import SHORT_PATIENCE, Link, Writer
from bot.stores.postgres.schema import migrate
from bot.stores.records import (
    Commit,
    Committed,
    Doc,
    DueRow,
    EventRow,
    Json,
    MarkRow,
    OutboxRow,
    PersonRow,
    Saved,
    SeedRow,
    Shown,
    TextRow,
    UserData,
    check_change,
    tombstone,
)

LAST = 2**62


@asynccontextmanager
async def open_postgres(url: str, *, clock: Clock = time.time) -> AsyncIterator[PostgresStore]:
    """The store in the database that `url` names; closed on every way out. Raises StoreError."""
    store = await PostgresStore.open(url, clock=clock)
    try:
        yield store
    finally:
        await store.close()


class PostgresStore:
    """One pool of connections; a writer that sends what waits together."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._writer = Writer(link)
        # Of its own: a receipt does not wait for another process to let go of a game, nor long for the server.
        self._receipts = Writer(link, SHORT_PATIENCE)
        self._journal = PostgresJournal(link, self._receipts, clock)

    @property
    def journal(self) -> Journal:
        """See Store."""
        return self._journal

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

    async def seen(self, request_id: str) -> Json | None:
        """See Store."""
        request, since = storable(request_id), self._clock() - REQUESTS_KEPT
        query = (
            "SELECT (SELECT reply FROM requests WHERE id = $1 AND at >= $3), "
            "EXISTS (SELECT FROM tombstones WHERE id = $2 AND at >= $3)"
        )
        [(reply, is_deleted)] = await self._link.fetch(query, request, tombstone(request), since)
        if reply is None and is_deleted:
            raise Deleted(request_id)
        return json.loads(reply) if reply is not None else None

    async def peek(self, place: str) -> tuple[str, int, bool] | None:
        """See Store."""
        query = (
            f"SELECT games.id, version, {reading.HAS_BOARD} FROM bindings JOIN games ON games.id = game "
            "WHERE place = $1 AND current"
        )
        rows = await self._link.fetch(query, place)
        return (rows[0][0], rows[0][1], rows[0][2]) if rows else None

    async def load_game(self, place: str) -> Saved | None:
        """See Store."""
        return reading.saved(await self._link.value(reading.SAVED_AT, place))

    async def load_game_by_id(self, game: str) -> Saved | None:
        """See Store."""
        return reading.saved(await self._link.value(reading.SAVED, game))

    async def played(self, place: str) -> Sequence[tuple[int, str]]:
        """See Store."""
        rows = await self._link.fetch("SELECT number, game FROM bindings WHERE place = $1 ORDER BY number", place)
        return [(number, game) for number, game in rows]

    async def games(self, after: str = "", limit: int = 1000) -> Sequence[str]:
        """See Store."""
        rows = await self._link.fetch("SELECT id FROM games WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
        return [id for (id,) in rows]

    async def events(
        self,
        game: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> Sequence[EventRow]:
        """See Store."""
        order = "DESC" if newest_first else "ASC"
        query = f"{reading.EVENT} WHERE game = $1 AND number > $2 AND number < $3 ORDER BY number {order} LIMIT $4"
        rows = await self._link.fetch(query, game, after, before if before is not None else LAST, limit)
        return tuple(EventRow(*row) for row in rows)

    async def events_at(self, game: str, numbers: Sequence[int]) -> Sequence[EventRow]:
        """See Store."""
        query = f"{reading.EVENT} WHERE game = $1 AND number = ANY ($2::bigint[]) ORDER BY number"
        return tuple(EventRow(*row) for row in await self._link.fetch(query, game, list(numbers)))

    async def marks(self, game: str, marks: Sequence[str]) -> Sequence[MarkRow]:
        """See Store."""
        query = f"{reading.MARK} WHERE game = $1 AND mark = ANY ($2::text[]) ORDER BY block, mark"
        names = [storable(mark) for mark in marks]
        return tuple(MarkRow(*row) for row in await self._link.fetch(query, game, names))

    async def mark(self, rows: Sequence[MarkRow]) -> None:
        """See Store."""
        values = [(row.game, storable(row.mark), row.block, row.at) for row in rows]
        await self._link.execute(reading.NEW_MARKS, *map(list, zip(*values, strict=True)))

    async def texts(self, game: str, *, after: int = 0, before: int | None = None) -> Sequence[TextRow]:
        """See Store."""
        query = f"{reading.TEXT} WHERE game = $1 AND event > $2 AND event < $3 ORDER BY event, key"
        rows = await self._link.fetch(query, game, after, before if before is not None else LAST)
        return tuple(TextRow(*row) for row in rows)

    async def persons(self, game: str) -> Sequence[PersonRow]:
        """See Store."""
        rows = await self._link.fetch(f"{reading.PERSON} WHERE game = $1 ORDER BY person", game)
        return tuple(PersonRow(*row) for row in rows)

    async def seeds(self, game: str) -> Sequence[SeedRow]:
        """See Store."""
        return reading.seed_rows(await self._link.fetch(f"{reading.SEED} WHERE game = $1 ORDER BY epoch", game))

    async def outbox_claim(self, lease: float, limit: int = 50, platform: str = "") -> Sequence[OutboxRow]:
        """See Store."""
        now = self._clock()
        query = "SELECT * FROM grognard_claim($1, $2, $3, $4, $5)"
        rows = await self._link.fetch(query, platform, now, now + LONGEST_WAIT, now + lease, limit)
        return reading.outbox_rows(rows)

    async def waiting(self, platform: str, since: float) -> tuple[int, int]:
        """See Store."""
        query = "SELECT count(*), count(*) FILTER (WHERE created < $2) FROM outbox WHERE starts_with(place, $1)"
        [(waiting, late)] = await self._link.fetch(query, platform, since)
        return waiting, late

    async def outbox_done(self, *ids: int, spot: Json | None = None) -> None:
        """See Store."""
        await self._writer.run("posted", {"ids": ids, "spot": writing.spot_text(spot or {})})

    async def shown(self, about: str) -> Shown:
        """See Store."""
        return reading.shown(await self._link.value(reading.SHOWN, about))

    async def outbox_retry(self, due: float, *ids: int, held: bool = False) -> None:
        """See Store."""
        await self._writer.run("retry", {"ids": ids, "due": due, "held": held})

    async def doc(self, kind: str, key: str) -> Doc | None:
        """See Store."""
        query = f"{reading.DOC} WHERE kind = $1 AND key = $2 AND coalesce(expires > $3, true)"
        rows = await self._link.fetch(query, kind, key, self._clock())
        return next(iter(reading.doc_rows(rows)), None)

    async def docs(self, kind: str, owner: str | None = None) -> Sequence[Doc]:
        """See Store."""
        query = (
            f"{reading.DOC} WHERE kind = $1 AND coalesce(expires > $2, true) "
            "AND ($3::text IS NULL OR owner = $3) ORDER BY key"
        )
        return reading.doc_rows(await self._link.fetch(query, kind, self._clock(), owner))

    async def put_doc(self, doc: Doc) -> None:
        """See Store."""
        await self._writer.run("put_doc", writing.document(doc))

    async def take_doc(self, kind: str, key: str) -> Doc | None:
        """See Store."""
        query = "DELETE FROM docs WHERE kind = $1 AND key = $2 RETURNING kind, key, data, expires, owner"
        now = self._clock()
        rows = await self._link.fetch(query, kind, key, is_safe=False)
        [doc] = reading.doc_rows(rows) or (None,)
        return doc if doc is not None and (doc.expires is None or doc.expires > now) else None

    async def due(self, limit: int) -> Sequence[DueRow]:
        """See Store."""
        query = f"{reading.DUE} WHERE at <= $1 ORDER BY at, key LIMIT $2"
        return reading.due_rows(await self._link.fetch(query, self._clock(), limit))

    async def due_at(self, key: str) -> DueRow | None:
        """See Store."""
        return next(iter(reading.due_rows(await self._link.fetch(f"{reading.DUE} WHERE key = $1", key))), None)

    async def user_data(self, user: str) -> UserData:
        """See Store."""
        return reading.user_data(
            await self._link.fetch(f'{reading.PERSON} WHERE "user" = $1 ORDER BY game', user),
            await self._link.fetch(reading.USERS_TEXTS, user),
            await self._link.fetch(f"{reading.DOC} WHERE owner = $1 AND owner <> '' ORDER BY kind, key", user),
            await self._link.fetch(f"{reading.DUE} WHERE owner = $1 AND owner <> '' ORDER BY key", user),
        )

    async def linked(self, server: str) -> Sequence[tuple[str, str]]:
        """See Store."""
        return [(place, game) for place, game in await self._link.fetch(reading.LINKED, server)]

    async def servers(self, platform: str) -> Sequence[str]:
        """See Store."""
        query = "SELECT DISTINCT server FROM bindings WHERE removed IS NULL AND starts_with(server, $1)"
        return sorted(server for (server,) in await self._link.fetch(query, platform))

    async def server_left(self, server: str) -> None:
        """See Store."""
        query = "UPDATE bindings SET removed = $1 WHERE removed IS NULL AND (server = $2 OR place = $2)"
        await self._link.execute(query, self._clock(), server)

    async def server_joined(self, server: str) -> bool:
        """See Store."""
        query = "UPDATE bindings SET removed = NULL WHERE removed IS NOT NULL AND (server = $1 OR place = $1)"
        return await self._link.execute(query, server) > 0

    async def sweep(self, retention: float | None) -> None:
        """See Store."""
        now = self._clock()
        gone = now - retention if retention is not None else None
        query = "SELECT grognard_sweep($1, $2, $3, $4)"
        await self._link.execute(query, now, now - REQUESTS_KEPT, now + DAY, gone)

    async def check(self) -> Sequence[str]:
        """See Store."""
        return await problems(self._link)
