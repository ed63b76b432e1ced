"""`grognard copy`: all games from one database into another, SQLite or PostgreSQL, checked afterwards by replay."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from bot.audit.games import audit
from bot.host.cli import Arguments
from bot.process.settings import Settings, load_settings
from bot.rules.errors import UserError
from bot.stores.copying import copy_all, holds_anything
from bot.stores.opening import opened_store


def copy(words: Sequence[str]) -> int:
    """Copy a database into an empty one; 1 where a game there does not verify. Raises UserError, and then the target
    is as it was."""
    signs = [word.replace("=", "\0") for word in words]  # ?host=... makes no pair of an address
    urls = Arguments(signs, flags={}).take("FROM_URL", "TO_URL")
    source, target = (_settings(url.replace("\0", "=")) for url in urls)
    if (source.postgres, source.database) == (target.postgres, target.database):
        raise UserError("Both addresses are the same.", hint="Name an empty database second.", code="bad-arguments")
    return asyncio.run(_copy(source, target))


def _settings(url: str) -> Settings:
    """The host's settings with this database. Raises UserError for one that is none, or that ends with its process."""
    settings = load_settings({**os.environ, "DATABASE_URL": url})
    if not settings.postgres and settings.database is None:
        raise UserError("A temporary database cannot be copied.", hint="Name a file.", code="bad-arguments")
    return replace(settings, live_port=0)


async def _copy(source: Settings, target: Settings) -> int:
    async with _end(source, "source") as old, _end(target, "target") as new:
        if await holds_anything(new):
            raise UserError(
                "The second database is not empty. Nothing was copied.", hint="Name an empty one.", code="file-exists"
            )
        counts = await copy_all(old, new)
    print(f"Copied: {_counted(counts['games'], 'game')}, {_counted(counts['events'], 'event')}. Checking each game ...")
    async with opened_store(target) as store:
        faults = [*await store.check(), *(await audit(store))[1]]
    for fault in faults:
        print(fault)
    if faults:
        print("Look into that before you use the copy; grognard doctor --replay tells whether the source has it, too.")
        return 1
    print("Log, chain, dice and state of every game agree. Set DATABASE_URL to the new one, then start the bot.")
    return 0


def _end(settings: Settings, side: str) -> AbstractAsyncContextManager[Any]:
    """One end of the copy. Raises StoreError once it is entered."""
    if settings.postgres:
        from bot.stores.opening import needs_library

        with needs_library():
            from bot.stores.postgres import copying as postgres
        return (postgres.postgres_source if side == "source" else postgres.postgres_target)(settings.postgres)
    from bot.stores.sqlite.copying import sqlite_source, sqlite_target

    assert settings.database is not None
    return (sqlite_source if side == "source" else sqlite_target)(settings.database)


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s"
