"""The journal of receipts in a small file beside the database, which can be written while the
database is locked.
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
"""Others write here for moments only; a receipt cannot wait for more."""
_TABLE = """
CREATE TABLE IF NOT EXISTS receipts (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place TEXT NOT NULL, user TEXT NOT NULL,
    command TEXT NOT NULL, until REAL NOT NULL, due REAL NOT NULL
)"""


def get_journal_path(database: Path) -> Path:
    """The journal's file: `grognard.receipts.db` beside `grognard.db`."""
    return database.with_name(f"{database.stem}.receipts{database.suffix}")


class JournalFile:
    """The Engine of the journal: a file, which is made when the first receipt comes late."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._opening = asyncio.Lock()
        self._writer: SqliteWriter | None = None

    async def write(self, steps: Sequence[SqlStep], **how: Any) -> Sequence[Row]:
        """See Engine. Nothing is changed in a file that is not there."""
        if self._is_missing() and not any(step.sql.startswith("INSERT") for step in steps):
            return ()
        return await (await self._ensure_writer()).write(steps, **how)

    async def talk(self, begin: Callable[[], Talk]) -> Any:
        """See Engine. None where no file is there."""
        return None if self._is_missing() else await (await self._ensure_writer()).talk(begin)

    async def close(self) -> None:
        """Let go of the file."""
        async with self._opening:
            if self._writer is not None:
                await self._writer.close()

    def _is_missing(self) -> bool:
        return self._writer is None and not self._path.exists()

    async def _ensure_writer(self) -> SqliteWriter:
        async with self._opening:
            if self._writer is None:
                self._writer = await self._open()
            return self._writer

    async def _open(self) -> SqliteWriter:
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
    conn.create_function("grognard_now", 0, clock)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = FULL")
    conn.execute("PRAGMA secure_delete = ON")  # what is done with leaves no token behind
    conn.execute(_TABLE)


def ensure_journal(database: Path) -> Path:
    """The journal's file beside a database, made if it is not there, for whoever copies it."""
    path = get_journal_path(database)
    make_file(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        _prepare(conn)
    return path
