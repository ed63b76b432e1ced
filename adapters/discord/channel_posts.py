"""Normal messages, for what an interaction's token can no longer carry: in the channel, or to a person alone."""

from __future__ import annotations

import hashlib
import io
import json
import logging
from dataclasses import replace
from typing import Any

import discord
from discord.http import Route

from adapters.discord.calls import Wire
from adapters.discord.render import Message, render
from adapters.discord.request import ATTACH_FILES, EMBED_LINKS, SEND_IN_THREADS, SEND_MESSAGES, VIEW_CHANNEL, Request
from bot.interface.reply import Reply

log = logging.getLogger(__name__)

LOADING = 1 << 7
"""A message that still says "thinking"."""

_NAMES = {
    VIEW_CHANNEL: "View Channel",
    SEND_MESSAGES: "Send Messages",
    SEND_IN_THREADS: "Send Messages in Threads",
    EMBED_LINKS: "Embed Links",
    ATTACH_FILES: "Attach Files",
}


def missing(request: Request, *, files: bool = False) -> tuple[str, ...]:
    """Names of the permissions that the bot lacks where `ask` came from."""
    needed = [VIEW_CHANNEL, SEND_IN_THREADS if request.thread else SEND_MESSAGES, EMBED_LINKS]
    needed += [ATTACH_FILES] if files else []
    return tuple(_NAMES[bit] for bit in needed if not request.may(bit))


class Posting:
    """Posts with the bot's own token. The same answer sent twice appears once: Discord knows it by its nonce."""

    def __init__(self, http: discord.http.HTTPClient) -> None:
        self._http = http

    async def late(self, reply: Reply, request: Request) -> None:
        """Post an answer whose token is gone: public ones in the channel, private ones to the person.

        Raises discord.HTTPException or OSError for what may succeed later; what never can is logged.
        """
        try:
            if not reply.private:
                if await self._stands(request):
                    return
                await self._post(
                    request.channel,
                    render(replace(reply, private=False), request, late=bool(request.token)),
                    request,
                )
                return
        except discord.Forbidden:
            lacking = ", ".join(missing(request)) or "Send Messages"
            note = f"This could not be posted in its channel: the bot lacks the permission {lacking} there."
            reply = replace(reply, lines=(note, *reply.lines))
        except discord.NotFound:
            log.info("channel %s is gone, an answer for it goes to the person who asked", request.channel)
        await self._tell(reply, request)

    async def _stands(self, request: Request) -> bool:
        """Whether the answer is there, and only nobody heard so: Discord names the interaction behind a message."""
        route = Route("GET", "/channels/{channel_id}/messages", channel_id=request.channel)
        try:
            found = (
                await self._http.request(route, params={"after": str(request.id), "limit": "100"})
                if request.token
                else ()
            )
        except (discord.Forbidden, discord.NotFound):  # it may write, but not read back
            return False
        return any(
            str((one.get("interaction_metadata") or {}).get("id")) == str(request.id)
            and not int(one.get("flags") or 0) & LOADING
            for one in found
        )

    async def announce(self, told: Reply, request: Request, wire: Wire) -> None:
        """Post a message for all beside a private answer. Raises as `late` does."""
        try:
            await self._post(request.channel, render(told, request), request)
        except (discord.Forbidden, discord.NotFound):
            await wire.follow_up(request, render(told, request))

    async def _tell(self, reply: Reply, request: Request) -> None:
        if not request.user:
            return
        try:
            opened = await self._http.start_private_message(request.user)
            alone = replace(request, guild=0, channel=int(opened["id"]))
            await self._post(alone.channel, render(replace(reply, private=False), alone, late=True), alone)
        except (discord.Forbidden, discord.NotFound):
            log.warning("user %s takes no direct messages; an answer stays in the log only", request.user)

    async def _post(self, channel: int, message: Message, request: Request) -> None:
        body: dict[str, Any] = {key: value for key, value in message.body.items() if key != "flags"}
        digest = hashlib.sha256(f"{request.request_id}/{body['content'][:200]}".encode()).hexdigest()
        body |= {"nonce": digest[:24], "enforce_nonce": True}
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
        if not message.files:
            await self._http.request(route, json=body)
            return
        listed = [{"id": number, "filename": file.name} for number, file in enumerate(message.files)]
        files = [discord.File(io.BytesIO(file.data), filename=file.name) for file in message.files]
        form: list[dict[str, Any]] = [{"name": "payload_json", "value": json.dumps(body | {"attachments": listed})}]
        for number, file in enumerate(files):
            form.append({"name": f"files[{number}]", "value": file.fp, "filename": file.filename})
        await self._http.request(route, form=form, files=files)
