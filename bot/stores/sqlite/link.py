"""One connection on its own thread, and the writer, whose waiting jobs share one commit."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from bot.stores.base import StoreError
from bot.stores.sqlite.faults import BUGS, explained

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], Any]

_TOGETHER = 200  # jobs in one commit: more would only make the first one wait longer
WAITING = 10_000
"""How many jobs may wait for a commit before it is said that the database is busy."""
# What aiosqlite says then, or sqlite3 for a job that was waiting behind the closing.
_CLOSED = ("Connection closed", "no active connection", "Cannot operate on a closed database.")


class Link:
    """A connection in autocommit mode. `run` carries a function to its thread: one hop for any number of statements."""

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    async def open(cls, path: Path, busy_seconds: float) -> Link:
        """A new connection. Raises StoreError."""
        try:
            connection = await aiosqlite.connect(path, isolation_level=None, timeout=busy_seconds)
        except sqlite3.Error as error:
            raise explained(error, str(path)) from error
        return cls(path, connection)

    async def run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """What `job(connection)` gives. Raises StoreError for what SQLite reports."""
        try:
            # aiosqlite offers a method per statement; its own way to the thread is the only one for a whole function.
            return await self._connection._execute(job, self._connection._conn)  # type: ignore[no-any-return, no-untyped-call]
        except (*BUGS, ValueError) as error:
            if str(error) not in _CLOSED:
                raise
            raise StoreError("The database is closed.", hint="The bot is shutting down; try again later.") from error
        except sqlite3.Error as error:
            raise explained(error, str(self.path)) from error

    async def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        await self._connection.close()


class Writer:
    """Runs jobs in order of arrival. Those that arrive while one commit is under way share the next one."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: list[tuple[Job, asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """What `job` gives, once it is on the disk. Its own error undoes only its own writes."""
        if len(self._waiting) >= WAITING:
            raise StoreError("The database is busy. Nothing of this was stored.", hint="Try again in a moment.")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, done))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return await done

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
                batch, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
                await self._commit(batch)
        finally:
            self._task = None

    async def _commit(self, batch: list[tuple[Job, asyncio.Future[Any]]]) -> None:
        jobs = [job for job, _ in batch]
        try:
            outcomes = await self._link.run(lambda conn: commit_together(conn, jobs))
        except Exception as error:  # each caller must hear of it, whatever it is
            outcomes = [error] * len(batch)
        except BaseException:
            for _, done in batch + self._waiting:
                done.cancel()
            raise
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if done.done():  # the caller gave up waiting
                continue
            if isinstance(outcome, sqlite3.Error) and not isinstance(outcome, BUGS):
                done.set_exception(explained(outcome, str(self._link.path)))
            elif isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)


def commit_together(conn: sqlite3.Connection, jobs: list[Job]) -> list[Any]:
    """Run all jobs in one transaction: per job its result, or the error that undid it alone.

    Raises sqlite3.Error when the whole transaction failed; then nothing is stored.
    """
    conn.execute("BEGIN IMMEDIATE")
    try:
        try:
            outcomes = [job(conn) for job in jobs]
        except Exception:  # rare: start again, each in a savepoint of its own, which otherwise costs a fifth more
            if conn.in_transaction:
                conn.execute("ROLLBACK")
            conn.execute("BEGIN IMMEDIATE")
            outcomes = [_run_alone(conn, job) for job in jobs]
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise
    return outcomes


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
