"""Brings answers: at once if the work is quick, else a receipt and then the answer; later if Discord would not listen.

A first response may break without anybody knowing whether it arrived. Before anything is sent a second time, Discord
is asked what stands there: so nothing is lost, and nothing comes twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import discord

from adapters.discord.ask import EPHEMERAL, Ask
from adapters.discord.posting import LOADING, Posting
from adapters.discord.render import REFUSED, Message, render
from adapters.discord.wire import (
    DEFER_UPDATE,
    MESSAGE,
    THINKING,
    UNKNOWN_MESSAGE,
    UPDATE,
    Refused,
    Unsure,
    Wire,
)
from bot.command import Command
from bot.reply import Reply, error_reply
from bot.roller import new_id
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

RECEIPT = 1.5
"""Seconds after which "thinking" is shown, unless the answer is there."""
CROWD = 12
"""With so many at work at once the receipt does not wait: those in front may take all the time there is."""
LEAVE_AFTER = 1.0
RETRY = (5.0, 15.0, 60.0, 300.0)


@dataclass(frozen=True, slots=True)
class Direct:
    """A first response that is no reply: a form, or a message with menus."""

    kind: int
    message: Message | None = None
    data: dict[str, Any] | None = None


class Desk(Protocol):
    """What delivery tells the app."""

    async def delivered(self, *answers: Reply | int) -> None:
        """These were posted, or never can be."""
        ...

    async def retry(self, id: int, after: float) -> None:
        """This one is due again in `after` seconds."""
        ...

    def posting(self, *answers: Reply | int) -> AbstractContextManager[None]:
        """Nobody else brings these meanwhile."""
        ...

    async def promised(self, command: Command, until: float) -> Reply | None:
        """Write down that a receipt is shown; a Reply to show instead where that fails."""
        ...

    async def kept(self, request_id: str) -> None:
        """A receipt is answered."""
        ...

    def broken(self, request_id: str) -> None:
        """A receipt could not be answered now."""
        ...


class Delivery:
    """Answers interactions, each once."""

    def __init__(self, wire: Wire, posting: Posting, desk: Desk) -> None:
        self._wire, self._posting, self._desk = wire, posting, desk
        self.busy = 0

    async def serve(
        self, ask: Ask, command: Command, work: Coroutine[Any, Any, Reply], *, private: bool, in_place: bool = False
    ) -> None:
        """Bring what `work` returns, which runs `command`. `private` is how the receipt looks; `in_place` changes the
        message pressed on. A receipt is a promise, also of a process that dies: it is written down first."""
        self.busy += 1
        try:
            task = asyncio.ensure_future(work)
            patience = RECEIPT if self.busy < CROWD else RECEIPT / 4
            done, _ = await asyncio.wait({task}, timeout=max(0.0, patience - ask.age))
            if done:
                await self._first(ask, await _result(task), in_place=in_place)
                return
            instead = await self._desk.promised(command, ask.until)
            if instead is not None:
                task.cancel()
                await self._first(ask, instead, in_place=in_place)
                return
            placed = await self._receipt(ask, private=private, in_place=in_place)
            reply = await _result(task)
        finally:
            self.busy -= 1
        if reply.outbox or reply.seen:  # it is on the disk, and the outbox's from now on
            await self._desk.kept(ask.request_id)
        if await self._post(ask, reply, placed=placed, private=private, in_place=in_place):
            await self._desk.kept(ask.request_id)
        else:
            self._desk.broken(ask.request_id)

    async def make_good(self, ask: Ask, reply: Reply) -> None:
        """Bring the answer to a receipt that a dead process left, or that this one could not bring."""
        if reply.outbox or reply.seen:
            await self._desk.kept(ask.request_id)
            if reply.outbox:
                await self.later(reply.outbox, 0, reply, ask)
            return
        try:
            await self._settle(ask, reply)
        except (Refused, Unsure, discord.HTTPException, OSError) as error:
            log.warning("answer to interaction %s does not get through yet: %s", ask.id, error)
            self._desk.broken(ask.request_id)
            return
        await self._desk.kept(ask.request_id)

    async def say(self, ask: Ask, reply: Reply, *, in_place: bool = False) -> None:
        """Bring an answer that is ready."""
        await self._first(ask, reply, in_place=in_place)

    async def direct(self, ask: Ask, what: Direct) -> None:
        """Answer with a form or menus. Lost, it is simply asked for again."""
        try:
            await self._wire.respond(ask, what.kind, what.message, what.data)
        except (Refused, Unsure) as error:
            log.warning("no form for interaction %s: %s", ask.id, error)

    async def later(self, id: int, attempts: int, reply: Reply, ask: Ask) -> None:
        """Bring an answer that was left over: from before a restart, or that Discord would not take."""
        try:
            with self._desk.posting(id):
                await self._settle(ask, reply)
        except (Refused, Unsure, discord.HTTPException, OSError) as error:
            if _may_work_later(error):
                await self._noted(self._desk.retry(id, RETRY[min(attempts, len(RETRY) - 1)]))
                return
            log.error("an answer can never be posted: %s", error)
        await self._noted(self._desk.delivered(id))

    async def _noted(self, note: Coroutine[Any, Any, None]) -> None:
        """Write down how an answer stands. Where the disk refuses, the outbox looks into it later."""
        try:
            await note
        except UserError as error:
            log.error("how an answer stands could not be written down: %s", error.message)

    async def _receipt(self, ask: Ask, *, private: bool, in_place: bool) -> bool:
        """Show that the bot is at work; whether that is known to have arrived."""
        try:
            if in_place:
                return await self._wire.respond(ask, DEFER_UPDATE)
            return await self._wire.respond(ask, THINKING, data={"flags": EPHEMERAL} if private else {})
        except (Refused, Unsure) as error:
            log.warning("no receipt for interaction %s: %s", ask.id, error)
            return False

    async def _first(self, ask: Ask, reply: Reply, *, in_place: bool) -> None:
        """Answer with the first response."""
        if reply.seen:  # this very interaction, delivered twice: the other one answers it
            return
        try:
            with self._desk.posting(reply):
                if await self._wire.respond(ask, UPDATE if in_place else MESSAGE, render(reply, ask)):
                    await self._announce(ask, reply)
                else:  # another process got the same interaction, and may have shown no more than a receipt
                    await self._settle(ask, reply)
        except (Refused, Unsure, discord.HTTPException, OSError) as error:
            await self._failed(ask, reply, error)
            return
        await self._noted(self._desk.delivered(reply))

    async def _post(self, ask: Ask, reply: Reply, *, placed: bool, private: bool, in_place: bool) -> bool:
        """Answer after the receipt; whether nothing is left to do about it here."""
        if reply.seen:
            if placed and not in_place:
                await self._leave(ask)
            return True
        try:
            with self._desk.posting(reply):
                if placed:
                    await self._replace(ask, reply, private=private, in_place=in_place)
                    await self._announce(ask, reply)
                else:
                    await self._settle(ask, reply)
        except (Refused, Unsure, discord.HTTPException, OSError) as error:
            return await self._failed(ask, reply, error)
        await self._noted(self._desk.delivered(reply))
        return True

    async def _replace(self, ask: Ask, reply: Reply, *, private: bool, in_place: bool) -> None:
        """Put the answer where the receipt stands. What must not be public takes a public placeholder away first."""
        if in_place and not reply.error:
            await self._wire.edit(ask, render(reply, ask))
        elif in_place:
            await self._wire.follow_up(ask, render(reply, ask))
        elif reply.private == private:
            await self._wire.edit(ask, render(reply, ask))
        else:
            await self._remove(ask)
            await self._wire.follow_up(ask, render(reply, ask))

    async def _announce(self, ask: Ask, reply: Reply) -> None:
        """Tell all what goes with a private answer: that something lies sealed. Said twice, it appears once."""
        if reply.announce is not None:
            await self._posting.announce(reply.announce, ask, self._wire)

    async def _settle(self, ask: Ask, reply: Reply) -> None:
        """Look what stands as the answer, and bring what is missing. Raises what may work later."""
        if ask.is_alive:
            try:
                standing = await self._wire.original(ask)
            except Refused as refused:
                if refused.code == UNKNOWN_MESSAGE:  # the placeholder was taken away, its answer has yet to come
                    await self._wire.follow_up(ask, render(reply, ask))
                    await self._announce(ask, reply)
                    return
                if refused.for_now:
                    raise
            else:
                await self._complete(ask, reply, standing)
                return
        if reply.error:
            return
        await self._posting.late(reply, ask)
        await self._announce(ask, reply)

    async def _complete(self, ask: Ask, reply: Reply, standing: dict[str, Any]) -> None:
        flags = int(standing.get("flags") or 0)
        own = int(standing.get("id") or 0) != ask.message
        if own and flags & LOADING:
            await self._replace(ask, reply, private=bool(flags & EPHEMERAL), in_place=False)
        elif not own:  # the message pressed on: to change it again does no harm
            await self._replace(ask, reply, private=False, in_place=True)
        elif str(standing.get("content")).startswith(REFUSED) and not reply.error:
            # Delivered twice and run by the second one only: the first one's refusal is no answer.
            await self._posting.late(reply, ask)
        await self._announce(ask, reply)

    async def _failed(self, ask: Ask, reply: Reply, error: Exception) -> bool:
        """The answer did not get through now. What was recorded goes to the outbox, what was not is tried once more.

        Returns whether it has got through, or is the outbox's.
        """
        log.warning("answer to interaction %s did not get through: %s", ask.id, error)
        if isinstance(error, Refused) and error.status == 400:
            await self._say_so(ask, reply)
        if reply.outbox:
            await self.later(reply.outbox, 0, reply, ask)
            return True
        try:
            await self._settle(ask, replace(reply, announce=None))
        except (Refused, Unsure, discord.HTTPException, OSError) as again:
            log.warning("answer to interaction %s is given up: %s", ask.id, again)
            return False
        return True

    async def _say_so(self, ask: Ask, reply: Reply) -> None:
        """Discord refuses the message itself, which is our bug: the bare first line is better than silence."""
        log.error("Discord refuses the answer %r", reply.title[:100])
        try:
            bare = render(Reply(reply.title[:300], private=reply.private), ask)
            if not await self._wire.respond(ask, MESSAGE, bare):
                await self._wire.edit(ask, bare)
        except (Refused, Unsure):
            return

    async def _remove(self, ask: Ask) -> None:
        """Take the placeholder away. Raises unless it is gone: a follow-up would fill it, for all to see."""
        try:
            await self._wire.delete(ask)
        except Refused as refused:
            if refused.code != UNKNOWN_MESSAGE:
                raise

    async def _leave(self, ask: Ask) -> None:
        """End a receipt whose answer another one brings, or brought; that may be this very message."""
        try:
            for _ in range(2):
                if not int((await self._wire.original(ask)).get("flags") or 0) & LOADING:
                    return
                await asyncio.sleep(LEAVE_AFTER)
            await self._wire.edit(ask, render(Reply("That was done already."), ask))
        except (Refused, Unsure) as error:
            log.info("a receipt could not be ended: %s", error)


async def _result(task: asyncio.Task[Reply]) -> Reply:
    """The reply of a task; an error that it raises as a private reply."""
    try:
        return await task
    except UserError as error:
        return error_reply(error)
    except Exception:
        reference = new_id()[:8]
        log.exception("an answer failed, reference %s", reference)
        sorry = f"Something went wrong here, which is not your fault (reference {reference})."
        return error_reply(UserError(sorry, hint="The host finds the reference in the log."))


def _may_work_later(error: Exception) -> bool:
    if isinstance(error, Refused):
        return error.for_now
    if isinstance(error, discord.HTTPException):
        return error.status == 429 or error.status >= 500
    return True
