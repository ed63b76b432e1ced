"""The connections to the server.

If the server does not answer, as during a restart or failover, the link reconnects for some
seconds. A query that only reads is then sent again. A write is sent again only if it cannot take
effect twice: if it was not sent yet, or is the commit of a request (see `attempt` in
first_tables.sql).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import asyncpg

from bot.rules.text.plain import make_storable
from bot.storage.base import StoreError
from bot.storage.postgres.faults import (
    AWAY,
    SETTINGS,
    UNDONE,
    build_store_error,
    build_unreachable_error,
    describe_cause,
    get_database_name,
    get_server_address,
    log,
)
from bot.storage.statements import Row, SqlStep

T = TypeVar("T")
Connection: TypeAlias = Any  # asyncpg carries no types
Outcome: TypeAlias = dict[str, Any]
RETURNING = " RETURNING "
NOW = "extract(epoch FROM clock_timestamp())::float8"
"""The server's clock: those of the bot's machines may differ."""

NAME = "grognard"
"""The name of our connections on the server."""
CONNECTIONS = 8
SERVER_WAIT_SECONDS = 8.0
"""Seconds to wait for a server that does not answer, counted from the first attempt of any job that
failed.
"""
SHORT_PATIENCE = 0.7
"""The same for receipts: less than their `bot.outbox.receipts.RECEIPT_WRITE_SECONDS`, so that the user sees the
error.
"""
CONNECT, RECONNECT = 5.0, 1.0
"""Seconds to wait for a connection, and while the server does not answer."""
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between the attempts to reach the server; the last one is repeated."""


class PreparedConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that runs batches. It prepares each statement once, so that the server does not
    plan it again for each job.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._calls: dict[str, str] = {}  # an EXECUTE for `format`, by the statement
        self._name_count = 0

    async def carry_out(self, jobs: Sequence[Sequence[SqlStep]]) -> list[Outcome]:
        """Run a batch of jobs by the runner in the server (see runner.sql), and return the outcome of
        each.
        """
        steps = chain.from_iterable(jobs)
        unprepared = {sql: len(values) for sql, values, _ in steps if sql not in self._calls}
        if unprepared:
            await self._prepare(unprepared)
        calls = [[self._build_call(step) for step in job] for job in jobs]
        text = json.dumps(calls, separators=(",", ":"), default=_format_bytes)
        outcomes = await self.fetchval("SELECT grognard_carry_out($1::jsonb)", text)
        return json.loads(outcomes)  # type: ignore[no-any-return]

    def _build_call(self, step: SqlStep) -> list[object]:
        """Return a step as the runner takes it: EXECUTE, values, and whether it must touch a row."""
        return [
            self._calls[step.sql],
            make_values_storable(step.values),
            step.otherwise is not None,
        ]

    async def _prepare(self, value_counts: Mapping[str, int]) -> None:
        """Prepare statements in one message. The mapping has the number of values of each."""
        start = self._name_count
        names = [f"grognard_{number}" for number in range(start, start + len(value_counts))]
        # even if this fails, no name is used twice
        self._name_count += len(value_counts)
        statements = [
            f"PREPARE {name} AS {_return_touched_rows(sql)}"
            for name, sql in zip(names, value_counts, strict=True)
        ]
        await self.execute(";".join(statements))
        for name, (sql, count) in zip(names, value_counts.items(), strict=True):
            self._calls[sql] = f"EXECUTE {name} ({', '.join(['%L'] * count)})"


