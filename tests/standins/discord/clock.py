"""Time that a test can push forward, ids that carry it, and a signal to wait on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

EPOCH = 1_420_070_400_000  # Discord's ids count milliseconds from here


class Clock:
    """Seconds since 1970, plus whatever a test has added."""

    def __init__(self) -> None:
        self.offset = 0.0
        self._start = time.time() - time.monotonic()

    def now(self) -> float:
        """The stand-in's time in seconds."""
        return self._start + time.monotonic() + self.offset

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass at once; only the stand-in notices."""
        self.offset += seconds


def stamp(seconds: float) -> str:
    """The time as Discord writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class Snowflakes:
    """Ids that rise with time, never twice the same."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> int:
        """A fresh id."""
        fresh = (int(self._clock.now() * 1000) - EPOCH) << 22
        self._last = max(fresh, self._last + 1)
        return self._last


class Signal:
    """Wakes every waiter after each change; waiters then look for themselves."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def fire(self) -> None:
        """Say that something changed."""
        self._event.set()
        self._event = asyncio.Event()

    async def until(self, happened: Callable[[], bool], timeout: float) -> bool:
        """True once `happened()`; False if it has not within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while not happened():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            event = self._event
            try:
                await asyncio.wait_for(event.wait(), min(left, 0.02))  # some changes have no signal
            except TimeoutError:
                continue
        return True
