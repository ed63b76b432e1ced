"""SQLite as either end of a copy: the database file, and the journal of receipts next to it."""

# ruff: noqa: ASYNC240 -- a copy is the only task of its process

import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

from bot.runtime.file_rights import explain_file_errors
from bot.storage.base import StoreError
from bot.storage.copying import NUMBERED, PAGE_ROWS
from bot.storage.records import TABLES, list_columns
from bot.storage.sqlite.faults import build_store_error
from bot.storage.sqlite.journal import ensure_journal, get_journal_path
from bot.storage.sqlite.schema import check_ours, get_newest_version
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import Row

JOURNAL = "receipts"


class SqliteEnd:
    """A CopyEnd on SQLite: a database with its journal attached, in one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """See CopyEnd."""
        cursor = self._connection.execute(f"SELECT {list_columns(table)} FROM {table}")
        while rows := cursor.fetchmany(PAGE_ROWS):
            yield rows

    async def get_last_number(self, table: str) -> int:
        """See CopyEnd."""
        highest = f"SELECT coalesce(max({NUMBERED[table]}), 0) FROM {table}"
        assigned = "SELECT seq FROM sqlite_sequence WHERE name = ?1"
        query = f"SELECT max(({highest}), coalesce(({assigned}), 0))"
        [number] = self._connection.execute(query, (table,)).fetchone()
        return int(number)

    async def is_empty(self, table: str) -> bool:
        """See CopyEnd."""
        return self._connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None

    async def add(self, table: str, rows: Sequence[Row]) -> None:
        """See CopyEnd."""
        placeholders = ", ".join("?" * len(TABLES[table]))
        self._connection.executemany(
            f"INSERT INTO {table} ({list_columns(table)}) VALUES ({placeholders})", rows
        )

    async def set_last_number(self, table: str, last: int) -> None:
        """See CopyEnd. Nothing is set for the journal: its numbers are only an order."""
        if table != JOURNAL and last:
            self._connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            self._connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last)
            )


@asynccontextmanager
async def open_sqlite_source(path: Path) -> AsyncIterator[SqliteEnd]:
    """Open a database to copy from, as it is at this moment.

    Raises StoreError if there is none, or if it has not today's schema.
    """
    with explain_file_errors(path, "read"):
        file_exists = path.exists()
    if not file_exists:
        raise StoreError(
            f"There is no database {path}.", hint="Give the same file as DATABASE_URL."
        )
    journal = get_journal_path(path)
    with _connect(path) as connection:
        if check_ours(connection, path) != get_newest_version():
            raise StoreError(
                f"The database {path} is from an older Grognard.",
                hint="Run this release with it once, then copy.",
            )
        journal_name = str(journal) if journal.exists() else ":memory:"
        connection.execute("ATTACH ? AS journal", (journal_name,))
        has_receipts = connection.execute(
            "SELECT 1 FROM journal.sqlite_master WHERE name = ?", (JOURNAL,)
        ).fetchone()
        if not has_receipts:
            # the journal is made with the first receipt
            connection.execute(f"CREATE TEMP TABLE {JOURNAL} ({list_columns(JOURNAL)})")
        connection.execute("BEGIN")
        yield SqliteEnd(connection)


@asynccontextmanager
async def open_sqlite_target(path: Path, *, is_draft: bool = False) -> AsyncIterator[SqliteEnd]:
    """Open a database to copy into, which is created if necessary. The copy is committed after the
    block, and dropped if the block raises.

    A draft is a new file that the caller deletes after an error: it is written without
    transactions and without waiting for the disk, and has no journal. Raises StoreError.
    """
    async with await SqliteStore.open(path):
        pass
    with _connect(path) as connection:
        if is_draft:
            for pragma in (
                "locking_mode=EXCLUSIVE",
                "journal_mode=OFF",
                "synchronous=OFF",
                "cache_size=-65000",
            ):
                connection.execute(f"PRAGMA {pragma}")
        else:
            connection.execute("ATTACH ? AS journal", (str(ensure_journal(path)),))
        connection.execute("BEGIN IMMEDIATE")
        yield SqliteEnd(connection)
        connection.execute("COMMIT")


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect to a database, and close the connection after the block. Errors of SQLite in the block
    are raised as StoreError.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise build_store_error(error, str(path), to_host=True) from error
