"""Normal messages, for what an interaction's token can no longer carry: in the channel, or to a
person alone.
"""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import discord
from discord.http import Route

from adapters.delivery_loop import explain_not_pinned
from adapters.discord.calls import BROKEN, DiscordApi, build_form_fields
from adapters.discord.permissions import MAY_NOT_PIN, explain_not_posted
from adapters.discord.render import LATE, PERHAPS, QUIET, DiscordMessage, render_message
from adapters.discord.request import EMBED_LINKS, EPHEMERAL, DiscordRequest, Json
from bot.execution.budgets import Queues
from bot.ui.reply.reply import PINNED, UNPINNED, Reply

log = logging.getLogger(__name__)

ARCHIVED = 50083
"""Discord's code for a thread that is archived and cannot be opened by writing in it."""
MARGIN, MOST = 600.0, 100
"""Seconds by which the database's clock and Discord's may differ; how many messages Discord
gives at once.
"""
LOADING = 1 << 7
"""A message that still says "thinking"."""

TOO_MANY_PINS = "This channel has as many pins as Discord allows."
_TOO_MANY = 30003


class Posting:
    """Posts with the bot's own token, in each channel one after the other. The same answer sent
    twice appears once: Discord knows it by its nonce."""

    def __init__(self, http: discord.http.HTTPClient) -> None:
        self._http, self._queues = http, Queues()

    async def change_message(self, reply: Reply, spot: Mapping[str, Any]) -> Json:
        """Change a message of ours to how it reads now; its files stay. Raises
        discord.HTTPException, BROKEN.
        """
        request = DiscordRequest(
            0,
            "",
            0,
            0,
            int(spot["channel"]),
            guild=1,
            allowed=0 if spot.get("bare") else EMBED_LINKS,
        )
        body = build_changed_body(reply, request)
        path = "/channels/{channel_id}/messages/{message_id}"
        message = int(spot["message"])
        route = Route("PATCH", path, channel_id=request.channel, message_id=message)
        answer: Json = await self._http.request(route, json=body)
        return answer

    async def pin_or_unpin(self, reply: Reply, spot: Mapping[str, Any]) -> Reply | None:
        """Pin or unpin the message at `spot` as its reply says; what whoever asked is told where
        that is refused.
        """
        if reply.pin not in (PINNED, UNPINNED) or not spot.get("message"):
            return None
        http = self._http
        channel = int(spot["channel"])
        message = int(spot["message"])
        try:
            await (http.pin_message if reply.pin == PINNED else http.unpin_message)(
                channel, message
            )
        except discord.HTTPException as error:
            log.info("a message in channel %s could not be pinned or unpinned: %s", channel, error)
            told = TOO_MANY_PINS if error.code == _TOO_MANY else MAY_NOT_PIN
            is_told = reply.pin == PINNED and (
                error.code == _TOO_MANY or isinstance(error, discord.Forbidden)
            )
            return explain_not_pinned(told, channel) if is_told else None
        except BROKEN as error:
            log.info("could not pin or unpin a message: %s", error)
        return None

    async def delete(self, spot: Mapping[str, Any]) -> bool:
        """Take a message of ours away; whether it is gone. Raises discord.HTTPException, BROKEN for
        what may work later."""
        try:
            await self._http.delete_message(int(spot["channel"]), int(spot["message"]))
        except discord.NotFound:
            return True
        except discord.Forbidden:
            return False
        return True

    async def post_late(
        self, reply: Reply, request: DiscordRequest, since: float = 0.0
    ) -> Json | None:
        """Post an answer whose token is gone: public ones in the channel, private ones to the
        person. An earlier attempt may have posted it after `since` (Unix seconds), if given: where
        nobody can tell, it says so.

        Raises discord.HTTPException or BROKEN for what may succeed later; what never can is logged.
        """
        try:
            if (
                reply.in_place
                and request.message
                and (changed := await self._change_pressed_message(reply, request))
            ):
                return changed
            reply = reply.standalone
            if not reply.private and request.channel:
                message = render_message(
                    replace(reply, private=False), request, late=bool(request.token)
                )
                found, is_sure = await self._find_posted(reply, request, message, since)
                if found is not None:
                    return found
                if not is_sure:
                    message = render_message(replace(reply, private=False), request, late=PERHAPS)
                return await self._post(request.channel, message, request)
        except discord.Forbidden:
            reply = replace(reply, lines=(explain_not_posted(request), *reply.lines))
        except discord.NotFound:
            log.info(
                "channel %s is gone, an answer for it goes to the person who asked", request.channel
            )
        except discord.HTTPException as error:
            if error.code != ARCHIVED:
                raise
            note = "This could not be posted in its thread, which is locked and archived."
            reply = replace(reply, lines=(note, *reply.lines))
        return await self._send_direct_message(reply, request)

    async def _change_pressed_message(self, reply: Reply, request: DiscordRequest) -> Json | None:
        """The message whose button was pressed, changed to the answer; None where it is gone."""
        try:
            return await self.change_message(reply, request.build_spot(request.message))
        except (discord.Forbidden, discord.NotFound):
            return None

    async def _find_posted(
        self, reply: Reply, request: DiscordRequest, message: DiscordMessage, since: float
    ) -> tuple[Json | None, bool]:
        """Find an answer that was posted although we got no confirmation.

        Return the message, or None, and whether that is certain. It is matched by interaction; a
        numbered answer also by its text.
        """
        if not (request.token or since):
            return None, True
        before = datetime.fromtimestamp(since - MARGIN, UTC)
        after = request.id if request.token else discord.utils.time_snowflake(before)
        route = Route("GET", "/channels/{channel_id}/messages", channel_id=request.channel)
        try:
            found = await self._http.request(
                route, params={"after": str(after), "limit": str(MOST)}
            )
        except (discord.Forbidden, discord.NotFound):  # it may write, but not read back
            return None, not since
        ready = [one for one in found if not int(one.get("flags") or 0) & LOADING]
        for one in ready:
            if request.token and str((one.get("interaction_metadata") or {}).get("id")) == str(
                request.id
            ):
                return one, True
        alike = [
            one
            for one in ready
            if since
            and one["author"].get("bot")
            and _extract_text(one) == _extract_text(message.body)
        ]
        if alike and reply.footer and reply.footer[0].startswith("#"):
            return alike[0], True
        return None, not since or not (alike or len(found) == MOST)

    async def announce(self, told: Reply, request: DiscordRequest, wire: DiscordApi) -> Json:
        """Post a message for all beside a private answer. Raises as `late` does."""
        try:
            return await self._post(request.channel, render_message(told, request), request)
        except (discord.Forbidden, discord.NotFound):
            return await wire.follow_up(request, render_message(told, request))

    async def post_unasked(self, channel: int, told: Reply) -> None:
        """Post a message that nobody asked for. Raises discord.HTTPException, BROKEN."""
        request = DiscordRequest(0, "", 0, 0, channel, guild=1, allowed=EMBED_LINKS)
        await self._post(channel, render_message(told, request), request)

    async def _send_direct_message(self, reply: Reply, request: DiscordRequest) -> Json | None:
        if not request.user:
            return None
        try:
            opened = await self._http.start_private_message(request.user)
            alone = replace(request, guild=0, channel=int(opened["id"]))
            message = render_message(
                replace(reply, private=False), alone, late=bool(request.channel)
            )
            return await self._post(alone.channel, message, alone)
        except (discord.Forbidden, discord.NotFound):
            log.warning(
                "user %s takes no direct messages; an answer stays in the log only", request.user
            )
            return None

    async def _post(self, channel: int, message: DiscordMessage, request: DiscordRequest) -> Json:
        body = _make_public(message.body)
        # the same, however it is marked
        said = _remove_late_note(str(body.get("content") or body.get("components")))[:200]
        digest = hashlib.sha256(f"{request.request_id}/{said}".encode()).hexdigest()
        body |= {"nonce": digest[:24], "enforce_nonce": True}
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
        content = (
            {"form": build_form_fields(body, message.files)} if message.files else {"json": body}
        )
        async with self._queues.wait_for_turn(
            str(channel)
        ):  # when Discord asks to wait, all of them do
            posted: Json = await self._http.request(route, **content)
            return posted


