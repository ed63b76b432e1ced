"""PostgreSQL as either end of a copy: a transaction on a connection of its own."""

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
"""The table and column whose boolean values SQLite stores as numbers."""
ATTEMPT = "copied"
"""The `attempt` of copied requests, which no commit of this database has."""


class PostgresEnd:
    """A CopyEnd on PostgreSQL: a connection in a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """See CopyEnd."""
        columns = NUMBERED.get(table) or IN_ORDER.get(table)
        order = f" ORDER BY {columns}" if columns else ""
        cursor = await self._connection.cursor(f"SELECT {list_columns(table)} FROM {table}{order}")
        while rows := await cursor.fetch(PAGE_ROWS):
            yield [tuple(row) for row in rows]

    async def get_last_number(self, table: str) -> int:
        """See CopyEnd."""
        sequence = await self._connection.fetchval(
            "SELECT pg_get_serial_sequence($1, $2)", table, NUMBERED[table]
        )
        last_value, is_used = await self._connection.fetchrow(
            f"SELECT last_value, is_called FROM {sequence}"
        )
        return int(last_value) if is_used else 0

    async def is_empty(self, table: str) -> bool:
        """See CopyEnd."""
        return not await self._connection.fetchval(f"SELECT EXISTS (SELECT FROM {table})")

    async def add(self, table: str, rows: Sequence[Row]) -> None:
        """See CopyEnd."""
        columns = TABLES[table]
        boolean_index = columns.index(BOOLEAN[1]) if table == BOOLEAN[0] else -1
        records = [_build_record(row, boolean_index) for row in rows]
        if table == "requests":
            columns = (*columns, "attempt")
            records = [(*record, ATTEMPT) for record in records]
        await self._connection.copy_records_to_table(table, records=records, columns=columns)

    async def set_last_number(self, table: str, last: int) -> None:
        """See CopyEnd."""
        if last:
            query = "SELECT setval(pg_get_serial_sequence($1, $2), $3)"
            await self._connection.execute(query, table, NUMBERED[table], last)


@asynccontextmanager
async def open_postgres_source(url: str) -> AsyncIterator[PostgresEnd]:
    """Open a database to copy from, as it is at this moment.

    Raises StoreError if it cannot be reached or has not today's schema.
    """
    with _explain_errors(url):
        connection = await asyncpg.connect(url, timeout=10)
        try:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                if await load_version(connection) != get_newest_version():
                    raise StoreError(
                        "The PostgreSQL database has no games from this release.",
                        hint="Run this release with it once, then copy.",
                    )
                yield PostgresEnd(connection)
        finally:
            await connection.close()


@asynccontextmanager
async def open_postgres_target(url: str, *, emptied: bool = False) -> AsyncIterator[PostgresEnd]:
    """Open a database to copy into, whose tables are created if necessary. The copy is committed
    after the block, and dropped if the block raises. Until then other processes cannot write.

    `emptied`: delete all rows first. Raises StoreError if it cannot be reached, or if it is to be
    emptied while a bot is connected.
    """
    async with await PostgresStore.open(url) as store:
        await store.list_games(limit=1)  # the first query connects
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
    """Delete all rows of all tables. Raises StoreError while a bot is connected."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1"
    if await connection.fetchval(query, NAME):
        raise StoreError(
            "The database is in use by a running bot.",
            hint="Stop every bot first, then restore.",
            code="store-locked",
        )
    await connection.execute(f"TRUNCATE {', '.join(TABLES)}")


@contextmanager
def _explain_errors(url: str) -> Iterator[None]:
    """Raise errors of PostgreSQL in the block as StoreErrors, with texts for the host."""
    try:
        yield
    except AWAY as error:
        raise build_unreachable_error(error, get_server_address(url)) from error
    except asyncpg.PostgresError as error:
        raise build_store_error(
            error.sqlstate or "", str(error), get_server_address(url), get_database_name(url)
        ) from error


def _build_record(row: Row, boolean_index: int) -> tuple[object, ...]:
    """Return a row as PostgreSQL can store it, with a boolean at this index."""
    return tuple(
        bool(value) if index == boolean_index else _make_storable(value)
        for index, value in enumerate(row)
    )


def _make_storable(value: object) -> object:
    return make_storable(value) if isinstance(value, str) else value
