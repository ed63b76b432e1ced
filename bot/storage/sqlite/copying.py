"""Both ends of a copy on SQLite: the database file and the journal beside it."""

# ruff: noqa: ASYNC240 -- nobody else waits for a copy

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
    """A database with its journal beside it, in a transaction of both."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """See End."""
        found = self._connection.execute(f"SELECT {list_columns(table)} FROM {table}")
        while rows := found.fetchmany(PAGE_ROWS):
            yield rows

    async def get_last_number(self, table: str) -> int:
        """See End."""
        query = f"SELECT coalesce(max({NUMBERED[table]}), 0) FROM {table}"
        given = "SELECT seq FROM sqlite_sequence WHERE name = ?1"
        return int(
            self._connection.execute(
                f"SELECT max(({query}), coalesce(({given}), 0))", (table,)
            ).fetchone()[0]
        )

    async def is_empty(self, table: str) -> bool:
        """See End."""
        return self._connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None

    async def add(self, table: str, rows: Sequence[Row]) -> None:
        """See End."""
        marks = ", ".join("?" * len(TABLES[table]))
        self._connection.executemany(
            f"INSERT INTO {table} ({list_columns(table)}) VALUES ({marks})", rows
        )

    async def set_last_number(self, table: str, last: int) -> None:
        """See End. The journal's numbers only say what came first."""
        if table != JOURNAL and last:
            self._connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            self._connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last)
            )


@asynccontextmanager
async def open_sqlite_source(path: Path) -> AsyncIterator[SqliteEnd]:
    """A database to copy from, of today's schema. Raises StoreError."""
    with explain_file_errors(path, "read"):
        is_there = path.exists()
    if not is_there:
        raise StoreError(
            f"There is no database {path}.", hint="Name the file as DATABASE_URL does."
        )
    beside = get_journal_path(path)
    with _connect(path) as connection:
        if check_ours(connection, path) != get_newest_version():
            raise StoreError(
                f"The database {path} is of an older Grognard.",
                hint="Start this one on it once, then copy.",
            )
        connection.execute("ATTACH ? AS journal", (str(beside) if beside.exists() else ":memory:",))
        if not connection.execute(
            "SELECT 1 FROM journal.sqlite_master WHERE name = ?", (JOURNAL,)
        ).fetchone():
            # nobody has been late yet
            connection.execute(f"CREATE TEMP TABLE {JOURNAL} ({list_columns(JOURNAL)})")
        connection.execute("BEGIN")
        yield SqliteEnd(connection)


@asynccontextmanager
async def open_sqlite_target(path: Path, *, is_draft: bool = False) -> AsyncIterator[SqliteEnd]:
    """A database to copy into, made if it is not there; what was copied stays only at a good end. A
    draft is a new file that is thrown away at a bad end, and so need not wait for the disk; it has
    no journal. Raises StoreError."""
    async with await SqliteStore.open(path):
        pass
    with _connect(path) as connection:
        if is_draft:
            for how in (
                "locking_mode=EXCLUSIVE",
                "journal_mode=OFF",
                "synchronous=OFF",
                "cache_size=-65000",
            ):
                connection.execute(f"PRAGMA {how}")
        else:
            connection.execute("ATTACH ? AS journal", (str(ensure_journal(path)),))
        connection.execute("BEGIN IMMEDIATE")
        yield SqliteEnd(connection)
        connection.execute("COMMIT")


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of its own, closed on every way out. Raises StoreError for what SQLite
    reports.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise build_store_error(error, str(path), to_host=True) from error