class PostgresLink:
    """A pool of connections. `run` lends one to a job, and waits for a server that does not answer.

    While `to_host` is True, as while the database is opened, errors are for the host and name the
    server.
    """

    def __init__(self, pool: asyncpg.Pool, server: str, database: str) -> None:
        self._pool = pool
        self._server = server
        self._database = database
        self._away: float | None = None  # the time since which the server does not answer
        self._is_logged = False
        self.to_host = True

    @classmethod
    async def open(cls, url: str) -> PostgresLink:
        """Create the pool. The first job connects. Raises StoreError if the address is wrong."""
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
            raise StoreError("DATABASE_URL cannot be read.", hint=hint) from error
        return cls(pool, get_server_address(url), get_database_name(url))

    @property
    def in_use(self) -> int:
        """The number of connections that jobs are using."""
        return int(self._pool.get_size() - self._pool.get_idle_size())

    async def run(
        self,
        job: Callable[[Connection], Awaitable[T]],
        *,
        is_safe: bool = True,
        patience: float | None = None,
    ) -> T:
        """Call `job(connection)` and return its result.

        If the server does not answer, wait until it has been away for `patience` seconds (None:
        SERVER_WAIT_SECONDS). They count from the first attempt of any job that failed. A job that
        is not `is_safe` is not repeated once it was sent. If other transactions undo the job,
        repeat it for SERVER_WAIT_SECONDS seconds.

        Raises StoreError: at once if the settings are wrong (see SETTINGS), else when the time is
        over.
        """
        loop = asyncio.get_running_loop()
        start = loop.time()
        attempts = 0
        patience = SERVER_WAIT_SECONDS if patience is None else patience
        while True:
            is_sent = False
            attempt_start = loop.time()
            try:
                timeout = CONNECT if self._away is None else RECONNECT
                async with self._pool.acquire(timeout=timeout) as connection:
                    is_sent = True
                    result = await job(connection)
                self._log_return()
                return result
            except asyncpg.QueryCanceledError as error:  # by a time limit: the server does answer
                raise self._build_store_error(error) from error
            except AWAY as error:
                if isinstance(error, asyncpg.InterfaceError) and self._pool.is_closing():
                    raise _make_closed_error() from error
                if self._away is None:
                    self._away = attempt_start
                is_over = loop.time() - self._away >= patience or isinstance(error, SETTINGS)
                if is_over or (is_sent and not is_safe):
                    raise self._build_unreachable_error(error) from error
            except asyncpg.PostgresError as error:
                self._log_return()
                if error.sqlstate not in UNDONE or loop.time() - start > SERVER_WAIT_SECONDS:
                    raise self._build_store_error(error) from error
            await asyncio.sleep(PAUSES[min(attempts, len(PAUSES) - 1)])
            attempts += 1

    def _build_store_error(self, error: asyncpg.PostgresError) -> StoreError:
        """Return the StoreError for an error of PostgreSQL.

        While `to_host` is True it names the server and the database, else it is written for
        players.
        """
        location = (self._server, self._database) if self.to_host else ()
        return build_store_error(error.sqlstate or "", str(error), *location)

    def _build_unreachable_error(self, error: Exception) -> StoreError:
        """Log that the server does not answer, and return the StoreError for that."""
        self._log_failure(error)
        return build_unreachable_error(error, self._server, to_host=self.to_host)

    def _log_failure(self, error: Exception) -> None:
        """Log that the server does not answer, each cause once a minute. While the database is opened
        the error itself tells the host.
        """
        if not self.to_host:
            log.error(
                "PostgreSQL at %s does not answer (%s); trying again",
                self._server,
                describe_cause(error),
            )
            self._is_logged = True

    def _log_return(self) -> None:
        """Remember that the server answers, and log it if its silence was logged."""
        if self._is_logged and self._away is not None:
            seconds = asyncio.get_running_loop().time() - self._away
            log.info("PostgreSQL at %s answers again, after %.0f s", self._server, seconds)
        self._away = None
        self._is_logged = False

    async def fetch(self, query: str, *values: object) -> Sequence[Row]:
        """Return the rows of a query that only reads, written in SQLite's dialect."""
        translated = translate_sql(query)
        storable = make_values_storable(values)
        return await self.run(lambda connection: connection.fetch(translated, *storable))

    async def close(self) -> None:
        """Close all connections, after 5 seconds also those at work."""
        try:
            await asyncio.wait_for(self._pool.close(), 5)
        except (TimeoutError, *AWAY):
            self._pool.terminate()


async def _leave_connection(connection: Connection) -> None:
    """Do nothing with a connection that goes back to the pool.

    By default asyncpg would send a message to reset it after each query. Our jobs leave nothing to
    reset: locks and settings end with their transaction, which asyncpg itself takes care of.
    """


def make_values_storable(values: Iterable[object]) -> list[object]:
    """Return the values with texts as they are stored: without characters that PostgreSQL cannot
    hold.
    """
    return [make_storable(value) if isinstance(value, str) else value for value in values]


def translate_sql(sql: str) -> str:
    """Translate a statement from SQLite's dialect to PostgreSQL's."""
    translations = {
        "?": "$",
        "/*+ ": "",
        " */": "",
        "grognard_now()": NOW,
        "json_group_array": "json_agg",
        "json_array": "json_build_array",
    }
    for part, translation in translations.items():
        sql = sql.replace(part, translation)
    return sql


def _return_touched_rows(sql: str) -> str:
    """Translate a statement and have it return a row for each that it touches: EXECUTE does not
    count them.
    """
    translated = translate_sql(sql)
    return translated if RETURNING in sql else f"{translated}{RETURNING}NULL"


def _format_bytes(value: bytes) -> str:
    """Format bytes in JSON as PostgreSQL parses them."""
    return f"\\x{value.hex()}"


def _make_closed_error() -> StoreError:
    """Return the error for a store that was closed."""
    return StoreError(
        "The database is closed.",
        hint="The bot is shutting down; try again later.",
        code="store-closed",
    )
