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
from adapters.discord.request import ATTACH_FILES, EMBED_LINKS, SEND_IN_THREADS, SEND_MESSAGES, VIEW_CHANNEL, Ask
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


def missing(ask: Ask, *, files: bool = False) -> tuple[str, ...]:
    """Names of the permissions that the bot lacks where `ask` came from."""
    needed = [VIEW_CHANNEL, SEND_IN_THREADS if ask.thread else SEND_MESSAGES, EMBED_LINKS]
    needed += [ATTACH_FILES] if files else []
    return tuple(_NAMES[bit] for bit in needed if not ask.may(bit))


class Posting:
    """Posts with the bot's own token. The same answer sent twice appears once: Discord knows it by its nonce."""

    def __init__(self, http: discord.http.HTTPClient) -> None:
        self._http = http

    async def late(self, reply: Reply, ask: Ask) -> None:
        """Post an answer whose token is gone: public ones in the channel, private ones to the person.

        Raises discord.HTTPException or OSError for what may succeed later; what never can is logged.
        """
        try:
            if not reply.private:
                if await self._stands(ask):
                    return
                await self._post(ask.channel, render(replace(reply, private=False), ask, late=bool(ask.token)), ask)
                return
        except discord.Forbidden:
            lacking = ", ".join(missing(ask)) or "Send Messages"
            note = f"This could not be posted in its channel: the bot lacks the permission {lacking} there."
            reply = replace(reply, lines=(note, *reply.lines))
        except discord.NotFound:
            log.info("channel %s is gone, an answer for it goes to the person who asked", ask.channel)
        await self._tell(reply, ask)

    async def _stands(self, ask: Ask) -> bool:
        """Whether the answer stands there, and only nobody heard so: Discord names the interaction behind a message."""
        route = Route("GET", "/channels/{channel_id}/messages", channel_id=ask.channel)
        try:
            found = await self._http.request(route, params={"after": str(ask.id), "limit": "100"}) if ask.token else ()
        except (discord.Forbidden, discord.NotFound):  # it may write, but not read back
            return False
        return any(
            str((one.get("interaction_metadata") or {}).get("id")) == str(ask.id)
            and not int(one.get("flags") or 0) & LOADING
            for one in found
        )

    async def announce(self, told: Reply, ask: Ask, wire: Wire) -> None:
        """Post a message for all beside a private answer. Raises as `late` does."""
        try:
            await self._post(ask.channel, render(told, ask), ask)
        except (discord.Forbidden, discord.NotFound):
            await wire.follow_up(ask, render(told, ask))

    async def _tell(self, reply: Reply, ask: Ask) -> None:
        if not ask.user:
            return
        try:
            opened = await self._http.start_private_message(ask.user)
            alone = replace(ask, guild=0, channel=int(opened["id"]))
            await self._post(alone.channel, render(replace(reply, private=False), alone, late=True), alone)
        except (discord.Forbidden, discord.NotFound):
            log.warning("user %s takes no direct messages; an answer stays in the log only", ask.user)

    async def _post(self, channel: int, message: Message, ask: Ask) -> None:
        body: dict[str, Any] = {key: value for key, value in message.body.items() if key != "flags"}
        digest = hashlib.sha256(f"{ask.request_id}/{body['content'][:200]}".encode()).hexdigest()
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
