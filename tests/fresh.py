"""A database for one test: in a temporary folder, and closed when the test ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from bot.app import App
from bot.stores.base import Clock
from bot.stores.sqlite import TemporaryStore

T = TypeVar("T")
Kind = TypeVar("Kind", bound=TemporaryStore)

_OPEN: list[TemporaryStore] = []
_APPS: list[App] = []


async def fresh_app(clock: Clock = time.time, steady: Clock = time.monotonic) -> App:
    """An app on an empty store."""
    app = App(await fresh_store(clock), clock, steady)
    _APPS.append(app)
    return app


async def fresh_store(clock: Clock = time.time) -> TemporaryStore:
    """An empty store."""
    return await fresh(TemporaryStore, clock)


async def fresh(kind: type[Kind], clock: Clock = time.time) -> Kind:
    """An empty store of a kind that a test has made: a slow one, a full one."""
    store = await kind.make(clock)
    _OPEN.append(store)
    return store


async def close_stores() -> None:
    """Close all that were opened here. After an async test this happens by itself.

    On a busy machine small odds are too slow to be counted on the spot: then a worker has begun, which ends here too.
    """
    while _APPS:
        handling = _APPS.pop().handling
        await handling.worker.close()
        await handling.checker.close()
        await handling.pack_checker.close()
    while _OPEN:
        await _OPEN.pop().close()


def run(work: Coroutine[Any, Any, T]) -> T:
    """What `work` comes to, in a test that is not async."""

    async def closing() -> T:
        try:
            return await work
        finally:
            await close_stores()

    return asyncio.run(closing())


def is_all_closed() -> bool:
    """Whether nothing that was opened here is open."""
    return not _OPEN
