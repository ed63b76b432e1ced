"""What Discord shows as the answer to an interaction: looked at, and made what it should be."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from adapters.discord.calls import (
    MESSAGE,
    UNKNOWN_MESSAGE,
    Refused,
    Unsure,
    Wire,
)
from adapters.discord.channel_posts import LOADING, Posting
from adapters.discord.render import REFUSED, render
from adapters.discord.request import EPHEMERAL, Request
from bot.interface.reply.reply import Reply

log = logging.getLogger(__name__)

LEAVE_AFTER = 1.0


class Standing:
    """Answers as they stand. `put`, `announce` and `settle` raise what Discord refuses or does not take now."""

    def __init__(self, wire: Wire, posting: Posting) -> None:
        self._wire, self._posting = wire, posting

    async def put(self, request: Request, reply: Reply, *, private: bool, in_place: bool) -> object:
        """Put the answer where the receipt is; its id. What is private takes a public placeholder away first."""
        if in_place and reply.in_place:
            return _id(await self._wire.edit(request, render(reply, request)))
        if not in_place and reply.private == private:
            return _id(await self._wire.edit(request, render(reply, request)))
        if not in_place:
            await self._remove(request)
        return _id(await self._wire.follow_up(request, render(reply, request)))

    async def announce(self, request: Request, reply: Reply) -> object:
        """Tell all what goes with a private answer: that something is sealed. Said twice, it appears once. Its id."""
        if reply.announce is None:
            return None
        return _id(await self._posting.announce(reply.announce, request, self._wire))

    async def settle(self, request: Request, reply: Reply) -> object:
        """Look what is there as the answer, and bring what is missing; its id. Raises what may work later."""
        if request.is_alive:
            try:
                standing = await self._wire.original(request)
            except Refused as refused:
                if refused.code == UNKNOWN_MESSAGE:  # the placeholder was taken away, its answer has yet to come
                    at = _id(await self._wire.follow_up(request, render(reply, request)))
                    return await self.announce(request, reply) or at
                if refused.for_now:
                    raise
            else:
                return await self._complete(request, reply, standing)
        if reply.error:
            return None
        at = _id(await self._posting.late(reply, request))
        return await self.announce(request, reply) or at

    async def _complete(self, request: Request, reply: Reply, standing: dict[str, Any]) -> object:
        flags, at = int(standing.get("flags") or 0), _id(standing)
        own = int(standing.get("id") or 0) != request.message
        if own and flags & LOADING:
            at = await self.put(request, reply, private=bool(flags & EPHEMERAL), in_place=False)
        elif not own:  # the message pressed on: to change it again does no harm
            at = await self.put(request, reply, private=False, in_place=True)
        elif str(standing.get("content")).startswith(REFUSED) and not reply.error:
            # Delivered twice and run by the second one only: the first one's refusal is not an answer.
            at = _id(await self._posting.late(reply, request))
        return await self.announce(request, reply) or at

    async def say_so(self, request: Request, reply: Reply) -> None:
        """Discord refuses the message itself, which is our bug: the bare first line is better than silence."""
        log.error("Discord refuses the answer %r", reply.title[:100])
        try:
            bare = render(Reply(reply.title[:300], private=reply.private), request)
            if await self._wire.respond(request, MESSAGE, bare) is None:
                await self._wire.edit(request, bare)
        except (Refused, Unsure):
            return

    async def _remove(self, request: Request) -> None:
        """Take the placeholder away. Raises unless it is gone: a follow-up would fill it, for all to see."""
        try:
            await self._wire.delete(request)
        except Refused as refused:
            if refused.code != UNKNOWN_MESSAGE:
                raise

    async def leave(self, request: Request) -> None:
        """End a receipt whose answer another one brings, or brought; that may be this very message."""
        try:
            for _ in range(2):
                if not int((await self._wire.original(request)).get("flags") or 0) & LOADING:
                    return
                await asyncio.sleep(LEAVE_AFTER)
            await self._wire.edit(request, render(Reply("Already done."), request))
        except (Refused, Unsure) as error:
            log.info("could not end a receipt: %s", error)


def _id(message: Mapping[str, Any] | None) -> object:
    """The id of a message as Discord gives it; None where it gives none."""
    return (message or {}).get("id")
