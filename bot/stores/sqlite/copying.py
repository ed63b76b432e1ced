"""Both ends of a copy on SQLite: the database file and the journal beside it."""

# ruff: noqa: ASYNC240 -- nobody else waits for a copy

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

from bot.stores.base import StoreError
from bot.stores.copying import NUMBERED, TABLES, TOGETHER, Row
from bot.stores.sqlite.faults import explained
from bot.stores.sqlite.journal import journal_path, open_file
from bot.stores.sqlite.schema import MIGRATIONS, check_ours
from bot.stores.sqlite.store import open_sqlite

JOURNAL = "receipts"


class SqliteEnd:
    """A database and its journal, each in a transaction."""

    def __init__(self, database: sqlite3.Connection, journal: sqlite3.Connection | None) -> None:
        self._database, self._journal = database, journal

    async def rows(self, table: str) -> AsyncIterator[Sequence[Row]]:
        """See Source."""
        conn = self._of(table)
        if conn is None:
            return
        found = conn.execute(f"SELECT {_names(table)} FROM {table}")
        while rows := found.fetchmany(TOGETHER):
            yield rows

    async def last(self, table: str) -> int:
        """See Source."""
        conn = self._of(table)
        if conn is None:
            return 0
        found = conn.execute(f"SELECT coalesce(max({NUMBERED[table]}), 0) FROM {table}").fetchone()[0]
        if table != JOURNAL:
            given = conn.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
            found = max(found, given[0] if given else 0)
        return int(found)

    async def is_empty(self, table: str) -> bool:
        """See Target."""
        conn = self._of(table)
        return conn is None or conn.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None

    async def add(self, table: str, rows: Sequence[Row]) -> None:
        """See Target."""
        conn = self._of(table)
        assert conn is not None
        marks = ", ".join("?" * len(TABLES[table]))
        await asyncio.to_thread(_insert, conn, f"INSERT INTO {table} ({_names(table)}) VALUES ({marks})", rows)

    async def go_on(self, table: str, last: int) -> None:
        """See Target. The journal's numbers only say what came first."""
        if table != JOURNAL and last:
            self._database.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            self._database.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))

    def _of(self, table: str) -> sqlite3.Connection | None:
        return self._journal if table == JOURNAL else self._database


@asynccontextmanager
async def sqlite_source(path: Path) -> AsyncIterator[SqliteEnd]:
    """A database to copy from, of today's schema. Raises StoreError."""
    if not path.exists():
        raise StoreError(f"There is no database {path}.", hint="Name the file as DATABASE_URL does.")
    beside = journal_path(path)
    try:
        with closing(_connected(path)) as database, closing(_connected(beside if beside.exists() else None)) as journal:
            if check_ours(database, path) != len(MIGRATIONS):
                raise StoreError(
                    f"The database {path} is of an older Grognard.", hint="Start this one on it once, then copy."
                )
            database.execute("BEGIN")
            journal.execute("BEGIN")
            has_journal = journal.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (JOURNAL,)).fetchone()
            yield SqliteEnd(database, journal if has_journal else None)
    except sqlite3.Error as error:
        raise explained(error, str(path), to_host=True) from error


@asynccontextmanager
async def sqlite_draft(path: Path) -> AsyncIterator[SqliteEnd]:
    """A new file to copy into that is thrown away at a bad end, and so need not wait for the disk; without a journal.
    Raises StoreError."""
    async with open_sqlite(path):
        pass
    try:
        with closing(_connected(path)) as database:
            for how in ("locking_mode=EXCLUSIVE", "journal_mode=OFF", "synchronous=OFF", "cache_size=-65000"):
                database.execute(f"PRAGMA {how}")
            database.execute("BEGIN IMMEDIATE")
            yield SqliteEnd(database, None)
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise explained(error, str(path), to_host=True) from error


@asynccontextmanager
async def sqlite_target(path: Path) -> AsyncIterator[SqliteEnd]:
    """A database to copy into, made if it is not there; what was copied stays only at a good end. Raises StoreError."""
    async with open_sqlite(path):
        pass
    try:
        beside = open_file(journal_path(path))
        with closing(_connected(path)) as database, closing(beside) as journal:
            for conn in (database, journal):
                conn.execute("BEGIN IMMEDIATE")
            yield SqliteEnd(database, journal)
            for conn in (journal, database):
                conn.execute("COMMIT")
    except sqlite3.Error as error:
        raise explained(error, str(path), to_host=True) from error


def _connected(path: Path | None) -> sqlite3.Connection:
    """A connection to a file, or to nothing."""
    return sqlite3.connect(path if path is not None else ":memory:", isolation_level=None, check_same_thread=False)


def _insert(conn: sqlite3.Connection, query: str, rows: Sequence[Row]) -> None:
    """Closes its cursor before the next one is made. A thread that lets go of it only afterwards resets their common
    statement under the next one, which then breaks off as misused."""
    conn.executemany(query, rows).close()


def _names(table: str) -> str:
    return ", ".join(f'"{column}"' for column in TABLES[table])
