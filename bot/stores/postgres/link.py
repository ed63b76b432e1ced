"""The connections to the server, and the writer, whose waiting jobs share one message and one flush.

A server that restarts or fails over is waited for, for some seconds: then the line to it is made anew. Reading is
simply done again. Writing is done again where that cannot do anything twice: before it was sent, and for a commit that
its request names (see `attempt` in tables.sql).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias, TypeVar

import asyncpg

from bot.rules.text.plain import storable
from bot.stores.base import Conflict, Deleted, StoreError
from bot.stores.postgres.faults import AGAIN, AWAY, CONFLICT, DELETED, Unreachable, explained
from bot.stores.statements import Talk

T = TypeVar("T")
Json = Any
Connection: TypeAlias = Any  # asyncpg carries no types

CONNECTIONS = 8
LANES = 2
"""Batches that are under way at once: one fills while the other is flushed. Of 1 to 4, one is a tenth faster with 50
callers and a fifth slower with 500, three the other way round (python -m benchmarks.postgres)."""
TOGETHER = 100  # jobs in one batch: with 50 there are more flushes, with 200 the first one waits longer
WAITING = 10_000
"""How many jobs may wait before it is said that the database is busy."""
PATIENCE = 8.0
"""Seconds for which a server that is away is waited for: by all together, not by each job that comes meanwhile."""
SHORT_PATIENCE = 0.7
"""The same for receipts: less than their `bot.outbox.receipts.PATIENCE`, so that whoever waits reads why."""
CONNECT, CONNECT_AGAIN = 5.0, 1.0
"""Seconds for a connection; the second while the server is known to be away."""
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)


class Link:
    """A pool of connections. `run` hands one out and waits for a server that is away."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._away: float | None = None  # since when nobody has answered

    @classmethod
    async def open(cls, url: str) -> Link:
        """Ready to connect, which the first job does. Raises StoreError."""
        try:
            pool = await asyncpg.create_pool(
                url,
                min_size=0,
                max_size=CONNECTIONS,
                timeout=CONNECT,
                command_timeout=30,
                max_inactive_connection_lifetime=300,
                reset=_as_it_is,
                server_settings={"application_name": "grognard", "lock_timeout": "5s", "client_min_messages": "error"},
            )
        except ValueError as error:
            hint = "postgresql://USER:PASSWORD@HOST:5432/grognard"
            raise StoreError("DATABASE_URL is not understood.", hint=hint) from error
        return cls(pool)

    async def run(
        self, job: Callable[[Connection], Awaitable[T]], *, is_safe: bool = True, patience: float | None = None
    ) -> T:
        """What `job(connection)` gives. Raises StoreError. One that `is_safe` is done again after the line broke."""
        loop = asyncio.get_running_loop()
        start, tries, patience = loop.time(), 0, PATIENCE if patience is None else patience
        while True:
            sent, began = False, loop.time()
            try:
                async with self._pool.acquire(timeout=CONNECT if self._away is None else CONNECT_AGAIN) as connection:
                    sent = True
                    found = await job(connection)
                self._away = None
                return found
            except asyncpg.QueryCanceledError as error:  # by the server's own limit of time: it is there
                raise raised(error.sqlstate or "", str(error)) from error
            except AWAY as error:
                if isinstance(error, asyncpg.InterfaceError) and self._pool.is_closing():
                    raise _closed() from error
                self._away = began if self._away is None else self._away
                if loop.time() - self._away > patience or (sent and not is_safe):
                    raise Unreachable from error
            except asyncpg.PostgresError as error:
                self._away = None
                if error.sqlstate not in AGAIN or loop.time() - start > PATIENCE:
                    raise raised(error.sqlstate or "", str(error)) from error
            await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1

    async def fetch(self, query: str, *values: object, is_safe: bool = True) -> list[Any]:
        """The rows of a query. One that `is_safe` only reads, or may be done twice."""
        return await self.run(lambda connection: connection.fetch(query, *_storable(values)), is_safe=is_safe)

    async def execute(self, query: str, *values: object) -> None:
        """Write what can be written twice without harm."""
        await self.run(lambda connection: connection.execute(query, *_storable(values)))

    async def talk(self, begin: Callable[[], Talk], *, is_safe: bool = True) -> Any:
        """What a talk comes to, step by step in one transaction."""

        async def held(connection: Connection) -> Any:
            talking, rows = begin(), None
            async with connection.transaction():
                try:
                    while True:
                        step = talking.send(rows) if rows is not None else next(talking)
                        rows = await connection.fetch(step.sql, *_storable(step.values))
                except StopIteration as end:
                    return end.value

        return await self.run(held, is_safe=is_safe)

    async def close(self) -> None:
        """Let go of the server."""
        try:
            await asyncio.wait_for(self._pool.close(), 5)
        except (TimeoutError, *AWAY):
            self._pool.terminate()


