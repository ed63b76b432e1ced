"""One connection on its own thread, and the writer, whose waiting jobs share one commit.

aiosqlite owns the thread. Its public methods carry one statement each to it and back; a commit of
ours is many statements in one transaction, each of which would be a hop of its own. So
`run_anyhow`, and it alone, calls what all those methods call themselves:
`Connection._execute(function, ...)`, with the connection in `Connection._conn`. Both are private; a
test says when they change. What we would ask of aiosqlite is a public `Connection.run(function,
*args)`: run `function(sqlite3_connection, *args)` on the connection's thread and await what it
returns. It is `_execute` with the connection filled in, and would serve whoever wants a transaction
in one hop.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from bot.storage.base import Gate, StoreError
from bot.storage.sqlite.faults import (
    BUGS,
    DiskFault,
    Gone,
    Locked,
    build_store_error,
    check_disk,
    log,
)
from bot.storage.statements import Row, SqlStep, Talk

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], Any]

_TOGETHER = 200  # jobs in one commit: more would only make the first one wait longer
WAITING = 10_000
"""How many jobs may wait for a commit before it is said that the database is busy."""
IMPATIENT = 20
"""Milliseconds for which a commit waits for a locked file while the one before it waited in
vain.
"""
# What aiosqlite says then, or sqlite3 for a job that was waiting behind the closing.
_CLOSED = ("Connection closed", "no active connection", "Cannot operate on a closed database.")


class SqliteLink:
    """A connection in autocommit mode. `run` carries a function to its thread: one hop for any
    number of statements.
    """

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self.path = path
        self.to_host = (
            True  # while it is being opened, faults are for the host's eyes, path and all
        )
        self._connection = connection
        self._closed = self._has_run = False
        self._names = (str(path), f"{path}-wal")
        self._files: dict[str, tuple[int, int]] = {}
        self._seen: list[bool] = []

    @classmethod
    async def open(cls, path: Path, busy_seconds: float) -> SqliteLink:
        """Return a new connection. Raises StoreError."""
        try:
            connection = await _connect(path, busy_seconds)
        except sqlite3.Error as error:
            raise build_store_error(error, str(path), to_host=True) from error
        return cls(path, connection)

    def is_same(self) -> bool:
        """Return whether the files under our names are still those that are open. The write-ahead
        log may come later: before our first job has ended, the one that is there may be taken away
        by whoever else closes the file.
        """
        for name in self._names if self._has_run else self._names[:1]:
            try:
                found = os.stat(name)
                here = (found.st_dev, found.st_ino)
            except OSError:
                here = (0, 0)
            if self._files.get(name, here) != here:
                return False
            if here != (0, 0):
                self._files[name] = here
        return True

    def check_file(self) -> None:
        """Raises Gone, where the file was deleted or replaced while it is open."""
        if not self._closed and not self.is_same():
            raise Gone

    async def run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """What `job(connection)` gives. Raises StoreError for what SQLite reports.

        Gone, where the file was deleted or replaced: nobody would find again what was written to
        it. All jobs that end in the same turn of the loop share a look.
        """
        try:
            result = await self.run_anyhow(job)
            self._has_run = True
            return result
        finally:
            if not self._seen:
                self._seen.append(self._closed or self.is_same())
                asyncio.get_running_loop().call_soon(self._seen.clear)
            if not self._seen[0]:
                raise Gone  # whatever else went wrong, it is because of this

    async def fetch(self, query: str, *values: object) -> Sequence[Row]:
        """The rows of a query that only reads."""
        return await self.run(lambda conn: conn.execute(query, values).fetchall())

    async def run_anyhow(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """As `run`, also on a file that has no name any more. Raises StoreError and UserError."""
        try:
            # Private: see above.
            return await self._connection._execute(job, self._connection._conn)  # type: ignore[no-any-return, no-untyped-call]
        except (*BUGS, ValueError) as error:
            if str(error) not in _CLOSED:
                raise
            raise StoreError(
                "The database is closed.",
                hint="The bot is shutting down; try again later.",
                code="store-closed",
            ) from error
        except sqlite3.Error as error:
            raise self.build_store_error(error) from error

    def build_store_error(self, error: sqlite3.Error) -> StoreError:
        """What SQLite reported, in words for whoever sees it."""
        return build_store_error(error, str(self.path), to_host=self.to_host)

    async def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        self._closed = True
        await self._connection.close()


async def _connect(path: Path, busy_seconds: float) -> aiosqlite.Connection:
    """Return a new connection. Raises sqlite3.Error.

    The connection's thread reports to the event loop. So if opening fails or is cancelled, the
    thread is ended first: otherwise it would find the loop closed, and the last thing a host reads
    would be its traceback.
    """
    connection = aiosqlite.connect(path, isolation_level=None, timeout=busy_seconds)
    opening = asyncio.ensure_future(connection)
    try:
        return await asyncio.shield(opening)
    except (asyncio.CancelledError, sqlite3.Error):
        if not opening.done():  # waiting for what is done would let a cancellation in here
            await asyncio.wait([opening])
        if opening.exception() is None:
            await opening.result().close()
        else:
            # Private: aiosqlite has told the thread to end, which it does at once, but gives
            # nothing to wait for.
            connection._thread.join()
        raise


class SqliteWriter:
    """Runs jobs in order of arrival. Those that arrive while one commit is under way share the next
    one.

    When the file is locked for longer than a commit waits, whoever waits behind it is refused with
    it, and who comes then hardly waits: a whole channel is not held up for the same time once for
    each of its commands.
    """

    def __init__(self, link: SqliteLink) -> None:
        self._link = link
        self._patience = (
            0  # milliseconds to go back to after the first success; 0 while nothing is locked
        )
        self._waiting: list[tuple[Job, asyncio.Future[Any]]] = []
        self._is_refused = False
        self._had_fault = False  # of the disk, in the commit before
        self._task: asyncio.Task[None] | None = None

    async def run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """What `job` gives, once it is on the disk. Its own error undoes only its own writes.
        Raises StoreError.
        """
        if len(self._waiting) >= WAITING:
            raise StoreError(
                "The database is busy. None of it was saved.",
                hint="Try again in a moment.",
                code="busy",
            )
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, done))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return await done

    async def write(
        self,
        steps: Sequence[SqlStep],
        *,
        key: str = "",  # noqa: ARG002 -- a job locks the whole file
        is_safe: bool = True,  # noqa: ARG002 -- no line breaks
        gate: Gate | None = None,
    ) -> Sequence[Row]:
        """See Engine."""

        def write(conn: sqlite3.Connection) -> Sequence[Row]:
            if gate is not None:
                gate.enter()
            return carry_out(conn, steps)

        return await self.run(write)

    async def talk(self, begin: Callable[[], Talk]) -> Any:
        """See Engine."""
        return await self.run(lambda conn: talk(conn, begin()))

    async def close(self) -> None:
        """Wait until all that was asked for is written, then close the connection."""
        try:
            if self._task is not None:
                await asyncio.wait([self._task])
        finally:
            await self._link.close()

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:_TOGETHER]
                self._waiting = self._waiting[_TOGETHER:]
                await self._commit(batch)
        finally:
            self._task = None

    async def _wait_for(self, milliseconds: int) -> int:
        """Wait so long for a locked file from now on; gives back for how long it was before, 0
        if that failed.
        """

        def change(conn: sqlite3.Connection) -> int:
            before = conn.execute("PRAGMA busy_timeout").fetchone()[0]
            conn.execute(f"PRAGMA busy_timeout = {milliseconds:d}")
            return int(before)

        try:
            return await self._link.run_anyhow(change)
        except StoreError:
            return 0

    async def _commit(self, batch: list[tuple[Job, asyncio.Future[Any]]]) -> None:
        jobs = [job for job, _ in batch]
        try:
            self._link.check_file()  # first: what is refused must not be in the file that is rescued
            if self._had_fault:
                # What fails here is certainly not stored, so dice may be shown as not recorded.
                await self._link.run_anyhow(lambda _: check_disk(self._link.path))
                self._had_fault = False
            outcomes = await self._link.run(lambda conn: commit_together(conn, jobs))
            if self._patience:
                await self._wait_for(self._patience)
                self._patience = 0
            if self._is_refused:
                log.info("the database %s is written again", self._link.path)
                self._is_refused = False
        except Locked as error:
            self._patience = self._patience or await self._wait_for(IMPATIENT)
            self._is_refused = True
            batch = batch + self._waiting
            self._waiting = []
            outcomes = [error] * len(batch)
        except Exception as error:  # each caller must hear of it, whatever it is
            outcomes = [error] * len(batch)
            self._is_refused = True
            self._had_fault = self._had_fault or isinstance(error, DiskFault)
        except BaseException:
            for _, done in batch + self._waiting:
                done.cancel()
            raise
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if done.done():  # the caller gave up waiting
                continue
            if isinstance(outcome, sqlite3.Error) and not isinstance(outcome, BUGS):
                done.set_exception(self._link.build_store_error(outcome))
            elif isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)


def carry_out(conn: sqlite3.Connection, steps: Sequence[SqlStep]) -> Sequence[Row]:
    """What the steps of a job give. Raises what a step does otherwise; the caller cleans up."""
    found: list[Row] = []
    for sql, values, otherwise in steps:
        cursor = conn.execute(sql, values)
        found += cursor.fetchall()
        if otherwise is not None and not cursor.rowcount:
            raise otherwise
    return found


def talk(conn: sqlite3.Connection, talking: Talk) -> Any:
    """What a talk comes to."""
    rows: Sequence[Row] | None = None
    try:
        while True:
            step = talking.send(rows) if rows is not None else next(talking)
            rows = conn.execute(step.sql, step.values).fetchall()
    except StopIteration as end:
        return end.value


def commit_together(conn: sqlite3.Connection, jobs: list[Job]) -> list[Any]:
    """Run all jobs in one transaction: per job its result, or the error that undid it alone.

    Raises sqlite3.Error when the whole transaction failed; then nothing is stored.
    """
    conn.execute("BEGIN IMMEDIATE")
    with conn:  # which commits, or rolls back
        try:
            return [job(conn) for job in jobs]
        except (
            Exception
        ):  # rare: start again, each in a savepoint of its own, which otherwise costs a tenth more
            conn.rollback()
            conn.execute("BEGIN IMMEDIATE")
            return [_run_alone(conn, job) for job in jobs]


def _run_alone(conn: sqlite3.Connection, job: Job) -> Any:
    conn.execute("SAVEPOINT job")
    try:
        outcome = job(conn)
    except Exception as error:
        if not conn.in_transaction:  # SQLite gave up the whole transaction (disk full, disk error)
            raise
        conn.execute("ROLLBACK TO job")
        outcome = error
    conn.execute("RELEASE job")
    return outcome
