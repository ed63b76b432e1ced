"""A clock a test can move, and a way to wait for something to become true."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Clock:
    """Wall time in seconds, plus what a test has added to it."""

    def __init__(self) -> None:
        self._added = 0.0
        self._last = 0.0

    def now(self) -> float:
        """Seconds since 1970 as Slack sees them."""
        return time.time() + self._added

    def advance(self, seconds: float) -> None:
        """Move on without waiting: triggers and response URLs grow older."""
        self._added += seconds

    def stamp(self) -> str:
        """A message's `ts`: seconds with six decimals, never the same twice."""
        self._last = max(self.now(), self._last + 0.000_001)
        return f"{self._last:.6f}"


class Watch:
    """Wakes everyone who waits whenever something in the stand-in has changed."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()

    def changed(self) -> None:
        """Something changed; whoever waits looks again."""
        for event in self._waiting:
            event.set()

    async def until(self, look: Callable[[], T | None], *, timeout: float, what: str) -> T:
        """The first result of `look` that is true. Raises AssertionError, naming `what`, after
        `timeout` seconds.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        woken = asyncio.Event()
        self._waiting.add(woken)
        try:
            while True:
                woken.clear()
                found = look()
                if found:
                    return found
                left = end - loop.time()
                if left <= 0:
                    raise AssertionError(f"not within {timeout:g} s: {what}")
                try:
                    # some changes have no signal
                    await asyncio.wait_for(woken.wait(), min(left, 0.5))
                except TimeoutError:
                    pass
        finally:
            self._waiting.discard(woken)
