"""Both ends of a copy on PostgreSQL: one transaction on a connection of its own."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

import asyncpg

from bot.rules.text.plain import make_storable
from bot.storage.base import StoreError
from bot.storage.copying import IN_ORDER, NUMBERED, PAGE_ROWS
from bot.storage.postgres.faults import (
    AWAY,
    build_store_error,
    build_unreachable_error,
    get_database_name,
    get_server_address,
)
from bot.storage.postgres.link import NAME, Connection
from bot.storage.postgres.schema import get_newest_version, load_version
from bot.storage.postgres.store import PostgresStore
from bot.storage.records import TABLES, list_columns
from bot.storage.statements import Row

BOOLEAN = ("bindings", "current")
"""The one column whose values SQLite keeps as numbers."""
ATTEMPT = "copied"
"""For the requests that come along: no commit of this database."""


class PostgresEnd:
    """A database in a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """See End."""
        by = NUMBERED.get(table) or IN_ORDER.get(table)
        order = f" ORDER BY {by}" if by else ""
        cursor = await self._connection.cursor(f"SELECT {list_columns(table)} FROM {table}{order}")
        while rows := await cursor.fetch(PAGE_ROWS):
            yield [tuple(row) for row in rows]

    async def get_last_number(self, table: str) -> int:
        """See End."""
        sequence = await self._connection.fetchval(
            "SELECT pg_get_serial_sequence($1, $2)", table, NUMBERED[table]
        )
        given, is_used = await self._connection.fetchrow(
            f"SELECT last_value, is_called FROM {sequence}"
        )
        return int(given) if is_used else 0

    async def is_empty(self, table: str) -> bool:
        """See End."""
        return not await self._connection.fetchval(f"SELECT EXISTS (SELECT FROM {table})")

    async def add(self, table: str, rows: Sequence[Row]) -> None:
        """See End."""
        columns = TABLES[table]
        flag = columns.index(BOOLEAN[1]) if table == BOOLEAN[0] else -1
        more = (ATTEMPT,) if table == "requests" else ()
        records = [
            (
                *(
                    bool(value) if at == flag else _make_storable(value)
                    for at, value in enumerate(row)
                ),
                *more,
            )
            for row in rows
        ]
        names = (*columns, "attempt") if more else columns
        await self._connection.copy_records_to_table(table, records=records, columns=names)

    async def set_last_number(self, table: str, last: int) -> None:
        """See End."""
        if last:
            query = "SELECT setval(pg_get_serial_sequence($1, $2), $3)"
            await self._connection.execute(query, table, NUMBERED[table], last)


@asynccontextmanager
async def open_postgres_source(url: str) -> AsyncIterator[PostgresEnd]:
    """A database to copy from, of today's schema. Raises StoreError."""
    with _explain_errors(url):
        connection = await asyncpg.connect(url, timeout=10)
        try:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                if await load_version(connection) != get_newest_version():
                    raise StoreError(
                        "The PostgreSQL database holds no games of this release.",
                        hint="Start this Grognard on it once, then copy.",
                    )
                yield PostgresEnd(connection)
        finally:
            await connection.close()


@asynccontextmanager
async def open_postgres_target(url: str, *, emptied: bool = False) -> AsyncIterator[PostgresEnd]:
    """A database to copy into, its tables made if need be; what was copied stays only at a good
    end. Raises StoreError.

    Whoever else would write there waits until then. `emptied`: what it holds goes, which nobody may
    be using.
    """
    async with await PostgresStore.open(url) as store:
        await store.list_games(limit=1)  # it connects with the first question
    with _explain_errors(url):
        connection = await asyncpg.connect(url, timeout=10)
        try:
            async with connection.transaction():
                await connection.execute(f"LOCK TABLE {', '.join(TABLES)} IN EXCLUSIVE MODE")
                if emptied:
                    await _empty(connection)
                yield PostgresEnd(connection)
        finally:
            await connection.close()


async def _empty(connection: Connection) -> None:
    """Delete all, for what is copied in its place. Raises StoreError while a bot is connected."""
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1"
    if await connection.fetchval(others, NAME):
        raise StoreError(
            "The database is in use by a running bot.",
            hint="Stop every bot first, then restore.",
            code="store-locked",
        )
    await connection.execute(f"TRUNCATE {', '.join(TABLES)}")


@contextmanager
def _explain_errors(url: str) -> Iterator[None]:
    """PostgreSQL's errors in words that help."""
    try:
        yield
    except AWAY as error:
        raise build_unreachable_error(error, get_server_address(url)) from error
    except asyncpg.PostgresError as error:
        raise build_store_error(
            error.sqlstate or "", str(error), get_server_address(url), get_database_name(url)
        ) from error


def _make_storable(value: object) -> object:
    return make_storable(value) if isinstance(value, str) else value
