"""A database for one test: in a temporary folder, and closed when the test ends."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from bot.app import App
from bot.storage.base import Clock
from bot.storage.sqlite import TemporaryStore

T = TypeVar("T")
Kind = TypeVar("Kind", bound=TemporaryStore)

_OPEN: list[TemporaryStore] = []
_APPS: list[App] = []
_IS_FRESH = ContextVar("_IS_FRESH", default=False)
_connect = aiosqlite.connect
WITH_THREADS = ("tests/storage/", "tests/test_house.py")
"""Tests of the stores, and of which files a command enters on its own thread."""


class OnTheSpot:
    """What `aiosqlite.connect` gives, without a thread: most of the time of a short job is its way
    there and back.

    Whoever else is at work has a turn before a job and behind it, as with a thread.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self._conn = sqlite3.connect(
            path, isolation_level=None, timeout=timeout, check_same_thread=False
        )

    async def _execute(self, job: Callable[[sqlite3.Connection], T], conn: sqlite3.Connection) -> T:
        await asyncio.sleep(0)
        try:
            return job(conn)
        finally:
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Let go of the file."""
        self._conn.close()


def connect(path: Path, **how: Any) -> Awaitable[Any]:
    """In place of `aiosqlite.connect`: stores made here do without threads. Those of tests of the
    stores themselves have them, and so have those of bots, of the command line and of whoever opens
    a file."""
    is_on_the_spot = _IS_FRESH.get() and not os.environ["PYTEST_CURRENT_TEST"].startswith(
        WITH_THREADS
    )
    return _on_the_spot(path, how["timeout"]) if is_on_the_spot else _connect(path, **how)


async def _on_the_spot(path: Path, timeout: float) -> OnTheSpot:
    return OnTheSpot(path, timeout)


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
    token = _IS_FRESH.set(True)
    try:
        store = await kind.make(clock)
    finally:
        _IS_FRESH.reset(token)
    _OPEN.append(store)
    return store


async def close_stores() -> None:
    """Close all that were opened here. After an async test this happens by itself.

    On a busy machine small odds are too slow to be counted on the spot: then a worker has begun,
    which ends here too.
    """
    while _APPS:
        executor = _APPS.pop().executor
        await executor.worker.close()
        await executor.checker.close()
        await executor.pack_checker.close()
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
