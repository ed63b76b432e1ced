"""Answers that were left over: stored, but never confirmed as posted, because of a crash, a cut, or Discord's no."""

from __future__ import annotations

import asyncio
import logging

from adapters.discord.delivery import Delivery
from adapters.discord.request import Request
from bot.app import App, Due
from bot.rules.errors import UserError
from bot.turns import Queues

log = logging.getLogger(__name__)

EVERY = 2.0
MOST, AT_ONCE = 50, 8
PLATFORM = "discord:"


class Outbox:
    """Looks for left-over answers every two seconds and brings them: several at once, those of one channel in order."""

    def __init__(self, app: App, delivery: Delivery) -> None:
        self._app, self._delivery = app, delivery
        self._end = asyncio.Event()
        self._queues = Queues()
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._under_way: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Until `stop`."""
        while not self._end.is_set():
            try:
                await self._look()
            except UserError as error:
                log.error("could not read the outbox: %s", error.message)
            except Exception:
                log.exception("could not read the outbox")
            try:
                await asyncio.wait_for(self._end.wait(), EVERY)
            except TimeoutError:
                pass

    async def stop(self) -> None:
        """No further round; what is not brought by then stays in the outbox."""
        self._end.set()
        for task in self._under_way:
            task.cancel()

    async def _look(self) -> None:
        room = MOST - len(self._under_way)
        for due in await self._app.due(PLATFORM, room) if room > 0 else ():
            task = asyncio.create_task(self._in_turn(due))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _in_turn(self, due: Due) -> None:
        """Bring one after those of its channel that came before it; it is held all the while."""
        try:
            with self._app.posting(due.id):
                async with self._queues.turn(due.place), self._at_once:
                    await self._bring(due)
        except Exception:
            log.exception("answer %s could not be brought; it is tried again", due.id)

    async def _bring(self, due: Due) -> None:
        try:
            request = Request.from_json(due.delivery) if due.delivery else place_only(due.place, due.id)
        except (TypeError, ValueError):
            log.exception("answer %s does not say where it goes", due.id)
            await self._app.delivered(due.id)
            return
        await self._delivery.later(due.id, due.attempts, due.reply, request)


def place_only(place: str, id: int) -> Request:
    """What is known where nobody asked: a message for a channel. Raises ValueError for a place that is no channel's."""
    server, _, channel = place.removeprefix(PLATFORM).partition("/")
    guild = int(server) if server.isdecimal() else 0
    return Request(id, "", 0, 0, int(channel), guild=guild, until=0.0)