class Job:
    """One write that waits for its batch."""

    __slots__ = ("before", "done", "is_safe", "key", "text")

    def __init__(
        self, text: str, done: asyncio.Future[Any], *, key: str, is_safe: bool, before: Callable[[], None]
    ) -> None:
        self.text, self.done, self.key, self.is_safe, self.before = text, done, key, is_safe, before


class Writer:
    """Sends writes in order of arrival. Those that arrive while the lanes are under way share the next batch.
    `patience`: seconds for which they wait for a server that is away, where that is not PATIENCE."""

    def __init__(self, link: Link, patience: float | None = None) -> None:
        self._link, self._patience = link, patience
        self._waiting: list[Job] = []
        self._lanes: set[asyncio.Task[None]] = set()

    async def run(
        self,
        kind: str,
        values: Json,
        *,
        key: str = "",
        is_safe: bool = True,
        before: Callable[[], None] = lambda: None,
    ) -> Any:
        """What the write of this kind (see grognard_write) gives, once it is on the disk. `before` is called right
        before it is sent, and may call it off. `key` is the game that it locks."""
        if len(self._waiting) >= WAITING:
            raise StoreError("The database is busy. None of it was saved.", hint="Try again in a moment.", code="busy")
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(
            Job(json.dumps([kind, values], separators=(",", ":")), done, key=key, is_safe=is_safe, before=before)
        )
        if len(self._lanes) < LANES:
            self._lanes.add(asyncio.create_task(self._work()))
        return await done

    async def close(self) -> None:
        """Wait until all that was asked for is written."""
        while self._lanes:
            await asyncio.wait(set(self._lanes))

    async def _work(self) -> None:
        try:
            await self._empty()
        finally:  # at once: a job that comes next must not count on a lane that has ended
            lane = asyncio.current_task()
            assert lane is not None
            self._lanes.discard(lane)

    async def _empty(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:TOGETHER], self._waiting[TOGETHER:]
            batch.sort(key=lambda job: job.key)  # all processes lock games in one order: none waits in a circle
            await self._send([job for job in batch if not job.done.done() and _is_on(job)])

    async def _send(self, batch: list[Job]) -> None:
        """Carry out a batch. When the line breaks, what must not be sent twice fails, and the others are sent again."""
        again: list[Job] = []
        try:
            for job, outcome in zip(batch, await self._carry_out(batch), strict=True):
                if outcome.get("code") in AGAIN:
                    again.append(job)
                else:
                    _settle(job, outcome)
        except Exception as error:
            if isinstance(error, Unreachable) and not all(job.is_safe for job in batch):
                again = [job for job in batch if job.is_safe]
            for job in batch:
                if job not in again and not job.done.done():
                    job.done.set_exception(error)
        except BaseException:
            for job in batch:
                job.done.cancel()
            raise
        if again:
            await self._send(again)

    async def _carry_out(self, batch: list[Job]) -> list[dict[str, Any]]:
        if not batch:
            return []
        jobs = f"[{','.join(job.text for job in batch)}]"
        found = await self._link.run(
            lambda connection: connection.fetchval("SELECT grognard_batch($1::jsonb)", jobs),
            is_safe=all(job.is_safe for job in batch),
            patience=self._patience,
        )
        return json.loads(found)  # type: ignore[no-any-return]


async def _as_it_is(connection: Connection) -> None:
    """What is done with a connection that is given back: nothing, where asyncpg would send a message after each query.
    We leave nothing behind on one: locks and settings end with their transaction, which asyncpg sees to itself."""


def _storable(values: Iterable[object]) -> list[object]:
    """What is asked for as it was stored: what somebody typed may hold what PostgreSQL cannot."""
    return [storable(value) if isinstance(value, str) else value for value in values]


def raised(code: str, message: str) -> Exception:
    """The error that a caller gets for one of PostgreSQL."""
    if code == CONFLICT:
        return Conflict(message)
    if code == DELETED:
        return Deleted(message)
    return explained(code, message)


def _is_on(job: Job) -> bool:
    """Whether a job was not called off in the last moment."""
    try:
        job.before()
    except Exception as error:
        job.done.set_exception(error)
        return False
    return True


def _settle(job: Job, outcome: dict[str, Any]) -> None:
    if job.done.done():  # the caller gave up waiting
        return
    if "code" in outcome:
        job.done.set_exception(raised(outcome["code"], outcome["message"]))
    else:
        job.done.set_result(outcome["done"])


def _closed() -> StoreError:
    return StoreError("The database is closed.", hint="The bot is shutting down; try again later.", code="store-closed")
