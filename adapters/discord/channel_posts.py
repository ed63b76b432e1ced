"""Normal messages in a channel or to one person, sent with the bot's own token.

They serve answers after their interaction's token has died, and messages that nobody asked for.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping
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
from bot.ui.registry import Registry
from bot.ui.reply.reply import PINNED, UNPINNED, Reply

log = logging.getLogger(__name__)

ARCHIVED = 50083
"""Discord's code for a thread that is archived and cannot be opened by writing in it."""
MARGIN, MOST = 600.0, 100
"""Seconds by which the database's clock and Discord's may differ; maximum number of messages that
Discord lists at once.
"""
LOADING = 1 << 7
"""The flag of a message that still says "thinking"."""

TOO_MANY_PINS = "This channel has as many pins as Discord allows."
_TOO_MANY = 30003
"""Discord's code for too many pins."""


class Posting:
    """Posts messages with the bot's own token, one after the other in each channel.

    The same answer sent twice appears once: Discord recognizes it by its nonce.
    """

    def __init__(
        self, http: discord.http.HTTPClient, get_commands: Callable[[str], Registry]
    ) -> None:
        """`get_commands` returns the commands that a server (by its key) had the last time."""
        self._http = http
        self._queues = Queues()
        self._get_commands = get_commands

    def render(
        self, reply: Reply, request: DiscordRequest, *, late: bool | str = False
    ) -> DiscordMessage:
        """Render a reply with its commands as the server of the request has them. See
        render_message.
        """
        commands = self._get_commands(request.where.server)
        return render_message(reply, request, commands, late=late)

    def build_changed_body(self, reply: Reply, request: DiscordRequest) -> Json:
        """Build the body that changes a message to `reply`.

        A boxed reply also clears what the message said in Discord's older layout.
        """
        body = _make_public(self.render(reply, request).body, without_flags=QUIET)
        if reply.boxed:
            return body | {"content": None, "embeds": []}
        return body

    async def change_message(self, reply: Reply, spot: Mapping[str, Any]) -> Json:
        """Change our message at `spot` to `reply` and return it. Its files stay.

        Raises discord.HTTPException or one of BROKEN.
        """
        allowed = 0 if spot.get("bare") else EMBED_LINKS
        request = DiscordRequest(0, "", 0, 0, int(spot["channel"]), guild=1, allowed=allowed)
        body = self.build_changed_body(replace(reply, files=()), request)
        path = "/channels/{channel_id}/messages/{message_id}"
        message = int(spot["message"])
        route = Route("PATCH", path, channel_id=request.channel, message_id=message)
        answer: Json = await self._http.request(route, json=body)
        return answer

    async def pin_or_unpin(self, reply: Reply, spot: Mapping[str, Any]) -> Reply | None:
        """Pin or unpin the message at `spot` as its reply says.

        Return an explanation for the user if Discord refuses to pin it, else None. The same
        explanation is returned once for each channel. Any failure is logged.
        """
        if reply.pin not in (PINNED, UNPINNED) or not spot.get("message"):
            return None
        http = self._http
        channel = int(spot["channel"])
        message = int(spot["message"])
        pin_or_unpin = http.pin_message if reply.pin == PINNED else http.unpin_message
        try:
            await pin_or_unpin(channel, message)
        except discord.HTTPException as error:
            log.info("a message in channel %s could not be pinned or unpinned: %s", channel, error)
            if reply.pin == PINNED:
                if error.code == _TOO_MANY:
                    return explain_not_pinned(TOO_MANY_PINS, channel)
                if isinstance(error, discord.Forbidden):
                    return explain_not_pinned(MAY_NOT_PIN, channel)
        except BROKEN as error:
            log.info("could not pin or unpin a message: %s", error)
        return None

    async def delete(self, spot: Mapping[str, Any]) -> bool:
        """Delete our message at `spot`. Return False if Discord does not let us.

        Raises discord.HTTPException or one of BROKEN if it may succeed later.
        """
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
        """Post an answer whose token is dead: a public one in the channel, a private one as a
        direct message. An answer that replaces the pressed message changes that instead, and one
        that the channel does not take goes to the user as a direct message, with the reason.

        If an earlier attempt may have posted it after `since` (Unix seconds), look for it first;
        if that is not conclusive, the answer says that it may have been shown before. Return the
        message, or None if the user takes no direct messages. Raises discord.HTTPException or one
        of BROKEN if it may succeed later.
        """
        try:
            if reply.in_place and request.message:
                changed = await self._change_pressed_message(reply, request)
                if changed:
                    return changed
            reply = reply.standalone
            if not reply.private and request.channel:
                message = self.render(reply, request, late=bool(request.token))
                posted, is_sure = await self._find_posted(reply, request, message, since)
                if posted is not None:
                    return posted
                if not is_sure:
                    message = self.render(reply, request, late=PERHAPS)
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
        """Change the message with the pressed button to the answer and return it.

        Return None if it is gone or may not be changed.
        """
        try:
            return await self.change_message(reply, request.build_spot(request.message))
        except (discord.Forbidden, discord.NotFound):
            return None

    async def _find_posted(
        self, reply: Reply, request: DiscordRequest, message: DiscordMessage, since: float
    ) -> tuple[Json | None, bool]:
        """Find an answer that was posted although we got no confirmation.

        Return the message, or None, and whether that is certain: (None, True) means that it counts
        as not posted. The message is recognized by its interaction; a numbered answer also by its
        text, if it may have been posted after `since`.
        """
        if not (request.token or since):
            return None, True
        posted_messages = await self._list_messages_since(request, since)
        if posted_messages is None:  # the bot may write in the channel, but not read it
            return None, not since
        ready_messages = [
            posted for posted in posted_messages if not int(posted.get("flags") or 0) & LOADING
        ]
        if request.token:
            answer = _find_by_interaction(ready_messages, request.id)
            if answer is not None:
                return answer, True
        if not since:
            return None, True
        identical = _list_identical(ready_messages, message)
        if identical and reply.footer and reply.footer[0].startswith("#"):
            return identical[0], True
        has_seen_all = len(posted_messages) < MOST
        return None, has_seen_all and not identical

    async def _list_messages_since(
        self, request: DiscordRequest, since: float
    ) -> list[Json] | None:
        """List at most MOST messages of the request's channel: those after the interaction, or
        without a token those after `since` (Unix seconds).

        Return None if the bot may not read the channel.
        """
        if request.token:
            after_id = request.id
        else:
            earliest = datetime.fromtimestamp(since - MARGIN, UTC)
            after_id = discord.utils.time_snowflake(earliest)
        route = Route("GET", "/channels/{channel_id}/messages", channel_id=request.channel)
        params = {"after": str(after_id), "limit": str(MOST)}
        try:
            messages: list[Json] = await self._http.request(route, params=params)
        except (discord.Forbidden, discord.NotFound):
            return None
        return messages

    async def announce(self, reply: Reply, request: DiscordRequest, wire: DiscordApi) -> Json:
        """Post what everybody may know of a private answer and return the message.

        If the bot may not post in the channel, the interaction's token is used. Raises
        discord.HTTPException, one of BROKEN, DiscordRefused or Unsure.
        """
        message = self.render(reply, request)
        try:
            return await self._post(request.channel, message, request)
        except (discord.Forbidden, discord.NotFound):
            return await wire.follow_up(request, message)

    async def post_unasked(self, channel: int, reply: Reply) -> None:
        """Post a message that nobody asked for. Raises discord.HTTPException or one of BROKEN."""
        request = DiscordRequest(0, "", 0, 0, channel, guild=1, allowed=EMBED_LINKS)
        await self._post(channel, self.render(reply, request), request)

    async def _send_direct_message(self, reply: Reply, request: DiscordRequest) -> Json | None:
        """Send a reply to the user of a request alone and return the message.

        Return None if there is no user or they take no direct messages.
        """
        if not request.user:
            return None
        try:
            conversation = await self._http.start_private_message(request.user)
            direct_request = replace(request, guild=0, channel=int(conversation["id"]))
            message = self.render(
                replace(reply, private=False), direct_request, late=bool(request.channel)
            )
            return await self._post(direct_request.channel, message, direct_request)
        except (discord.Forbidden, discord.NotFound):
            log.warning(
                "user %s takes no direct messages; an answer stays in the log only", request.user
            )
            return None

    async def _post(self, channel: int, message: DiscordMessage, request: DiscordRequest) -> Json:
        """Post a message for everybody and return it. Messages of one channel wait for each other.

        The nonce is made of the request and the text, so that Discord drops a repetition.
        """
        body = _make_public(message.body)
        # with or without the note that it is late, it is the same message
        text = _remove_late_note(str(body.get("content") or body.get("components")))[:200]
        digest = hashlib.sha256(f"{request.request_id}/{text}".encode()).hexdigest()
        body |= {"nonce": digest[:24], "enforce_nonce": True}
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
        content: Json = {"json": body}
        if message.files:
            content = {"form": build_form_fields(body, message.files)}
        # if Discord asks to wait, all messages of the channel wait
        async with self._queues.wait_for_turn(str(channel)):
            posted: Json = await self._http.request(route, **content)
            return posted


