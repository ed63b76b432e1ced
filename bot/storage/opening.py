"""Opening the store that the settings name. Its module is imported only when it is opened: SQLite's
takes 0.07 s, and PostgreSQL's needs an optional library.
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
    """Open the store of the settings, which the caller closes. Create the database if necessary,
    and bring its schema up to date.

    A server that does not answer is waited for some seconds; with `at_once` not at all. Raises
    StoreError.
    """
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
    """Return the host and port of the settings' PostgreSQL server, as `PostgreSQL at HOST:PORT`.

    Raises StoreError if the library for it is not installed.
    """
    with explain_missing_library():
        from bot.storage.postgres.faults import get_server_address
    return f"PostgreSQL at {get_server_address(settings.postgres)}"


def describe_database(settings: Settings) -> str:
    """Return the database of the settings in a few words, without user and password.

    Raises StoreError if it needs a library that is not installed.
    """
    if settings.postgres:
        with explain_missing_library():
            from bot.storage.postgres.faults import get_database_name
        return f"database {get_database_name(settings.postgres)} of {get_server_name(settings)}"
    if settings.database is None:
        return "a temporary database"
    return f"SQLite {settings.database.absolute()}"


@contextmanager
def explain_missing_library() -> Iterator[None]:
    """Raise StoreError if an import inside the block fails because PostgreSQL's library is not
    installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise StoreError(
            "DATABASE_URL names a PostgreSQL database, and the library for it is not installed.",
            hint='Install it: pip install "grognard[postgres]"',
        ) from error