def build_changed_body(reply: Reply, request: DiscordRequest) -> Json:
    """The body of a message that is changed to how it reads now."""
    body = _make_public(render_message(reply, request).body, but=QUIET)
    # what it said in the older layout goes
    return body | {"content": None, "embeds": []} if reply.boxed else body


def _make_public(body: Mapping[str, Any], but: int = 0) -> dict[str, Any]:
    """The body of a message for all to see, without the flag that would hide it (nor those of
    `but`).
    """
    flags = int(body.get("flags") or 0) & ~EPHEMERAL & ~but
    return {key: value for key, value in body.items() if key != "flags"} | (
        {"flags": flags} if flags else {}
    )


_SAID = ("content", "title", "description", "text", "name", "value")


def _extract_text(message: Mapping[str, Any]) -> str:
    """What a message says, wherever it says so, without the remark that it comes late."""
    found: list[str] = []

    def collect_texts(part: Any) -> None:
        if isinstance(part, Mapping):
            found.extend(part[key] for key in _SAID if isinstance(part.get(key), str))
            for key in ("embeds", "fields", "footer", "components", "accessory"):
                collect_texts(part.get(key))
        elif isinstance(part, list):
            for one in part:
                collect_texts(one)

    collect_texts(message)
    return " ".join(_remove_late_note(" ".join(found)).split())


def _remove_late_note(said: str) -> str:
    return said.replace(PERHAPS, "", 1).replace(LATE, "", 1)
