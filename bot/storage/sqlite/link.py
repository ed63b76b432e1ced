"""A connection on a thread of its own, and the writer, in which waiting jobs share one commit.

aiosqlite owns the thread. Each of its public methods passes one statement to the thread and back,
but a commit of ours has many statements in one transaction. So `run_anyhow`, and it alone, calls
what all those methods call themselves: `Connection._execute(function, ...)`, with the connection in
`Connection._conn`. Both are private; a test fails when they change. A public
`Connection.run(function, *args)` of aiosqlite would do the same: run `function(sqlite3_connection,
*args)` on the connection's thread and return its result.
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

_BATCH_JOBS = 200
"""Maximum number of jobs in one commit: more would only make the first one wait longer."""
WAITING = 10_000
"""Maximum number of jobs that wait for a commit. More are refused: the database is busy."""
IMPATIENT = 20
"""Milliseconds for which a commit waits for a locked file after an earlier one waited in vain."""
_CLOSED = ("Connection closed", "no active connection", "Cannot operate on a closed database.")
"""The errors of aiosqlite for a closed connection, and of sqlite3 for a job that was waiting while
it was closed.
"""


class SqliteLink:
    """A connection in autocommit mode. `run` calls a function on its thread, which may run any
    number of statements.

    While `to_host` is True, as while the file is opened, errors are for the host and name the file.
    """

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self.path = path
        self.to_host = True
        self._connection = connection
        self._is_closed = False
        self._has_run = False
        self._names = (str(path), f"{path}-wal")
        self._files: dict[str, tuple[int, int]] = {}  # device and inode by name
        self._checks: list[bool] = []  # the result of `is_same` in this turn of the event loop

    @classmethod
    async def open(cls, path: Path, busy_seconds: float) -> SqliteLink:
        """Open a new connection, which waits `busy_seconds` for a locked file. Raises StoreError."""
        try:
            connection = await _connect(path, busy_seconds)
        except sqlite3.Error as error:
            raise build_store_error(error, str(path), to_host=True) from error
        return cls(path, connection)

    def is_same(self) -> bool:
        """Return whether the database and its write-ahead log are still the files that are open.

        The log is only checked after the first job: until then another process that closes the
        database may delete it.
        """
        for name in self._names if self._has_run else self._names[:1]:
            try:
                status = os.stat(name)
                identity = (status.st_dev, status.st_ino)
            except OSError:
                identity = (0, 0)
            if self._files.get(name, identity) != identity:
                return False
            if identity != (0, 0):
                self._files[name] = identity
        return True

    def check_file(self) -> None:
        """Raise Gone if the file was deleted or replaced while it is open."""
        if not self._is_closed and not self.is_same():
            raise Gone

    async def run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Call `job(connection)` on the thread and return its result. Errors of SQLite are raised as
        StoreError.

        Raises Gone if the file was deleted or replaced, also if the job succeeded: what was written
        to it is lost. All jobs that end in the same turn of the event loop share one check.
        """
        try:
            result = await self.run_anyhow(job)
            self._has_run = True
            return result
        finally:
            if not self._checks:
                self._checks.append(self._is_closed or self.is_same())
                asyncio.get_running_loop().call_soon(self._checks.clear)
            if not self._checks[0]:
                raise Gone  # this is the cause of any other error

    async def fetch(self, query: str, *values: object) -> Sequence[Row]:
        """Return the rows of a query that only reads."""
        return await self.run(lambda conn: conn.execute(query, values).fetchall())

    async def run_anyhow(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Call `job(connection)` as `run` does, but also if the file was deleted or replaced.

        Raises StoreError, also if the connection is closed.
        """
        try:
            # private methods: see the module's docstring
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
        """Return the StoreError for an error of SQLite, for the host or for players."""
        return build_store_error(error, str(self.path), to_host=self.to_host)

    async def close(self) -> None:
        """Close the connection. A second call does nothing."""
        self._is_closed = True
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
        if not opening.done():  # else this wait could be cancelled
            await asyncio.wait([opening])
        if opening.exception() is None:
            await opening.result().close()
        else:
            # private: the thread ends at once, but aiosqlite has no public way to wait for that
            connection._thread.join()
        raise


class SqliteWriter:
    """The Engine on SQLite. It runs jobs in order of arrival; those that arrive during a commit share
    the next one.

    If the file is locked for longer than a commit waits, all waiting jobs are refused with it, and
    later ones wait only IMPATIENT milliseconds until a commit succeeds. Otherwise the commands of a
    channel would wait one after another, each for the whole time.
    """

    def __init__(self, link: SqliteLink) -> None:
        self._link = link
        # milliseconds to wait again after the next success; 0 while nothing is locked
        self._patience = 0
        self._waiting: list[tuple[Job, asyncio.Future[Any]]] = []
        self._is_refused = False
        self._had_fault = False  # of the disk, in the previous commit
        self._task: asyncio.Task[None] | None = None

    async def run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run a job in the next commit, and return its result once it is on the disk.

        An error of the job is raised and undoes only its own writes. Raises StoreError.
        """
        if len(self._waiting) >= WAITING:
            raise StoreError(
                "The database is busy. None of it was saved.",
                hint="Try again in a moment.",
                code="busy",
            )
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, result))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return await result

    async def write(
        self,
        steps: Sequence[SqlStep],
        *,
        key: str = "",  # noqa: ARG002 -- a job locks the whole file
        is_safe: bool = True,  # noqa: ARG002 -- no connection breaks
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
        """Wait until all waiting jobs are written, then close the connection."""
        try:
            if self._task is not None:
                await asyncio.wait([self._task])
        finally:
            await self._link.close()

    async def _work(self) -> None:
        """Commit the waiting jobs in batches until none is left."""
        try:
            while self._waiting:
                batch = self._waiting[:_BATCH_JOBS]
                self._waiting = self._waiting[_BATCH_JOBS:]
                await self._commit(batch)
        finally:
            self._task = None

    async def _set_busy_timeout(self, milliseconds: int) -> int:
        """Set the time for which commits wait for a locked file. Return the previous time, or 0 if it
        could not be set.
        """

        def change(conn: sqlite3.Connection) -> int:
            [previous] = conn.execute("PRAGMA busy_timeout").fetchone()
            conn.execute(f"PRAGMA busy_timeout = {milliseconds:d}")
            return int(previous)

        try:
            return await self._link.run_anyhow(change)
        except StoreError:
            return 0

    async def _commit(self, batch: list[tuple[Job, asyncio.Future[Any]]]) -> None:
        """Run a batch of jobs in one commit, and set the result or error of each.

        If the file is locked, the waiting jobs get that error, too.
        """
        jobs = [job for job, _ in batch]
        try:
            self._link.check_file()  # first: refused jobs must not be in the file that is rescued
            if self._had_fault:
                # If this fails nothing was stored for sure, so dice may be shown as not recorded.
                await self._link.run_anyhow(lambda _: check_disk(self._link.path))
                self._had_fault = False
            outcomes = await self._link.run(lambda conn: commit_together(conn, jobs))
            await self._reset_after_success()
        except Locked as error:
            self._patience = self._patience or await self._set_busy_timeout(IMPATIENT)
            self._is_refused = True
            batch = batch + self._waiting
            self._waiting = []
            outcomes = [error] * len(batch)
        except Exception as error:  # whatever it is, each caller must get it
            outcomes = [error] * len(batch)
            self._is_refused = True
            self._had_fault = self._had_fault or isinstance(error, DiskFault)
        except BaseException:
            for _, result in batch + self._waiting:
                result.cancel()
            raise
        for (_, result), outcome in zip(batch, outcomes, strict=True):
            if not result.done():  # else the caller no longer waits
                self._set_outcome(result, outcome)

    async def _reset_after_success(self) -> None:
        """Set the usual busy timeout again, and log that the database is written, if the commits
        before failed.
        """
        if self._patience:
            await self._set_busy_timeout(self._patience)
            self._patience = 0
        if self._is_refused:
            log.info("the database %s is written again", self._link.path)
            self._is_refused = False

    def _set_outcome(self, result: asyncio.Future[Any], outcome: Any) -> None:
        """Set the result of a job, or its error: one of SQLite as StoreError, unless it is a bug."""
        if isinstance(outcome, sqlite3.Error) and not isinstance(outcome, BUGS):
            result.set_exception(self._link.build_store_error(outcome))
        elif isinstance(outcome, Exception):
            result.set_exception(outcome)
        else:
            result.set_result(outcome)


def carry_out(conn: sqlite3.Connection, steps: Sequence[SqlStep]) -> Sequence[Row]:
    """Run the steps of a job, and return the rows of those with RETURNING.

    Raises the `otherwise` of a step that touches no row; the caller undoes the job.
    """
    rows: list[Row] = []
    for sql, values, otherwise in steps:
        cursor = conn.execute(sql, values)
        rows += cursor.fetchall()
        if otherwise is not None and not cursor.rowcount:
            raise otherwise
    return rows


def talk(conn: sqlite3.Connection, talking: Talk) -> Any:
    """Run a talk in the current transaction, and return its result."""
    rows: Sequence[Row] | None = None
    try:
        while True:
            step = talking.send(rows) if rows is not None else next(talking)
            rows = conn.execute(step.sql, step.values).fetchall()
    except StopIteration as stop:
        return stop.value


def commit_together(conn: sqlite3.Connection, jobs: list[Job]) -> list[Any]:
    """Run all jobs in one transaction. Return the result of each job, or the error for which it
    alone was undone.

    Raises sqlite3.Error if the whole transaction failed; then nothing is stored.
    """
    conn.execute("BEGIN IMMEDIATE")
    with conn:  # commits, or rolls back after an error
        try:
            return [job(conn) for job in jobs]
        except Exception:
            # rare: run all again, each in a savepoint, which costs a tenth more time
            conn.rollback()
            conn.execute("BEGIN IMMEDIATE")
            return [_run_alone(conn, job) for job in jobs]


def _run_alone(conn: sqlite3.Connection, job: Job) -> Any:
    """Run a job in a savepoint of the transaction. Return its result, or the error for which it was
    undone. Raises the error if SQLite undid the whole transaction.
    """
    conn.execute("SAVEPOINT job")
    try:
        outcome = job(conn)
    except Exception as error:
        if not conn.in_transaction:  # disk full, disk error
            raise
        conn.execute("ROLLBACK TO job")
        outcome = error
    conn.execute("RELEASE job")
    return outcome
