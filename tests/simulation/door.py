"""The door to SQLite: a real file, reached by a connection that can wait, fail, or lose its
process.

`Link.run` goes through `aiosqlite.connect`; here a job runs whole at one virtual moment, so what
SQLite promises (a transaction is there or not) holds by itself, and a crash falls between jobs, or
between a job and the hearing of it. A second file goes through the same door.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.process import Process

Json = dict[str, Any]

PROCESS: ContextVar[Process] = ContextVar("PROCESS")
"""The simulated process in which the running task lives; tasks inherit it."""
WATCHED = {
    "request": ("requests", "INSERT", "new.id, new.game, new.user, new.reply"),
    "event": ("events", "INSERT", "new.game, new.number, new.body, new.hash"),
    "text": ("texts", "INSERT", "new.game, new.event, new.key, new.text"),
    "outbox": (
        "outbox",
        "INSERT",
        "new.id, new.request, new.place, new.reply, new.delivery, new.amends",
    ),
    "posted": ("outbox", "DELETE", "old.id, old.about"),
    "renamed": ("outbox", "UPDATE OF reply", "new.id, '', new.reply"),
    "reworded": ("requests", "UPDATE OF reply", "0, new.id, new.reply"),
    "erased": ("games", "DELETE", "old.id"),
}


@dataclass(slots=True)
class Disk:
    """How the disk and the file fare just now. Times are the loop's."""

    chance: Random
    pace: float = 0.004
    slow_until: float = 0.0
    full_until: float = 0.0
    broken_in: int = -1  # so many statements on, one reports an I/O error
    trouble_at: float = -1e9  # when something last went wrong
    locker: sqlite3.Connection | None = field(default=None, repr=False)

    def delay(self, now: float) -> float:
        """Seconds until a job is done, or its result is heard."""
        slow = 100.0 if now < self.slow_until else 1.0
        return self.chance.expovariate(1.0) * self.pace * slow

    def lock(self, path: Path) -> None:
        """Another program begins to write, and does not end."""
        if self.locker is None:
            self.locker = sqlite3.connect(path, isolation_level=None, timeout=0)
            self.locker.execute("BEGIN IMMEDIATE")

    def unlock(self) -> None:
        """It ends."""
        if self.locker is not None:
            self.locker.execute("ROLLBACK")
            self.locker.close()
            self.locker = None

    def heal(self) -> None:
        """All is well again."""
        self.unlock()
        self.slow_until = self.full_until = 0.0
        self.broken_in = -1


class _Breaking(sqlite3.Connection):
    """A connection on which the n-th statement reports an I/O error, and the transaction is
    gone.
    """

    disk: Disk | None = None
    patience = 0  # milliseconds that it waits for a locked file: virtual ones, which SQLite must not know of

    def execute(self, *args: Any) -> sqlite3.Cursor:
        """A statement."""
        disk, asked = self.disk, str(args[0]).replace(" ", "").casefold()
        if asked.startswith("pragmabusy_timeout"):
            self.patience = int(asked.partition("=")[2] or self.patience)
            return super().execute("SELECT ?", (self.patience,))
        if disk is not None and disk.broken_in >= 0:
            disk.broken_in -= 1
            if disk.broken_in < 0:
                if self.in_transaction:
                    super().execute("ROLLBACK")
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode, error.sqlite_errorname = (
                    sqlite3.SQLITE_IOERR,
                    "SQLITE_IOERR",
                )
                raise error
        return super().execute(*args)


class Connection:
    """What `aiosqlite.connect` gives, as far as it is used."""

    def __init__(self, path: str, busy_seconds: float) -> None:
        self._process = PROCESS.get()
        self._conn = sqlite3.connect(path, isolation_level=None, timeout=0, factory=_Breaking)
        self._conn.disk, self._conn.patience = self._process.disk, int(busy_seconds * 1000)
        self._turn = asyncio.Lock()  # it has one thread
        self._watches, self._changes = False, 0
        self._process.connections.append(self)

    async def _execute(
        self, job: Callable[[sqlite3.Connection], Any], conn: sqlite3.Connection
    ) -> Any:
        process, disk = self._process, self._process.disk
        async with self._turn:
            await process.pass_time(disk.delay)
            give_up = process.loop.time() + self._conn.patience / 1000
            while True:
                try:
                    done = self._do(job, conn)
                    break
                except sqlite3.Error as error:
                    disk.trouble_at = process.loop.time()
                    waits = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY
                    if not waits or process.loop.time() >= give_up:
                        raise
                await asyncio.sleep(0.05)
                await process.pass_time(None)
            await process.pass_time(disk.delay)
            return done

    def _do(self, job: Callable[[sqlite3.Connection], Any], conn: sqlite3.Connection) -> Any:
        full = self._process.loop.time() < self._process.disk.full_until
        if full:
            (pages,) = conn.execute("PRAGMA page_count").fetchone()
            conn.execute(f"PRAGMA max_page_count = {pages}")
        try:
            return job(conn)
        finally:
            if full:
                conn.execute("PRAGMA max_page_count = 1073741823")
            self._look()

    def _look(self) -> None:
        """Tell the world what was committed, in order."""
        if not self._watches:
            self._watches = _watch(self._conn)
        elif self._conn.total_changes != self._changes and not self._conn.in_transaction:
            rows = sqlite3.Connection.execute(
                self._conn, "SELECT kind, row FROM temp.seen ORDER BY rowid"
            ).fetchall()
            if rows:
                sqlite3.Connection.execute(self._conn, "DELETE FROM temp.seen")
                self._process.committed([(kind, json.loads(row)) for kind, row in rows])
        self._changes = self._conn.total_changes

    async def close(self) -> None:
        """Let go of the file."""
        self.drop()

    def drop(self) -> None:
        """The process is gone: what was committed stays."""
        self._conn.close()


async def connect(path: Path | str, *, timeout: float = 5.0, **_: Any) -> Connection:
    """In place of `aiosqlite.connect`."""
    await PROCESS.get().pass_time(None)
    return Connection(str(path), timeout)


def _watch(conn: sqlite3.Connection) -> bool:
    """Have every row that matters noted down in the same transaction; whether its tables are
    there yet.
    """
    names = {
        name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    if not {table for table, _, _ in WATCHED.values()} <= names:
        return False
    conn.execute("CREATE TEMP TABLE seen (kind TEXT, row TEXT)")
    for kind, (table, change, columns) in WATCHED.items():
        conn.execute(
            f"CREATE TEMP TRIGGER seen_{kind} AFTER {change} ON main.{table} "
            f"BEGIN INSERT INTO seen VALUES ('{kind}', json_array({columns})); END"
        )
    return True
