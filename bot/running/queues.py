"""A queue per game: its commands run one after another in order of arrival, those of different games side by side."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.running.budgets import busy


class Queues:
    """Queues by key; one exists only while somebody waits in it. At most `most` may wait in each."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """One command's turn in the queue of `key`: its place is taken before anything is awaited. Raises UserError
        where too many wait."""
        lock, waiting = self._locks.get(key) or (asyncio.Lock(), 0)
        if self._most is not None and waiting >= self._most:
            raise busy()
        self._locks[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            _, waiting = self._locks.pop(key)
            if waiting > 1:
                self._locks[key] = (lock, waiting - 1)

    def __len__(self) -> int:
        return len(self._locks)
