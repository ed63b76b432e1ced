"""The connections to the server, and the writer, whose waiting jobs share one message and one
flush.

A server that restarts or fails over is waited for, for some seconds: then the line to it is made
anew. Reading is simply done again. Writing is done again where that cannot do anything twice:
before it was sent, and for a commit that its request names (see `attempt` in first_tables.sql).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import asyncpg

from bot.rules.text.plain import make_storable
from bot.storage.base import CalledOff, Conflict, Gate, StoreError
from bot.storage.postgres.faults import (
    AGAIN,
    AWAY,
    SETTINGS,
    TWICE,
    UNTOUCHED,
    Unreachable,
    build_store_error,
    build_unreachable_error,
    describe_cause,
    get_database_name,
    get_server_address,
    log,
)
from bot.storage.statements import Row, SqlStep, Talk

T = TypeVar("T")
Connection: TypeAlias = Any  # asyncpg carries no types
Outcome: TypeAlias = dict[str, Any]
RETURNING = " RETURNING "
NOW = "extract(epoch FROM clock_timestamp())::float8"
"""The server's own clock: those of the machines around it may differ."""

NAME = "grognard"
"""What the server calls us."""
CONNECTIONS = 8
LANES = 2
"""Batches that are under way at once: one fills while the other is flushed. Of 1 to 4, one is a
tenth faster with 50 callers and a fifth slower with 500, three the other way round (python -m
benchmarks.postgres)."""
TOGETHER = (
    100  # jobs in one batch: with 50 there are more flushes, with 200 the first one waits longer
)
WAITING = 10_000
"""How many jobs may wait before it is said that the database is busy."""
PATIENCE = 8.0
"""Seconds for which a server that is away is waited for: by all together, not by each job that
comes meanwhile.
"""
SHORT_PATIENCE = 0.7
"""The same for receipts: less than their `bot.outbox.receipts.PATIENCE`, so that whoever waits
reads why.
"""
CONNECT, CONNECT_AGAIN = 5.0, 1.0
"""Seconds for a connection; the second while the server is known to be away."""
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)


class PreparedConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection, and the statements that are prepared on it: planned once, not with each job."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._calls: dict[str, str] = {}  # an EXECUTE for `format`, by the statement
        self._tried = 0

    async def carry_out(self, jobs: Sequence[Sequence[SqlStep]]) -> list[Outcome]:
        """The outcome of each job of a batch (see runner.sql)."""
        every = chain.from_iterable(jobs)
        if new := {sql: len(values) for sql, values, _ in every if sql not in self._calls}:
            await self._prepare(new)
        sent = [
            [
                [self._calls[sql], _make_storable(values), otherwise is not None]
                for sql, values, otherwise in steps
            ]
            for steps in jobs
        ]
        text = json.dumps(sent, separators=(",", ":"), default=_hex)
        return json.loads(await self.fetchval("SELECT grognard_carry_out($1::jsonb)", text))  # type: ignore[no-any-return]

    async def _prepare(self, new: Mapping[str, int]) -> None:
        """Prepare statements of so many values, in one message."""
        names = [f"grognard_{number}" for number in range(self._tried, self._tried + len(new))]
        self._tried += len(new)  # a name is not given twice, should the line break meanwhile
        await self.execute(
            ";".join(
                f"PREPARE {name} AS {_return_touched_rows(sql)}"
                for name, sql in zip(names, new, strict=True)
            )
        )
        for name, (sql, values) in zip(names, new.items(), strict=True):
            self._calls[sql] = f"EXECUTE {name} ({', '.join(['%L'] * values)})"


