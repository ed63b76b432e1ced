"""The journal of receipts on SQLite: a small file next to the database, which can be written while
the database is locked.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bot.runtime.file_rights import make_file
from bot.storage.base import Clock, StoreError
from bot.storage.sqlite.link import SqliteLink, SqliteWriter
from bot.storage.statements import Row, SqlStep, Talk

BUSY_SECONDS = 0.5
"""Seconds to wait for a locked journal. Other processes lock it only for moments."""
_TABLE = """
CREATE TABLE IF NOT EXISTS receipts (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place TEXT NOT NULL, user TEXT NOT NULL,
    command TEXT NOT NULL, until REAL NOT NULL, due REAL NOT NULL
)"""


def get_journal_path(database: Path) -> Path:
    """Return the file of the journal: `grognard.receipts.db` next to `grognard.db`."""
    return database.with_name(f"{database.stem}.receipts{database.suffix}")


class JournalFile:
    """The Engine of the journal: a file that is created when the first receipt is recorded."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._opening = asyncio.Lock()
        self._writer: SqliteWriter | None = None

    async def write(self, steps: Sequence[SqlStep], **options: Any) -> Sequence[Row]:
        """See Engine. Steps that insert nothing do not create the file, and do nothing without it."""
        if self._is_missing() and not any(step.sql.startswith("INSERT") for step in steps):
            return ()
        writer = await self._ensure_writer()
        return await writer.write(steps, **options)

    async def talk(self, begin: Callable[[], Talk]) -> Any:
        """See Engine. Return None if the file does not exist."""
        if self._is_missing():
            return None
        writer = await self._ensure_writer()
        return await writer.talk(begin)

    async def close(self) -> None:
        """Wait until everything is written, and close the file."""
        async with self._opening:
            if self._writer is not None:
                await self._writer.close()

    def _is_missing(self) -> bool:
        return self._writer is None and not self._path.exists()

    async def _ensure_writer(self) -> SqliteWriter:
        """Return the writer, opening the file if necessary. Raises StoreError."""
        async with self._opening:
            if self._writer is None:
                self._writer = await self._open()
            return self._writer

    async def _open(self) -> SqliteWriter:
        """Open the file, which is created if necessary, for its owner only. Raises StoreError."""
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))  # it holds tokens
        except OSError as error:
            raise StoreError(
                f"The journal {self._path} cannot be opened: {error.strerror}."
            ) from error
        link = await SqliteLink.open(self._path, BUSY_SECONDS)
        try:
            await link.run(lambda conn: _prepare(conn, self._clock))
        except BaseException:
            await link.close()
            raise
        link.to_host = False
        return SqliteWriter(link)


def _prepare(conn: sqlite3.Connection, clock: Clock = time.time) -> None:
    """Configure a connection to the journal, and create the table if necessary."""
    conn.create_function("grognard_now", 0, clock)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = FULL")
    conn.execute("PRAGMA secure_delete = ON")  # overwrites the tokens of deleted receipts
    conn.execute(_TABLE)


def ensure_journal(database: Path) -> Path:
    """Return the journal of a database, which is created if necessary, for a copy of it."""
    path = get_journal_path(database)
    make_file(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        _prepare(conn)
    return path
