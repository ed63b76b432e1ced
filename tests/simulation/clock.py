"""Virtual time: an event loop that never waits. When nothing is ready, the clock jumps to what
comes next.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

import bot.rulesets.play_once

BEGIN = 1_800_000_000.0
"""The wall clock when a world begins, in Unix seconds."""


class Asleep(Exception):
    """Nothing is ready and nothing will ever be: the world waits for something that cannot come."""


class VirtualLoop(asyncio.BaseEventLoop):
    """A loop whose time is a number. `skew` is how far the wall clock has been set off.

    With `shuffled`, callbacks that are ready at the same moment run in an order drawn from the
    seed.
    """

    def __init__(self, chance: Random, *, shuffled: bool = False) -> None:
        super().__init__()
        self.now, self.skew = 1_000.0, 0.0
        self._chance, self._shuffled = chance, shuffled
        self._selector = self  # what BaseEventLoop asks for events

    def time(self) -> float:
        """Seconds, monotonic."""
        return self.now

    def wall(self) -> float:
        """Unix seconds as the host's clock shows them."""
        return BEGIN + self.now + self.skew

    def select(self, timeout: float | None) -> list[object]:
        """No event ever comes from outside; time passes instead."""
        if timeout is None:
            raise Asleep
        self.now += timeout
        return []

    def _process_events(self, events: object) -> None:
        ready: Any = self._ready  # type: ignore[attr-defined]
        if self._shuffled and len(ready) > 1:
            handles = list(ready)
            self._chance.shuffle(handles)
            ready.clear()
            ready.extend(handles)

    def _write_to_self(self) -> None:
        pass

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """What threads would do is done on the spot."""
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done

    def sleep(self, seconds: float) -> None:
        """`time.sleep`: all stand still."""
        self.now += seconds


@contextmanager
def virtual(loop: VirtualLoop, chance: Random) -> Iterator[None]:
    """Whoever asks for the time or for fresh randomness hears the loop's and the seed's."""
    with (
        patch.object(time, "time", loop.wall),
        patch.object(time, "monotonic", loop.time),
        patch.object(time, "sleep", loop.sleep),
        patch.object(bot.rulesets.play_once, "thread_time", loop.time),
        patch.object(os, "urandom", chance.randbytes),
    ):
        yield
