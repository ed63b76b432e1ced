"""The Store on SQLite, with a connection that writes and one that reads."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from bot.runtime.file_rights import make_file, make_folder
from bot.storage.base import DAY, REQUESTS_KEPT, Clock, StoreError
from bot.storage.journal import Journal
from bot.storage.records import (
    CHECKED,
    NAMES,
    compute_tombstone,
    find_damaged_texts,
    strip_stored_change,
)
from bot.storage.sqlite import schema
from bot.storage.sqlite.faults import make_file_error
from bot.storage.sqlite.journal import JournalFile, get_journal_path
from bot.storage.sqlite.link import SqliteLink, SqliteWriter
from bot.storage.statements import SqlStep, Talk
from bot.storage.store import Store

BUSY_SECONDS = 5.0
"""Seconds to wait while another program has locked the file."""
LOOK_EVERY = 2.0
"""Seconds between two checks that the file still exists."""
_PAGE = 1000
"""Requests that are checked in one step of the sweep."""
BACKUPS_KEPT = 30 * DAY
"""Seconds for which the copies that updates of the schema made are kept."""


class SqliteStore(Store):
    """A store in a file. It writes through one connection and reads through another, which never
    waits for the first.
    """

    def __init__(
        self, writer: SqliteWriter, reader: SqliteLink, journal: Journal, clock: Clock
    ) -> None:
        super().__init__(writer, reader.fetch, journal, clock)
        self._writer: SqliteWriter = writer
        self._reader = reader

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        clock: Clock = time.time,
        busy_seconds: float = BUSY_SECONDS,
        lasting: bool = True,
    ) -> Self:
        """Open a file, which is created if necessary, and update its schema. The caller closes it.

        A file that is not `lasting` need not survive a power cut, so no commit waits for the disk.
        Raises StoreError.
        """
        try:
            make_folder(path.parent)
        except OSError as error:
            hint = "Set GROGNARD_DATA or DATABASE_URL to a place where the bot's user may write."
            raise make_file_error(f"The folder {path.parent}", error, hint) from error
        with contextlib.suppress(OSError):
            # if this fails SQLite reports the cause; its other files get the same rights
            make_file(path)
        async with contextlib.AsyncExitStack() as links:
            link = await SqliteLink.open(path, busy_seconds)
            links.push_async_callback(link.close)
            try:
                await link.run(
                    lambda conn: _prepare(conn, path, clock, busy_seconds, lasting=lasting)
                )
            except OSError as error:  # while an update copies the file
                raise make_file_error(
                    f"The copy of {path}", error, "Free some space next to the database."
                ) from error
            reader = await SqliteLink.open(path, busy_seconds)
            links.push_async_callback(reader.close)
            await reader.run(lambda conn: _prepare_reader(conn, clock))
            links.pop_all()  # the store closes them from now on
        link.to_host = False
        reader.to_host = False
        journal = Journal(JournalFile(get_journal_path(path), clock))
        return cls(SqliteWriter(link), reader, journal, clock)

    async def close(self) -> None:
        """Finish waiting writes, then close all connections. SQLite deletes its log file with the
        last one.
        """
        try:
            await self.journal.close()
            await self._reader.close()
        finally:
            await self._writer.close()

    async def watch_for_removal(self) -> str:
        """See Store. Before it returns it saves the data of the open file as a copy."""
        message = await self._wait_for_loss()
        path = self._reader.path
        rescued = path.with_name(f"{path.name}.rescued-{time.strftime('%Y%m%d-%H%M%S')}")
        try:
            make_file(rescued)
            await self._reader.run_anyhow(lambda conn: _copy(conn, rescued))
        except (StoreError, OSError) as error:
            return f"{message} Its contents could not be saved: {error}"
        return f"{message} Everything that had been answered was saved as {rescued}; restore it if you want it."

    async def _wait_for_loss(self) -> str:
        """Wait until the file was deleted or replaced, and return a sentence that says so."""
        while self._reader.is_same():  # noqa: ASYNC110 -- there is no event to wait for
            await asyncio.sleep(LOOK_EVERY)
        return (
            f"The database {self._reader.path} was deleted, moved or replaced while it was in use."
        )

    def _sweep_old_requests(self, now: float) -> Talk:
        """Delete outdated requests, page by page, until a page has none.

        Rows are in order of time, so this needs no index, which would slow each commit. Rows with a
        time in the future, written before the clock was set back, get the time `now`: otherwise the
        search would stop at them.
        """
        page = "rowid > ?1 AND rowid <= ?2"
        last_row = -1
        oldest = now - REQUESTS_KEPT
        newest = now + DAY
        query = "SELECT rowid, at FROM requests WHERE rowid > ?1 ORDER BY rowid LIMIT ?2"
        while rows := (yield SqlStep(query, (last_row, _PAGE))):
            bounds = (last_row, rows[-1][0])
            yield SqlStep(f"DELETE FROM requests WHERE {page} AND at < ?3", (*bounds, oldest))
            yield SqlStep(
                f"UPDATE requests SET at = ?3 WHERE {page} AND at > ?4", (*bounds, now, newest)
            )
            if all(oldest <= time <= newest for _, time in rows):
                return
            last_row = rows[-1][0]

    async def purge_deleted(self) -> None:
        """See Store. The write-ahead logs are written into the files, which overwrites deleted data.
        Copies that updates of the schema made are deleted after BACKUPS_KEPT seconds.

        Files that are in use are left for the next sweep.
        """
        path = self._reader.path
        await asyncio.to_thread(_empty_log, path)
        await asyncio.to_thread(_empty_log, get_journal_path(path))
        await asyncio.to_thread(schema.drop_backups, path, self._clock() - BACKUPS_KEPT)

    async def check(self) -> Sequence[str]:
        """See Store."""
        return await self._reader.run(_find_problems)


class TemporaryStore(SqliteStore):
    """A store in a temporary folder, which is deleted when the store is closed: for
    `DATABASE_URL=sqlite:///:memory:`, and for tests. Its commits never wait for the disk.
    """

    _folder: TemporaryDirectory[str]  # deleted at the latest when the interpreter ends

    @classmethod
    async def make(cls, clock: Clock = time.time) -> Self:
        """Create an empty store, which the caller closes. Raises StoreError."""
        try:
            folder = TemporaryDirectory(prefix="grognard-")
        except OSError as error:
            raise StoreError(
                f"No temporary folder can be created: {error.strerror}.",
                hint="Set TMPDIR to a folder where the bot's user may write, or DATABASE_URL to a file.",
            ) from error
        try:
            store = await cls.open(Path(folder.name) / "games.db", clock=clock, lasting=False)
        except BaseException:
            folder.cleanup()
            raise
        store._folder = folder
        return store

    async def watch_for_removal(self) -> str:
        """See Store."""
        return (
            f"{await self._wait_for_loss()} It was temporary, so its games are lost. "
            "DATABASE_URL can name a permanent one."
        )

    async def close(self) -> None:
        """See Store. The folder is deleted."""
        try:
            await super().close()
        finally:
            self._folder.cleanup()


def _find_problems(conn: sqlite3.Connection) -> list[str]:
    """Return a line for each fault of pages and indexes; if there are none, for each damaged text."""
    lines = [line for (line,) in conn.execute("PRAGMA integrity_check(20)") if line != "ok"]
    if lines:
        return lines
    problems: list[str] = []
    for table, column in CHECKED:
        name = NAMES.get(table, "'row ' || rowid")
        query = f"SELECT {name}, CAST({column} AS BLOB) FROM {table} WHERE {column} IS NOT NULL"
        problems += find_damaged_texts(table, column, conn.execute(query))
    return problems


def _prepare(
    conn: sqlite3.Connection, path: Path, clock: Clock, busy_seconds: float, *, lasting: bool
) -> None:
    """Configure the connection that writes, and bring the file to today's schema.

    Raises StoreError if the file belongs to another program or another Grognard, sqlite3.Error if it
    is locked for `busy_seconds` or cannot be written.
    """
    conn.create_function("grognard_now", 0, clock)
    conn.create_function("grognard_tombstone", 1, compute_tombstone)
    conn.create_function("grognard_bare", 1, strip_stored_change)
    schema.check_ours(conn, path)  # before anything about the file is changed
    # deleted data must not stay in the file's free pages
    conn.execute("PRAGMA secure_delete = ON")
    conn.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'OFF'}")
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            conn.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # If two processes create the file at once, SQLite itself does not wait.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
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


def _prepare_reader(conn: sqlite3.Connection, clock: Clock) -> None:
    """Configure the connection that reads, and have it open all files that it needs, so that it can
    still read them if they are deleted.
    """
    conn.create_function("grognard_now", 0, clock)
    conn.execute("SELECT count(*) FROM games").fetchone()


def _empty_log(path: Path) -> None:
    """Write a file's write-ahead log into the file, and empty the log. Do nothing if the file is in
    use at this moment.
    """
    if not path.with_name(f"{path.name}-wal").exists():
        return
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(path, timeout=1.0)) as conn,
    ):
        conn.execute("PRAGMA secure_delete = ON")
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _copy(conn: sqlite3.Connection, path: Path) -> None:
    """Copy the database of a connection into a file."""
    with contextlib.closing(sqlite3.connect(path)) as copy:
        conn.backup(copy)
