"""The store that the settings name. Each is imported where it is used."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.settings import Settings
from bot.stores.base import Clock, Store, StoreError


async def open_store(settings: Settings, clock: Clock = time.time) -> Store:
    """Open it, made and brought up to date; whoever calls this closes it. Raises StoreError."""
    if settings.postgres:
        try:
            from bot.stores.postgres import PostgresStore
        except ModuleNotFoundError as error:
            raise StoreError(
                "DATABASE_URL names a PostgreSQL database, and the library for it is not installed.",
                hint='Install it: pip install "grognard[postgres]"',
            ) from error
        return await PostgresStore.open(settings.postgres, clock=clock)
    from bot.stores.sqlite import SqliteStore, TemporaryStore

    if settings.database is None:
        return await TemporaryStore.make(clock)
    return await SqliteStore.open(settings.database, clock=clock)


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncIterator[Store]:
    """The store, closed on every way out. Raises StoreError."""
    store = await open_store(settings)
    try:
        yield store
    finally:
        await store.close()
