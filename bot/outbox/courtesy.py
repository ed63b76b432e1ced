"""Receipts first: while many of them are on their way, the commands behind them wait a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

CROWD = 12
"""With so many at work at once receipts are shown sooner, and with five times as many at once: others wait behind."""
LONGEST = 1.0
"""Seconds for which a command waits for the receipts of others."""
STEP = 0.1
"""Seconds after which somebody who waits for an answer looks how many others have come."""


class Courtesy:
    """Counts the receipts that are on their way."""

    def __init__(self) -> None:
        self._count = 0
        self._few: asyncio.Event | None = None

    @contextmanager
    def receipt(self) -> Iterator[None]:
        """A receipt is written down and shown in this block."""
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
            if self._few is not None and self._count < CROWD:
                self._few.set()
                self._few = None

    async def give_way(self) -> None:
        """Wait until few receipts are on their way, though not for long."""
        if self._count < CROWD:
            return
        if self._few is None:
            self._few = asyncio.Event()
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST):
                await self._few.wait()


def hurry(at_work: int) -> int:
    """What patience is divided by while so many are at work at once."""
    return 1 if at_work < CROWD else 4 if at_work < 5 * CROWD else 16


async def done_within(work: asyncio.Future[Any], left: Callable[[], float]) -> bool:
    """Whether the work is done before no seconds are left; those may become fewer as others come."""
    await asyncio.wait({work}, timeout=max(0.0, min(left(), STEP)))
    while not work.done() and (seconds := left()) > 0:
        await asyncio.wait({work}, timeout=min(seconds, STEP))
    return work.done()
