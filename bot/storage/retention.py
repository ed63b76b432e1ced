"""Outdated data is deleted now and then, but not by a clock that was just set: a month ahead, it
would delete what people still need."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from bot.runtime.logs import log_failure
from bot.storage.base import DAY, Clock
from bot.storage.records import Doc
from bot.storage.store import Store

log = logging.getLogger(__name__)

FIRST, EVERY = 60.0, 3600.0
DRIFT = DAY / 2
"""What was deleted so much too early or too late does no harm: a computer may sleep for a night."""
AWAY = 30 * DAY
"""A bot that was not running for longer cannot tell that from a clock that was set forward."""
DOUBT = DAY
"""So long a clock that was set must go on evenly before it is believed."""
KIND, KEY = "clock", "sweep"


class RetentionSweep:
    """Deletes what is outdated; games `retention` seconds after the bot was removed (None:
    never).
    """

    def __init__(
        self,
        store: Store,
        retention: float | None,
        clock: Clock = time.time,
        steady: Clock = time.monotonic,
        besides: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """`besides` is done after each sweep."""
        self._besides = besides
        self._store = store
        self._retention = retention
        self._clock = clock
        self._steady = steady
        self._before: tuple[float, float] | None = None  # both clocks at the last look

    async def run(self) -> None:
        """A minute after the start, then every hour, until cancelled."""
        await asyncio.sleep(FIRST)
        while True:
            try:
                await self.look()
            except Exception as error:
                log_failure(log, "could not delete outdated data; trying again in an hour", error)
            await asyncio.sleep(EVERY)

    async def look(self) -> bool:
        """Delete what is outdated, unless the clock was set in the last day; whether it was
        done.
        """
        now = self._clock()
        noted = await self._store.load_doc(KIND, KEY)
        data = noted.data if noted is not None else {"at": now}
        if self._was_clock_set(now, data["at"]):
            log.warning(
                "the clock was set, or the bot was long away: outdated data is kept for a day more"
            )
            data = {"at": now, "doubted": now}
        doubted = data.get("doubted")
        is_sure = doubted is None or not 0 <= now - doubted < DOUBT
        self._before = (now, self._steady())
        await self._store.put_doc(
            Doc(KIND, KEY, {"at": now} if is_sure else {"at": now, "doubted": doubted})
        )
        if is_sure:
            await self._store.sweep(self._retention)
            if self._besides is not None:
                await self._besides()
        return is_sure

    def _was_clock_set(self, now: float, noted: float) -> bool:
        """Return whether the clock went otherwise than time did, since the last look of this
        process or of the one before.
        """
        if self._before is not None:
            at, steady = self._before
            return abs((now - at) - (self._steady() - steady)) > DRIFT
        return not -DRIFT <= now - noted <= AWAY
