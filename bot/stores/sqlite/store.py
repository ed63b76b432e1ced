"""The Store on SQLite: every method is one hop to a connection's thread."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self, TypeVar

from bot.process.file_rights import make_file, make_folder
from bot.rules.text.plain import storable
from bot.stores.base import REQUESTS_KEPT, Clock, StoreError
from bot.stores.journal import Journal
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
)
from bot.stores.sqlite import reading, schema, sums, writing
from bot.stores.sqlite.journal import SqliteJournal, journal_path
from bot.stores.sqlite.link import Link, Writer
from bot.stores.stored import dump

BUSY_SECONDS = 5.0
LOOK_EVERY = 2.0
"""Seconds between two looks whether the file is still there, when nobody plays."""
T = TypeVar("T")


@asynccontextmanager
async def open_sqlite(
    path: Path, *, clock: Clock = time.time, busy_seconds: float = BUSY_SECONDS
) -> AsyncIterator[SqliteStore]:
    """The store in the file `path`, made (with its folder) if missing; closed on every way out. Raises StoreError."""
    store = await SqliteStore.open(path, clock=clock, busy_seconds=busy_seconds)
    try:
        yield store
    finally:
        await store.close()


class SqliteStore:
    """Writes through one connection, reads through another, which never waits for it."""

    def __init__(self, writer: Writer, reader: Link, clock: Clock, journal: Journal) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._journal = journal

    @property
    def journal(self) -> Journal:
        """See Store."""
        return self._journal

    @classmethod
    async def open(
        cls, path: Path, *, clock: Clock = time.time, busy_seconds: float = BUSY_SECONDS, lasting: bool = True
    ) -> Self:
        """Open or make the file, bring it up to date. Whoever calls this closes it. Raises StoreError.

        A file that is not `lasting` need not survive a power cut, so no commit waits for the disk.
        """
        try:
            make_folder(path.parent)
        except OSError as error:
            raise StoreError(
                f"The folder {path.parent} cannot be made: {error.strerror}.",
                hint="Set GROGNARD_DATA or DATABASE_URL to a place where the bot's user may write.",
            ) from error
        with contextlib.suppress(
            OSError
        ):  # where it cannot be made, SQLite says why; its other files follow its rights
            make_file(path)
        link = await Link.open(path, busy_seconds)
        try:
            await link.run(lambda conn: _prepare(conn, path, busy_seconds, lasting=lasting))
            reader = await Link.open(path, busy_seconds)
            await reader.run(reading.look)
        except BaseException:
            await link.close()
            raise
        link.to_host = reader.to_host = False
        return cls(Writer(link), reader, clock, SqliteJournal(journal_path(path), clock))

    async def close(self) -> None:
        """Write what is waiting, then close all connections; the last one tidies the log file away."""
        try:
            await self._journal.close()
            await self._reader.close()
        finally:
            await self._writer.close()

    async def gone(self) -> str:
        """See Store."""
        message = await self._loss()
        path = self._reader.path
        rescued = path.with_name(f"{path.name}.rescued-{time.strftime('%Y%m%d-%H%M%S')}")
        try:
            make_file(rescued)
            await self._reader.run_anyhow(lambda conn: _copy(conn, rescued))
        except (StoreError, OSError) as error:
            return f"{message} What it held could not be saved: {error}"
        return f"{message} All that was answered until then was saved as {rescued}; put it back if you want it."

    async def _loss(self) -> str:
        """What has happened to the file, once something has."""
        while self._reader.is_same():  # noqa: ASYNC110 -- nobody tells us
            await asyncio.sleep(LOOK_EVERY)
        return f"The database {self._reader.path} was deleted, moved or replaced while it was in use."

    async def commit(self, commit: Commit) -> Committed:
        """See Store."""
        for change in commit.changes:
            check_change(change)
        reply, now = dump(commit.reply), self._clock()
        return await self._writer.run(lambda conn: writing.write(conn, commit, reply, now))

    async def seen(self, request_id: str) -> Json | None:
        """See Store."""
        since = self._clock() - REQUESTS_KEPT
        return await self._reader.run(lambda conn: reading.request_reply(conn, request_id, since))

    async def peek(self, place: str) -> tuple[str, int, bool] | None:
        """See Store."""
        return await self._reader.run(lambda conn: reading.game_at(conn, place))

    async def load_game(self, place: str) -> Saved | None:
        """See Store."""

        def load(conn: sqlite3.Connection) -> Saved | None:
            here = reading.game_at(conn, place)
            return reading.game_with_all(conn, here[0]) if here else None

        return await self._reader.run(_at_one_moment(load))

    async def load_game_by_id(self, game: str) -> Saved | None:
        """See Store."""
        return await self._reader.run(_at_one_moment(lambda conn: reading.game_with_all(conn, game)))

    async def played(self, place: str) -> Sequence[tuple[int, str]]:
        """See Store."""
        return await self._reader.run(lambda conn: reading.played(conn, place))

    async def games(self, after: str = "", limit: int = 1000) -> Sequence[str]:
        """See Store."""
        query = "SELECT id FROM games WHERE id > ? ORDER BY id LIMIT ?"
        return await self._reader.run(lambda conn: [id for (id,) in conn.execute(query, (after, limit))])

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
        return await self._reader.run(
            lambda conn: reading.events(conn, game, after, before, limit, newest_first=newest_first)
        )

    async def events_at(self, game: str, numbers: Sequence[int]) -> Sequence[EventRow]:
        """See Store."""
        return await self._reader.run(lambda conn: reading.events_at(conn, game, numbers))

    async def marks(self, game: str, marks: Sequence[str]) -> Sequence[MarkRow]:
        """See Store."""
        names = [storable(mark) for mark in marks]
        return await self._reader.run(lambda conn: reading.marks(conn, game, names))

    async def mark(self, rows: Sequence[MarkRow]) -> None:
        """See Store."""
        query = "INSERT OR REPLACE INTO marks SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM games WHERE id = ?1)"
        values = [(row.game, storable(row.mark), row.block, row.at) for row in rows]
        await self._writer.run(lambda conn: _each(conn, query, values))

    async def texts(self, game: str, *, after: int = 0, before: int | None = None) -> Sequence[TextRow]:
        """See Store."""
        return await self._reader.run(lambda conn: reading.texts(conn, game, after, before))

    async def persons(self, game: str) -> Sequence[PersonRow]:
        """See Store."""
        return await self._reader.run(lambda conn: reading.persons(conn, game))

    async def seeds(self, game: str) -> Sequence[SeedRow]:
        """See Store."""
        return await self._reader.run(lambda conn: reading.seeds(conn, game))

    async def outbox_claim(self, lease: float, limit: int = 50, platform: str = "") -> Sequence[OutboxRow]:
        """See Store."""
        now = self._clock()
        return await self._writer.run(lambda conn: reading.claim(conn, now, lease, limit, platform))

    async def waiting(self, platform: str, since: float) -> tuple[int, int]:
        """See Store."""
        query = "SELECT count(*), count(*) FILTER (WHERE created < ?) FROM outbox WHERE substr(place, 1, ?) = ?"
        row = (since, len(platform), platform)
        return await self._reader.run(lambda conn: tuple(conn.execute(query, row).fetchone()))

    async def outbox_done(self, *ids: int, spot: Json | None = None) -> None:
        """See Store."""
        await self._writer.run(lambda conn: writing.posted(conn, ids, spot))

    async def shown(self, about: str) -> Shown:
        """See Store."""
        return await self._reader.run(_at_one_moment(lambda conn: reading.shown(conn, about)))

    async def outbox_retry(self, due: float, *ids: int, held: bool = False) -> None:
        """See Store."""
        rows = [(due, id) for id in ids]
        query = f"UPDATE outbox SET due = ?, attempts = {'' if held else '-'}abs(attempts) WHERE id = ?"
        await self._writer.run(lambda conn: _each(conn, query, rows))

    async def doc(self, kind: str, key: str) -> Doc | None:
        """See Store."""
        now = self._clock()
        return await self._reader.run(lambda conn: reading.document(conn, kind, key, now))

    async def docs(self, kind: str, owner: str | None = None) -> Sequence[Doc]:
        """See Store."""
        now = self._clock()
        return await self._reader.run(lambda conn: reading.documents(conn, kind, owner, now))

    async def put_doc(self, doc: Doc) -> None:
        """See Store."""
        await self._writer.run(lambda conn: writing.put_doc(conn, doc))

    async def take_doc(self, kind: str, key: str) -> Doc | None:
        """See Store."""
        now = self._clock()

        def take(conn: sqlite3.Connection) -> Doc | None:
            doc = reading.document(conn, kind, key, now)
            conn.execute("DELETE FROM docs WHERE kind = ? AND key = ?", (kind, key))
            return doc

        return await self._writer.run(take)

    async def due(self, limit: int) -> Sequence[DueRow]:
        """See Store."""
        now = self._clock()
        return await self._reader.run(lambda conn: reading.due(conn, now, limit))

    async def due_at(self, key: str) -> DueRow | None:
        """See Store."""
        return await self._reader.run(lambda conn: reading.due_at(conn, key))

    async def user_data(self, user: str) -> UserData:
        """See Store."""
        return await self._reader.run(lambda conn: reading.about_user(conn, user))

    async def linked(self, server: str) -> Sequence[tuple[str, str]]:
        """See Store."""
        return await self._reader.run(lambda conn: reading.linked(conn, server))

    async def servers(self, platform: str) -> Sequence[str]:
        """See Store."""
        query = "SELECT DISTINCT server FROM bindings WHERE removed IS NULL AND substr(server, 1, ?) = ?"
        rows = await self._reader.run(lambda conn: conn.execute(query, (len(platform), platform)).fetchall())
        return sorted(server for (server,) in rows)

    async def server_left(self, server: str) -> None:
        """See Store."""
        now = self._clock()
        query = "UPDATE bindings SET removed = ?1 WHERE removed IS NULL AND (server = ?2 OR place = ?2)"
        await self._writer.run(lambda conn: _each(conn, query, [(now, server)]))

    async def server_joined(self, server: str) -> bool:
        """See Store."""
        query = "UPDATE bindings SET removed = NULL WHERE removed IS NOT NULL AND (server = ?1 OR place = ?1)"
        return await self._writer.run(lambda conn: conn.execute(query, (server,)).rowcount > 0)

    async def sweep(self, retention: float | None) -> None:
        """See Store."""
        now = self._clock()
        await self._writer.run(lambda conn: writing.sweep(conn, retention, now))

    async def check(self) -> Sequence[str]:
        """See Store."""
        return await self._reader.run(_problems)


def _problems(conn: sqlite3.Connection) -> list[str]:
    """What is wrong with pages and indexes; where they are whole, with the texts in them."""
    rows = conn.execute("PRAGMA integrity_check(20)").fetchall()
    return [line for (line,) in rows if line != "ok"] or list(sums.damaged(conn))


def _prepare(conn: sqlite3.Connection, path: Path, busy_seconds: float, *, lasting: bool) -> None:
    """Set the connection up and bring the file to today's schema."""
    schema.check_ours(conn, path)  # before anything about the file is changed
    conn.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'OFF'}")
    give_up = time.monotonic() + busy_seconds
    while True:
        try:
            conn.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # Two processes that make the file at once: SQLite does not wait by itself here.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.02)
    schema.migrate(conn, path)
    conn.execute("BEGIN IMMEDIATE")
    try:
        # A file that cannot be written is reported now, not at the first roll.
        conn.execute("DELETE FROM games WHERE id = ''")
    finally:
        if conn.in_transaction:
            conn.execute("ROLLBACK")


def _at_one_moment(job: Callable[[sqlite3.Connection], T]) -> Callable[[sqlite3.Connection], T]:
    """`job` with all that it reads taken from the same moment, whatever is committed meanwhile."""

    def run(conn: sqlite3.Connection) -> T:
        conn.execute("BEGIN")
        try:
            return job(conn)
        finally:
            if conn.in_transaction:  # an error of the disk ends it, and is what has to be told
                conn.execute("ROLLBACK")

    return run


def _each(conn: sqlite3.Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Run a statement for each row. Gives nothing back: a cursor must not leave its thread."""
    conn.executemany(statement, rows)


def _copy(conn: sqlite3.Connection, path: Path) -> None:
    """Copy all that the connection sees into a file."""
    with contextlib.closing(sqlite3.connect(path)) as copy:
        conn.backup(copy)
