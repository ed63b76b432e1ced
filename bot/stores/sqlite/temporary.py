"""Games that end with the process: a database in a folder of its own, which goes when the store is closed."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from bot.stores.base import Clock, StoreError
from bot.stores.sqlite.store import SqliteStore


class TemporaryStore(SqliteStore):
    """The Store for `DATABASE_URL=sqlite:///:memory:`, and for tests. Its commits never wait for the disk."""

    _folder: TemporaryDirectory[str]  # which deletes itself at the latest when the interpreter ends

    @classmethod
    async def make(cls, clock: Clock = time.time) -> Self:
        """A new one, empty. Whoever calls this closes it. Raises StoreError."""
        try:
            folder = TemporaryDirectory(prefix="grognard-")
        except OSError as error:
            raise StoreError(
                f"No temporary folder can be made: {error.strerror}.",
                hint="Set TMPDIR to a folder where the bot's user may write, or DATABASE_URL to a file.",
            ) from error
        try:
            store = await cls.open(Path(folder.name) / "games.db", clock=clock, lasting=False)
        except BaseException:
            folder.cleanup()
            raise
        store._folder = folder
        return store

    async def gone(self) -> str:
        """See Store."""
        return f"{await self._loss()} It was a temporary one: its games are lost. DATABASE_URL can name one that stays."

    async def close(self) -> None:
        """See Store. Nothing of it is left."""
        try:
            await super().close()
        finally:
            self._folder.cleanup()
