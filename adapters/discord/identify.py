"""Several processes on one bot take turns: Discord lets so many shards identify at once, and the next 5 seconds later.

When the last one did is noted in the store that the processes share, one note for each group of shards that Discord
counts apart.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable

from bot.places.notes import Notes
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

NAME = "identified"
PAUSE = 5.5
"""Discord asks for 5 seconds; the rest is for the way from the note to the wire."""


class Turns:
    """The right to identify, for one process of several."""

    def __init__(
        self,
        notes: Notes,
        at_once: Callable[[], Awaitable[int]],
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`at_once` says how many shards may identify together."""
        self._notes, self._at_once, self._clock, self._sleep = notes, at_once, clock, sleep

    async def wait(self, bot: int, shard: int) -> None:
        """Return when this shard may identify, at once. Without the store: in so many seconds."""
        group = shard % max(1, await self._at_once())
        try:
            await self._wait(f"{bot}/{group}")
        except UserError as error:
            log.warning("the turn to identify cannot be looked up: %s", error.message)
            await self._sleep(PAUSE)

    async def _wait(self, key: str) -> None:
        waited = ""
        while True:
            last = await self._notes.get(NAME, key) or {}
            turn = str(last.get("turn") or "first")
            left = float(last.get("at") or 0) + PAUSE - self._clock()
            if left > 0 and turn != waited:
                waited = turn
                await self._sleep(min(left, PAUSE))  # longer: the clock was set back
                continue
            if await self._notes.replace(NAME, key, turn, {"turn": secrets.token_hex(8), "at": self._clock()}):
                return
