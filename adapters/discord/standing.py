"""What Discord shows as the answer to an interaction: looked at, and made what it should be."""

from __future__ import annotations

import asyncio
import logging
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
from bot.interface.reply import Reply

log = logging.getLogger(__name__)

LEAVE_AFTER = 1.0


class Standing:
    """Answers as they stand. `put`, `announce` and `settle` raise what Discord refuses or does not take now."""

    def __init__(self, wire: Wire, posting: Posting) -> None:
        self._wire, self._posting = wire, posting

    async def put(self, request: Request, reply: Reply, *, private: bool, in_place: bool) -> None:
        """Put the answer in place of the receipt. What must not be public takes a public placeholder away first."""
        if in_place and reply.private and not reply.error:
            await self._wire.edit(request, render(reply, request))
        elif in_place:
            await self._wire.follow_up(request, render(reply, request))
        elif reply.private == private:
            await self._wire.edit(request, render(reply, request))
        else:
            await self._remove(request)
            await self._wire.follow_up(request, render(reply, request))

    async def announce(self, request: Request, reply: Reply) -> None:
        """Tell all what goes with a private answer: that something is sealed. Said twice, it appears once."""
        if reply.announce is not None:
            await self._posting.announce(reply.announce, request, self._wire)

    async def settle(self, request: Request, reply: Reply) -> None:
        """Look what is shown as the answer, and bring what is missing. Raises what may work later."""
        if request.is_alive:
            try:
                standing = await self._wire.original(request)
            except Refused as refused:
                if refused.code == UNKNOWN_MESSAGE:  # the placeholder was taken away, its answer has yet to come
                    await self._wire.follow_up(request, render(reply, request))
                    await self.announce(request, reply)
                    return
                if refused.for_now:
                    raise
            else:
                await self._complete(request, reply, standing)
                return
        if reply.error:
            return
        await self._posting.late(reply, request)
        await self.announce(request, reply)

    async def _complete(self, request: Request, reply: Reply, standing: dict[str, Any]) -> None:
        flags = int(standing.get("flags") or 0)
        own = int(standing.get("id") or 0) != request.message
        if own and flags & LOADING:
            await self.put(request, reply, private=bool(flags & EPHEMERAL), in_place=False)
        elif not own:  # the message pressed on: to change it again does no harm
            await self.put(request, reply, private=False, in_place=True)
        elif str(standing.get("content")).startswith(REFUSED) and not reply.error:
            # Delivered twice and run by the second one only: the first one's refusal is not an answer.
            await self._posting.late(reply, request)
        await self.announce(request, reply)

    async def say_so(self, request: Request, reply: Reply) -> None:
        """Discord refuses the message itself, which is our bug: the bare first line is better than silence."""
        log.error("Discord refuses the answer %r", reply.title[:100])
        try:
            bare = render(Reply(reply.title[:300], private=reply.private), request)
            if not await self._wire.respond(request, MESSAGE, bare):
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
