"""The journal of receipts in a small file beside the database, which can be written while the database is locked."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from bot.interface.spec import Receipt
from bot.process.file_rights import make_file
from bot.stores.base import LONGEST_WAIT, Clock, StoreError
from bot.stores.journal import from_text, to_text
from bot.stores.sqlite.link import Link, Writer

T = TypeVar("T")

BUSY_SECONDS = 0.5
"""Others write here for moments only; a receipt cannot wait for more."""
_TABLE = """
CREATE TABLE IF NOT EXISTS receipts (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place TEXT NOT NULL, user TEXT NOT NULL,
    command TEXT NOT NULL, until REAL NOT NULL, due REAL NOT NULL
)"""


def journal_path(database: Path) -> Path:
    """The journal's file: `grognard.receipts.db` beside `grognard.db`."""
    return database.with_name(f"{database.stem}.receipts{database.suffix}")


class SqliteJournal:
    """The Journal in a file, which is made when the first receipt comes late."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock
        self._opening = asyncio.Lock()
        self._writer: Writer | None = None

    async def note(self, receipt: Receipt, lease: float) -> bool:
        """See Journal."""
        command, now = receipt.command, self._clock()
        values = (command.request_id, command.where.key, command.who.key, to_text(command), receipt.until, now + lease)
        insert = (
            "INSERT INTO receipts (id, place, user, command, until, due) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING"
        )
        return bool(await self._run(lambda conn: conn.execute(insert, values).rowcount))

    async def renew(self, ids: Sequence[str], lease: float) -> None:
        """See Journal."""
        due = self._clock() + lease
        update = "UPDATE receipts SET due = ? WHERE id = ?"
        await self._run(lambda conn: _each(conn, update, [(due, id) for id in ids]))

    async def claim(self, platform: str, lease: float, limit: int) -> Sequence[Receipt]:
        """See Journal."""
        if self._writer is None and not self._path.exists():
            return ()
        now = self._clock()

        def claim(conn: sqlite3.Connection) -> list[Receipt]:
            rows = conn.execute(
                "SELECT id, command, until FROM receipts WHERE (due <= ?1 OR due > ?1 + ?2) "
                "AND substr(place, 1, ?3) = ?4 ORDER BY number LIMIT ?5",
                (now, LONGEST_WAIT, len(platform), platform, limit),
            ).fetchall()
            _each(conn, "UPDATE receipts SET due = ? WHERE id = ?", [(now + lease, id) for id, _, _ in rows])
            return [Receipt(from_text(command), until) for _, command, until in rows]

        return await self._run(claim)

    async def drop(self, ids: Sequence[str]) -> None:
        """See Journal."""
        await self._run(lambda conn: _each(conn, "DELETE FROM receipts WHERE id = ?", [(id,) for id in ids]))

    async def forget(self, user: str, places: Sequence[str], but: str) -> None:
        """See Journal."""
        if self._writer is None and not self._path.exists():
            return

        def forget(conn: sqlite3.Connection) -> None:
            _each(conn, "DELETE FROM receipts WHERE place = ? AND id <> ?", [(place, but) for place in places])
            conn.execute("DELETE FROM receipts WHERE user = ? AND id <> ?", (user, but))

        await self._run(forget)

    async def close(self) -> None:
        """See Journal."""
        async with self._opening:
            if self._writer is not None:
                await self._writer.close()

    async def _run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        async with self._opening:
            if self._writer is None:
                self._writer = await self._open()
        return await self._writer.run(job)

    async def _open(self) -> Writer:
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))  # it holds tokens
        except OSError as error:
            raise StoreError(f"The journal {self._path} cannot be opened: {error.strerror}.") from error
        link = await Link.open(self._path, BUSY_SECONDS)
        try:
            await link.run(_prepare)
        except BaseException:
            await link.close()
            raise
        link.to_host = False
        return Writer(link)


def _prepare(conn: sqlite3.Connection) -> None:
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = FULL")
    conn.execute("PRAGMA secure_delete = ON")  # what is done with leaves no token behind
    conn.execute(_TABLE)


def open_file(path: Path) -> sqlite3.Connection:
    """The journal as a file of its own, made if it is not there, for whoever copies it."""
    make_file(path)
    conn = sqlite3.connect(path, isolation_level=None)
    _prepare(conn)
    return conn


def _each(conn: sqlite3.Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    conn.executemany(statement, rows)
