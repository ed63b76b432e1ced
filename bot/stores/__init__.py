"""Where games live between commands: the Store protocol, and what fulfils it.

`base.py` is the page to read first. `open_store` gives the store that the settings name.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.stores.base import Store


@asynccontextmanager
async def open_store(path: Path | None) -> AsyncIterator[Store]:
    """The store in the file `path`, or one in memory for None; closed on every way out. Raises StoreError."""
    if path is None:
        from bot.stores.memory import MemoryStore

        yield MemoryStore()
        return
    from bot.stores.sqlite import open_sqlite  # imported when needed: looking a table up needs no database

    async with open_sqlite(path) as store:
        yield store