class PostgresLink:
    """A pool of connections. `run` hands one out and waits for a server that is away."""

    def __init__(self, pool: asyncpg.Pool, server: str, database: str) -> None:
        self._pool = pool
        self._server = server
        self._database = database
        self._away: float | None = None  # since when nobody has answered
        self._is_told = False
        self.to_host = (
            True  # while it is being opened, faults are for the host's eyes, host and port
        )

    @classmethod
    async def open(cls, url: str) -> PostgresLink:
        """Ready to connect, which the first job does. Raises StoreError."""
        try:
            pool = await asyncpg.create_pool(
                url,
                min_size=0,
                max_size=CONNECTIONS,
                timeout=CONNECT,
                command_timeout=30,
                max_inactive_connection_lifetime=300,
                reset=_leave_connection,
                connection_class=PreparedConnection,
                server_settings={
                    "application_name": NAME,
                    "lock_timeout": "5s",
                    "client_min_messages": "error",
                },
            )
        except ValueError as error:
            hint = "postgresql://USER:PASSWORD@HOST:5432/grognard"
            raise StoreError("DATABASE_URL is not understood.", hint=hint) from error
        return cls(pool, get_server_address(url), get_database_name(url))

    @property
    def in_use(self) -> int:
        """Connections at work."""
        return int(self._pool.get_size() - self._pool.get_idle_size())

    async def run(
        self,
        job: Callable[[Connection], Awaitable[T]],
        *,
        is_safe: bool = True,
        patience: float | None = None,
    ) -> T:
        """What `job(connection)` gives. Raises StoreError. One that `is_safe` is done again
        after the line broke.
        """
        loop = asyncio.get_running_loop()
        start = loop.time()
        tries = 0
        patience = PATIENCE if patience is None else patience
        while True:
            sent = False
            began = loop.time()
            try:
                async with self._pool.acquire(
                    timeout=CONNECT if self._away is None else CONNECT_AGAIN
                ) as connection:
                    sent = True
                    found = await job(connection)
                self._log_return()
                return found
            except (
                asyncpg.QueryCanceledError
            ) as error:  # by the server's own limit of time: it is there
                raise self._build_store_error(error) from error
            except AWAY as error:
                if isinstance(error, asyncpg.InterfaceError) and self._pool.is_closing():
                    raise _make_closed_error() from error
                self._away = began if self._away is None else self._away
                is_over = loop.time() - self._away >= patience or isinstance(error, SETTINGS)
                if is_over or (sent and not is_safe):
                    self._log_failure(error)
                    raise build_unreachable_error(
                        error, self._server, to_host=self.to_host
                    ) from error
            except asyncpg.PostgresError as error:
                self._log_return()
                if error.sqlstate not in AGAIN or loop.time() - start > PATIENCE:
                    raise self._build_store_error(error) from error
            await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1

    def _build_store_error(self, error: asyncpg.PostgresError) -> StoreError:
        place = (self._server, self._database) if self.to_host else ()
        return build_store_error(error.sqlstate or "", str(error), *place)

    def _log_failure(self, error: Exception) -> None:
        """To the log, where whoever starts does not say it: each such kind once a minute."""
        if not self.to_host:
            log.error(
                "PostgreSQL at %s does not answer (%s); trying again",
                self._server,
                describe_cause(error),
            )
            self._is_told = True

    def _log_return(self) -> None:
        """It answers, which is said where its silence was."""
        if self._is_told and self._away is not None:
            gone = asyncio.get_running_loop().time() - self._away
            log.info("PostgreSQL at %s answers again, after %.0f s", self._server, gone)
        self._away = None
        self._is_told = False

    async def fetch(self, query: str, *values: object) -> Sequence[Row]:
        """The rows of a query that only reads."""
        own = translate_sql(query)
        held = _make_storable(values)
        return await self.run(lambda connection: connection.fetch(own, *held))

    async def close(self) -> None:
        """Let go of the server."""
        try:
            await asyncio.wait_for(self._pool.close(), 5)
        except (TimeoutError, *AWAY):
            self._pool.terminate()


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One write that waits for its batch."""

    steps: Sequence[SqlStep]
    done: asyncio.Future[Sequence[Row]]
    key: str
    is_safe: bool
    gate: Gate | None

    def passes(self) -> bool:
        """Return whether nobody has given up waiting for it, nor called it off in the last moment."""
        if self.done.done():
            return False
        try:
            if self.gate is not None:
                self.gate.enter()
        except CalledOff as error:
            self.done.set_exception(error)
            return False
        return True

    def settle(self, outcome: Outcome) -> None:
        """Hand on what the runner says of it."""
        if self.done.done():  # the caller gave up waiting
            return
        if "code" in outcome:
            self.done.set_exception(self._error(outcome["code"], outcome["message"]))
            return
        rows = zip(self.steps, outcome["done"], strict=True)
        self.done.set_result(
            [tuple(row.values()) for step, row in rows if row and RETURNING in step.sql]
        )

    def _error(self, code: str, message: str) -> Exception:
        if code == UNTOUCHED:
            return self.steps[int(message)].otherwise or ValueError(message)
        if code == TWICE and "bindings_current" in message:
            return Conflict(message)
        return build_store_error(code, message)


class PostgresWriter:
    """Sends writes in order of arrival. Those that arrive while the lanes are under way share the
    next batch. `patience`: seconds for which they wait for a server that is away, where that is not
    PATIENCE."""

    def __init__(self, link: PostgresLink, patience: float | None = None) -> None:
        self._link = link
        self._patience = patience
        self._waiting: list[Job] = []
        self._lanes: set[asyncio.Task[None]] = set()

    async def write(
        self,
        steps: Sequence[SqlStep],
        *,
        key: str = "",
        is_safe: bool = True,
        gate: Gate | None = None,
    ) -> Sequence[Row]:
        """See Engine. Raises StoreError."""
        if len(self._waiting) >= WAITING:
            raise StoreError(
                "The database is busy. None of it was saved.",
                hint="Try again in a moment.",
                code="busy",
            )
        job = Job(steps, asyncio.get_running_loop().create_future(), key, is_safe, gate)
        self._waiting.append(job)
        if len(self._lanes) < LANES:
            self._lanes.add(asyncio.create_task(self._work()))
        return await job.done

    async def talk(self, begin: Callable[[], Talk]) -> Any:
        """See Engine."""

        async def run_talk(connection: Connection) -> Any:
            talking = begin()
            rows = None
            async with connection.transaction():
                try:
                    while True:
                        step = talking.send(rows) if rows is not None else next(talking)
                        rows = await connection.fetch(
                            translate_sql(step.sql), *_make_storable(step.values)
                        )
                except StopIteration as end:
                    return end.value

        return await self._link.run(run_talk)

    async def close(self) -> None:
        """Wait until all that was asked for is written."""
        while self._lanes:
            await asyncio.wait(set(self._lanes))

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:TOGETHER]
                self._waiting = self._waiting[TOGETHER:]
                # all processes lock games in one order: none waits in a circle
                batch.sort(key=lambda job: job.key)
                await self._send([job for job in batch if job.passes()])
        finally:  # at once: a job that comes next must not count on a lane that has ended
            lane = asyncio.current_task()
            assert lane is not None
            self._lanes.discard(lane)

    async def _send(self, batch: list[Job]) -> None:
        """Carry out a batch. When the line breaks, what must not be sent twice fails, and the
        others are sent again.
        """
        again: list[Job] = []
        try:
            for job, outcome in zip(batch, await self._carry_out(batch), strict=True):
                if outcome.get("code") in AGAIN:
                    again.append(job)
                else:
                    job.settle(outcome)
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

    async def _carry_out(self, batch: list[Job]) -> list[Outcome]:
        if not batch:
            return []
        jobs = [job.steps for job in batch]
        is_safe = all(job.is_safe for job in batch)
        return await self._link.run(
            lambda line: line.carry_out(jobs), is_safe=is_safe, patience=self._patience
        )


async def _leave_connection(connection: Connection) -> None:
    """What is done with a connection that is given back: nothing, where asyncpg would send a
    message after each query. We leave nothing behind on one: locks and settings end with their
    transaction, which asyncpg sees to itself."""


def _make_storable(values: Iterable[object]) -> list[object]:
    """What is asked for as it was stored: what somebody typed may hold what PostgreSQL cannot."""
    return [make_storable(value) if isinstance(value, str) else value for value in values]


def translate_sql(sql: str) -> str:
    """A statement as PostgreSQL has it."""
    own = (
        sql.replace("?", "$").replace("/*+ ", "").replace(" */", "").replace("grognard_now()", NOW)
    )
    return own.replace("json_group_array", "json_agg").replace("json_array", "json_build_array")


def _return_touched_rows(sql: str) -> str:
    """A statement that gives a row for each that it touches, for EXECUTE does not count them."""
    return translate_sql(sql) if RETURNING in sql else f"{translate_sql(sql)}{RETURNING}NULL"


def _hex(value: bytes) -> str:
    """Bytes in JSON, as PostgreSQL reads them."""
    return f"\\x{value.hex()}"


def _make_closed_error() -> StoreError:
    return StoreError(
        "The database is closed.",
        hint="The bot is shutting down; try again later.",
        code="store-closed",
    )
