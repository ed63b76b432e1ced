"""A queue per game: its commands run one after another in order of arrival, those of different games side by side."""

from __future__ import annotations

import asyncio
from types import TracebackType

from bot.running.budgets import busy


class Queues:
    """Queues by key; one exists only while somebody waits in it. At most `most` may wait in each."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    def turn(self, key: str) -> Turn:
        """A place in the queue of `key`, to be entered with `async with`."""
        return Turn(self, key)

    def take(self, key: str) -> asyncio.Lock:
        """The lock of `key`, with one more who wants it. Raises UserError where too many do."""
        lock, waiting = self._locks.get(key) or (asyncio.Lock(), 0)
        if self._most is not None and waiting >= self._most:
            raise busy()
        self._locks[key] = (lock, waiting + 1)
        return lock

    def leave(self, key: str) -> None:
        """One fewer wants the lock of `key`."""
        lock, waiting = self._locks[key]
        if waiting == 1:
            del self._locks[key]
        else:
            self._locks[key] = (lock, waiting - 1)

    def __len__(self) -> int:
        return len(self._locks)


class Turn:
    """One command's turn. The place is taken when it is entered, before anything is awaited."""

    __slots__ = ("_key", "_lock", "_queues")

    def __init__(self, queues: Queues, key: str) -> None:
        self._queues, self._key = queues, key

    async def __aenter__(self) -> None:
        self._lock = self._queues.take(self._key)
        try:
            await self._lock.acquire()
        except BaseException:
            self._queues.leave(self._key)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        self._queues.leave(self._key)
