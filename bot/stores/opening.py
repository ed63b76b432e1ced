"""The store that the settings name, imported where it is used: SQLite takes 0.07 s, PostgreSQL
is an extra.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bot.process.settings import Settings
from bot.stores.base import Clock, StoreError
from bot.stores.store import Store


async def open_store(
    settings: Settings, clock: Clock = time.time, *, at_once: bool = False
) -> Store:
    """Open it, made and brought up to date; whoever calls this closes it. Raises StoreError:
    `at_once`, or after some seconds for a server that is away."""
    if settings.postgres:
        with needs_library():
            from bot.stores.postgres import PostgresStore
        return await PostgresStore.open(
            settings.postgres, clock=clock, patience=0.0 if at_once else None
        )
    from bot.stores.sqlite import SqliteStore, TemporaryStore, check_sqlite

    check_sqlite()

    if settings.database is None:
        return await TemporaryStore.make(clock)
    return await SqliteStore.open(settings.database, clock=clock)


def server_name(settings: Settings) -> str:
    """Return what the PostgreSQL database of the settings is called, without its secrets. Raises
    StoreError without the library for it."""
    with needs_library():
        from bot.stores.postgres.faults import server_of
    return f"PostgreSQL at {server_of(settings.postgres)}"


def describe_database(settings: Settings) -> str:
    """Return which database the settings name. No user and no password is in it."""
    if settings.postgres:
        with needs_library():
            from bot.stores.postgres.faults import database_of
        return f"database {database_of(settings.postgres)} of {server_name(settings)}"
    if settings.database is None:
        return "a temporary database"
    return f"SQLite {settings.database.absolute()}"


@contextmanager
def needs_library() -> Iterator[None]:
    """Import what needs PostgreSQL's library in this block. Raises StoreError where it is not
    installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise StoreError(
            "DATABASE_URL names a PostgreSQL database, and the library for it is not installed.",
            hint='Install it: pip install "grognard[postgres]"',
        ) from error
