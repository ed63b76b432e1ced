"""Answers that were left over: stored, but never confirmed as posted, because of a crash, a cut, or Discord's no."""

from __future__ import annotations

import asyncio
import logging

from adapters.discord.ask import Ask
from adapters.discord.delivery import Delivery
from bot.app import App, Due
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

EVERY = 2.0
PLATFORM = "discord:"


class Outbox:
    """Looks for left-over answers every two seconds and brings them."""

    def __init__(self, app: App, delivery: Delivery) -> None:
        self._app, self._delivery = app, delivery
        self._end = asyncio.Event()

    async def run(self) -> None:
        """Until `stop`."""
        while not self._end.is_set():
            try:
                for due in await self._app.due(PLATFORM):
                    await self._bring(due)
            except UserError as error:
                log.error("the outbox could not be looked through: %s", error.message)
            except Exception:
                log.exception("the outbox could not be looked through")
            try:
                await asyncio.wait_for(self._end.wait(), EVERY)
            except TimeoutError:
                pass

    async def stop(self) -> None:
        """No further round."""
        self._end.set()

    async def _bring(self, due: Due) -> None:
        try:
            ask = Ask.from_json(due.delivery) if due.delivery else place_only(due.place, due.id)
        except (TypeError, ValueError):
            log.exception("answer %s does not say where it goes", due.id)
            await self._app.delivered(due.id)
            return
        await self._delivery.later(due.id, due.attempts, due.reply, ask)


def place_only(place: str, id: int) -> Ask:
    """What is known where nobody asked: a message for a channel. Raises ValueError for a place that is no channel's."""
    server, _, channel = place.removeprefix(PLATFORM).partition("/")
    guild = int(server) if server.isdecimal() else 0
    return Ask(id, "", 0, 0, int(channel), guild=guild, until=0.0)
