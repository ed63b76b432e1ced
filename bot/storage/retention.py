"""The regular deletion of outdated data. It pauses after the clock was set: a clock that is a month
ahead would have data deleted that people still need.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from bot.runtime.logs import log_failure
from bot.storage.base import DAY, Clock
from bot.storage.records import Doc, Json
from bot.storage.store import Store

log = logging.getLogger(__name__)

FIRST_DELAY = 60.0
"""Seconds from the start to the first sweep."""
INTERVAL = 3600.0
"""Seconds between two sweeps."""
MAX_DRIFT = DAY / 2
"""Seconds by which the clocks may differ: a computer may sleep for a night, and data deleted so
much too early does no harm.
"""
MAX_ABSENCE = 30 * DAY
"""Seconds that a bot may not have run. After more, its clock may have been set forward."""
DOUBT = DAY
"""Seconds for which nothing is deleted after the clock was set."""
KIND, KEY = "clock", "sweep"
"""The document with the time of the last sweep, and the time at which the clock was last set."""


class RetentionSweep:
    """The regular deletion of outdated data, and of games `retention` seconds after the bot was
    removed from their server (None: never).
    """

    def __init__(
        self,
        store: Store,
        retention: float | None,
        clock: Clock = time.time,
        steady: Clock = time.monotonic,
        after_sweep: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """`after_sweep` is called after each deletion. `clock` returns Unix seconds and may be set,
        `steady` never runs backwards.
        """
        self._after_sweep = after_sweep
        self._store = store
        self._retention = retention
        self._clock = clock
        self._steady = steady
        self._last_times: tuple[float, float] | None = None  # both clocks at the last sweep

    async def run(self) -> None:
        """Sweep a minute after the start, then every hour, until cancelled. Errors are logged."""
        await asyncio.sleep(FIRST_DELAY)
        while True:
            try:
                await self.sweep_if_sure()
            except Exception as error:
                log_failure(log, "could not delete outdated data; trying again in an hour", error)
            await asyncio.sleep(INTERVAL)

    async def sweep_if_sure(self) -> bool:
        """Delete outdated data, unless the clock was set in the last day. Return whether that was
        done. The time is saved in the store either way.
        """
        time_now = self._clock()
        doc = await self._store.load_doc(KIND, KEY)
        data = doc.data if doc is not None else {"at": time_now}
        if self._was_clock_set(time_now, data["at"]):
            log.warning(
                "the clock was set, or the bot was long away: outdated data is kept for a day more"
            )
            data = {"at": time_now, "doubted": time_now}
        time_set = data.get("doubted")
        is_sure = True
        if time_set is not None:
            is_sure = not 0 <= time_now - time_set < DOUBT
        self._last_times = (time_now, self._steady())
        times: Json = {"at": time_now}
        if not is_sure:
            times["doubted"] = time_set
        await self._store.put_doc(Doc(KIND, KEY, times))
        if is_sure:
            await self._store.sweep(self._retention)
            if self._after_sweep is not None:
                await self._after_sweep()
        return is_sure

    def _was_clock_set(self, time_now: float, saved_time: float) -> bool:
        """Return whether the clock was probably set since the last sweep.

        In a process that has swept before, it is compared with the steady clock; else with the
        saved time of the last sweep.
        """
        if self._last_times is not None:
            last_time, last_steady = self._last_times
            drift = (time_now - last_time) - (self._steady() - last_steady)
            return abs(drift) > MAX_DRIFT
        return not -MAX_DRIFT <= time_now - saved_time <= MAX_ABSENCE
