"""The store that the settings name, imported where it is used: SQLite takes 0.07 s, PostgreSQL
is an extra.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bot.runtime.settings import Settings
from bot.storage.base import Clock, StoreError
from bot.storage.store import Store


async def open_store(
    settings: Settings, clock: Clock = time.time, *, at_once: bool = False
) -> Store:
    """Open it, made and brought up to date; whoever calls this closes it. Raises StoreError:
    `at_once`, or after some seconds for a server that is away."""
    if settings.postgres:
        with explain_missing_library():
            from bot.storage.postgres import PostgresStore
        return await PostgresStore.open(
            settings.postgres, clock=clock, patience=0.0 if at_once else None
        )
    from bot.storage.sqlite import SqliteStore, TemporaryStore, check_sqlite

    check_sqlite()

    if settings.database is None:
        return await TemporaryStore.make(clock)
    return await SqliteStore.open(settings.database, clock=clock)


def get_server_name(settings: Settings) -> str:
    """Return what the PostgreSQL database of the settings is called, without its secrets. Raises
    StoreError without the library for it."""
    with explain_missing_library():
        from bot.storage.postgres.faults import get_server_address
    return f"PostgreSQL at {get_server_address(settings.postgres)}"


def describe_database(settings: Settings) -> str:
    """Return which database the settings name. No user and no password is in it."""
    if settings.postgres:
        with explain_missing_library():
            from bot.storage.postgres.faults import get_database_name
        return f"database {get_database_name(settings.postgres)} of {get_server_name(settings)}"
    if settings.database is None:
        return "a temporary database"
    return f"SQLite {settings.database.absolute()}"


@contextmanager
def explain_missing_library() -> Iterator[None]:
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
