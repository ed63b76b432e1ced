"""The Store on SQLite: every method is one hop to a connection's thread."""

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
LOOK_EVERY = 2.0
"""Seconds between two looks whether the file is still there, when nobody plays."""
_PAGE = 1000
BACKUPS_KEPT = 30 * DAY
"""Seconds for which the copy that an update of the schema made beside the database is kept."""


class SqliteStore(Store):
    """Writes through one connection, reads through another, which never waits for it."""

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
        """Open or make the file, bring it up to date. Whoever calls this closes it. Raises
        StoreError.

        A file that is not `lasting` need not survive a power cut, so no commit waits for the disk.
        """
        try:
            make_folder(path.parent)
        except OSError as error:
            hint = "Set GROGNARD_DATA or DATABASE_URL to a place where the bot's user may write."
            raise make_file_error(f"The folder {path.parent}", error, hint) from error
        with contextlib.suppress(OSError):
            # where it cannot be made, SQLite says why; its other files follow its rights
            make_file(path)
        async with contextlib.AsyncExitStack() as links:
            link = await SqliteLink.open(path, busy_seconds)
            links.push_async_callback(link.close)
            try:
                await link.run(
                    lambda conn: _prepare(conn, path, clock, busy_seconds, lasting=lasting)
                )
            except OSError as error:  # of the copy that an update makes
                raise make_file_error(
                    f"The copy of {path}", error, "Make room beside the database."
                ) from error
            reader = await SqliteLink.open(path, busy_seconds)
            links.push_async_callback(reader.close)
            await reader.run(lambda conn: _look(conn, clock))
            links.pop_all()  # the store closes them from now on
        link.to_host = reader.to_host = False
        return cls(
            SqliteWriter(link), reader, Journal(JournalFile(get_journal_path(path), clock)), clock
        )

    async def close(self) -> None:
        """Write what is waiting, then close all connections; the last one tidies the log file
        away.
        """
        try:
            await self.journal.close()
            await self._reader.close()
        finally:
            await self._writer.close()

    async def watch_for_removal(self) -> str:
        """See Store."""
        message = await self._wait_for_loss()
        path = self._reader.path
        rescued = path.with_name(f"{path.name}.rescued-{time.strftime('%Y%m%d-%H%M%S')}")
        try:
            make_file(rescued)
            await self._reader.run_anyhow(lambda conn: _copy(conn, rescued))
        except (StoreError, OSError) as error:
            return f"{message} What it held could not be saved: {error}"
        return f"{message} All that was answered until then was saved as {rescued}; put it back if you want it."

    async def _wait_for_loss(self) -> str:
        """What has happened to the file, once something has."""
        while self._reader.is_same():  # noqa: ASYNC110 -- nobody tells us
            await asyncio.sleep(LOOK_EVERY)
        return (
            f"The database {self._reader.path} was deleted, moved or replaced while it was in use."
        )

    def _sweep_old_requests(self, now: float) -> Talk:
        """Rows are in order of time, so no index on it is needed, which every commit would pay for;
        those written while the clock was ahead are dated back to now, or they would hide older ones
        behind them."""
        page = "rowid > ?1 AND rowid <= ?2"
        after = -1
        old = now - REQUESTS_KEPT
        ahead = now + DAY
        query = "SELECT rowid, at FROM requests WHERE rowid > ?1 ORDER BY rowid LIMIT ?2"
        while rows := (yield SqlStep(query, (after, _PAGE))):
            ends = (after, rows[-1][0])
            yield SqlStep(f"DELETE FROM requests WHERE {page} AND at < ?3", (*ends, old))
            yield SqlStep(
                f"UPDATE requests SET at = ?3 WHERE {page} AND at > ?4", (*ends, now, ahead)
            )
            if all(old <= at <= ahead for _, at in rows):
                return
            after = rows[-1][0]

    async def purge_deleted(self) -> None:
        """See Store. What is written goes from the write-ahead logs into the files, which overwrite
        what is deleted; copies that updates made go after a month. Whatever is in the way just now,
        the next sweep tries again."""
        path = self._reader.path
        await asyncio.to_thread(_empty_log, path)
        await asyncio.to_thread(_empty_log, get_journal_path(path))
        await asyncio.to_thread(schema.drop_backups, path, self._clock() - BACKUPS_KEPT)

    async def check(self) -> Sequence[str]:
        """See Store."""
        return await self._reader.run(_find_problems)


class TemporaryStore(SqliteStore):
    """Games that end with the process, in a folder which goes when the store is closed: for
    `DATABASE_URL=sqlite:///:memory:`, and for tests. Its commits never wait for the disk."""

    _folder: TemporaryDirectory[str]  # which deletes itself at the latest when the interpreter ends

    @classmethod
    async def make(cls, clock: Clock = time.time) -> Self:
        """A new one, empty. Whoever calls this closes it. Raises StoreError."""
        try:
            folder = TemporaryDirectory(prefix="grognard-")
        except OSError as error:
            raise StoreError(
                f"No temporary folder can be made: {error.strerror}.",
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
            f"{await self._wait_for_loss()} It was a temporary one: its games are lost. "
            "DATABASE_URL can name one that stays."
        )

    async def close(self) -> None:
        """See Store. Nothing of it is left."""
        try:
            await super().close()
        finally:
            self._folder.cleanup()


def _find_problems(conn: sqlite3.Connection) -> list[str]:
    """What is wrong with pages and indexes; where they are whole, with the texts in them."""
    if broken := [line for (line,) in conn.execute("PRAGMA integrity_check(20)") if line != "ok"]:
        return broken
    found: list[str] = []
    for table, column in CHECKED:
        name = NAMES.get(table, "'row ' || rowid")
        query = f"SELECT {name}, CAST({column} AS BLOB) FROM {table} WHERE {column} IS NOT NULL"
        found += find_damaged_texts(table, column, conn.execute(query))
    return found


def _prepare(
    conn: sqlite3.Connection, path: Path, clock: Clock, busy_seconds: float, *, lasting: bool
) -> None:
    """Set the connection up and bring the file to today's schema."""
    conn.create_function("grognard_now", 0, clock)
    conn.create_function("grognard_tombstone", 1, compute_tombstone)
    conn.create_function("grognard_bare", 1, strip_stored_change)
    schema.check_ours(conn, path)  # before anything about the file is changed
    # who is erased is not to be read in the file's free pages
    conn.execute("PRAGMA secure_delete = ON")
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


def _look(conn: sqlite3.Connection, clock: Clock) -> None:
    """Open all files that reading needs, so that a deleted one can still be read to its end."""
    conn.create_function("grognard_now", 0, clock)
    conn.execute("SELECT count(*) FROM games").fetchone()


def _empty_log(path: Path) -> None:
    """Take a file's write-ahead log into it and cut it to nothing, unless somebody reads just
    now.
    """
    if not path.with_name(f"{path.name}-wal").exists():
        return
    with (
        contextlib.closing(sqlite3.connect(path, timeout=1.0)) as conn,
        contextlib.suppress(sqlite3.Error),
    ):
        conn.execute("PRAGMA secure_delete = ON")
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _copy(conn: sqlite3.Connection, path: Path) -> None:
    """Copy all that the connection sees into a file."""
    with contextlib.closing(sqlite3.connect(path)) as copy:
        conn.backup(copy)