def _find_by_interaction(messages: list[Json], interaction_id: int) -> Json | None:
    """Return the first message that answers the interaction, or None."""
    for message in messages:
        interaction = message.get("interaction_metadata") or {}
        if str(interaction.get("id")) == str(interaction_id):
            return message
    return None


def _list_identical(messages: list[Json], message: DiscordMessage) -> list[Json]:
    """Return the messages by bots that have the same text as `message`; the notes that an answer is
    late do not count.
    """
    text = _extract_text(message.body)
    from_bots = [posted for posted in messages if posted["author"].get("bot")]
    return [posted for posted in from_bots if _extract_text(posted) == text]


def _make_public(body: Mapping[str, Any], without_flags: int = 0) -> Json:
    """Copy the body of a message without the flag that hides it, and without the bits of
    `without_flags`.
    """
    flags = int(body.get("flags") or 0) & ~EPHEMERAL & ~without_flags
    public_body = {key: value for key, value in body.items() if key != "flags"}
    if flags:
        public_body["flags"] = flags
    return public_body


_SAID = ("content", "title", "description", "text", "name", "value")
"""Keys of a message and its parts that hold text."""


def _extract_text(message: Mapping[str, Any]) -> str:
    """Return the whole text of a message in one line, without the note that it is late."""
    texts: list[str] = []

    def collect_texts(part: Any) -> None:
        if isinstance(part, Mapping):
            texts.extend(part[key] for key in _SAID if isinstance(part.get(key), str))
            for key in ("embeds", "fields", "footer", "components", "accessory"):
                collect_texts(part.get(key))
        elif isinstance(part, list):
            for child in part:
                collect_texts(child)

    collect_texts(message)
    return " ".join(_remove_late_note(" ".join(texts)).split())


def _remove_late_note(text: str) -> str:
    return text.replace(PERHAPS, "", 1).replace(LATE, "", 1)
