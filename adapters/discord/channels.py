"""Channels and servers: channel options, membership, the servers that have the bot, and the welcome
on a new one.

A channel option is accepted only as Discord resolved it for the user, and only if the bot may use
the channel too. The id alone proves nothing, because a user with a client of their own may send any
id.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import discord
from discord.http import HTTPClient

from adapters.discord.calls import BROKEN
from adapters.discord.channel_posts import Posting
from adapters.discord.request import (
    ADMINISTRATOR,
    CREATE_THREADS,
    PLATFORM,
    SEND_IN_THREADS,
    SEND_MESSAGES,
    THREADS,
    VIEW_CHANNEL,
    DiscordRequest,
    Json,
)
from bot.app import App
from bot.commands.games.link import remind_linked_channels
from bot.preferences.adapter_notes import Notes
from bot.rules.errors import UserError
from bot.rules.text.plain import clean_name
from bot.runtime.logs import log_failure
from bot.ui.spec import Place

_TEXT = (0, 2, 5, 13)
"""Discord's types of channels with messages: text, voice, announcement and stage."""
UNKNOWN, UNKNOWN_MEMBER = "unknown-channel", 10007


async def confirm_channels(
    client: discord.Client, request: DiscordRequest, channels: Any
) -> dict[str, Place]:
    """Return the place of each channel option, by the option's name.

    `channels` are the options as Discord resolved them for the user, or None. Raises UserError if
    the user or the bot may not see a channel and write in it.
    """
    places = {}
    for name, channel in (channels or {}).items():
        if not request.guild or not _is_open_to_user(channel, request.guild):
            raise UserError(
                "You cannot post in that channel, or it is on another server.",
                option=name,
                code=UNKNOWN,
            )
        await _need_bot_there(client, request, channel, name)
        channel_name = clean_name(str(channel.get("name") or ""))
        in_channel = replace(request, channel=int(channel["id"]), channel_name=channel_name)
        places[name] = in_channel.where
    return places


def _is_open_to_user(channel: Mapping[str, Any], guild: int) -> bool:
    """Return whether a channel that Discord resolved for a user is one of the server `guild` in
    which they may read and write messages.
    """
    kind = channel.get("type")
    bits = int(channel.get("permissions") or 0)
    if kind not in (*_TEXT, *THREADS) or str(channel.get("guild_id") or guild) != str(guild):
        return False
    return _may_write(bits, is_thread=kind in THREADS)


def _may_write(bits: int, *, is_thread: bool) -> bool:
    """Return whether permission bits allow to see a channel or thread and to write in it."""
    write = SEND_IN_THREADS if is_thread else SEND_MESSAGES
    needed = VIEW_CHANNEL | write
    return bool(bits & ADMINISTRATOR) or not needed & ~bits


async def _need_bot_there(
    client: discord.Client, request: DiscordRequest, channel: Mapping[str, Any], option: str
) -> None:
    """Raise UserError unless the channel is on the request's server, and the bot sees it and may
    write in it; also if Discord cannot be asked. `option` is the option that named it.
    """
    number = int(channel["id"])
    hint = 'Give it "View Channel" and "Send Messages" there.'
    refusal = UserError(
        "The bot cannot see that channel or post in it.", hint=hint, option=option, code=UNKNOWN
    )
    try:
        bot_channel = await client.http.get_channel(number)
    except (discord.Forbidden, discord.NotFound):
        raise refusal from None
    except (discord.HTTPException, *BROKEN):
        sentence = "Discord did not say whether the bot can see that channel."
        raise UserError(
            sentence, hint="Try again.", option=option, code="platform-silent"
        ) from None
    bits = channel.get("app_permissions")  # the bot's permissions, sent without a gateway as well
    if bits is None:
        bits = get_bot_permissions(client, request.guild, number)
    is_on_server = str(bot_channel.get("guild_id")) == str(request.guild)
    may_write = _may_write(int(bits), is_thread=channel.get("type") in THREADS)
    if not is_on_server or not may_write:
        raise refusal


ALL = -1
"""All permission bits, assumed if the bot's own are not known. If one is missing, Discord refuses
the call and the user hears of it.
"""


def get_bot_permissions(client: discord.Client, server: int, channel: int) -> int:
    """Return the bot's permission bits in a channel, or ALL if the gateway has not told us of
    it.
    """
    guild = client.get_guild(server)
    if guild is None or guild.me is None:
        return ALL
    guild_channel = guild.get_channel_or_thread(channel)
    if guild_channel is None:
        return ALL
    return guild_channel.permissions_for(guild.me).value


async def is_member(http: HTTPClient, user: str, place: str) -> bool | None:
    """Return whether a user (`discord:1`) is a member of the server of a place (`discord:55/900`).

    Return None for a place without a server, or if Discord does not say.
    """
    server = place.removeprefix("discord:").partition("/")[0]
    if not server.isdecimal():
        return None
    try:
        await http.get_member(int(server), int(user.removeprefix("discord:")))
    except discord.NotFound as trouble:
        return False if trouble.code == UNKNOWN_MEMBER else None
    except (discord.DiscordException, *BROKEN):
        return None
    return True


THREAD_EXISTS = 160004
"""Discord's code if a message has a thread already."""
WEEK_IN_MINUTES: Literal[10080] = 10080


async def open_thread(client: discord.Client, place: str, spot: Json, title: str) -> str:
    """Make a thread of the message at a spot in a channel (`discord:55/900`), and return its key.

    The thread has the id of the message, so one that is there already is found by that. Return ""
    if the bot may not make it or write in it, or if Discord does not answer.
    """
    server, _, channel = place.removeprefix("discord:").partition("/")
    message = spot.get("message")
    if not (server.isdecimal() and channel.isdecimal() and message):
        return ""
    bits = get_bot_permissions(client, int(server), int(channel))
    needed = CREATE_THREADS | SEND_IN_THREADS
    if needed & ~bits and not bits & ADMINISTRATOR:
        return ""
    try:
        await client.http.start_thread_with_message(
            int(channel), message, name=title, auto_archive_duration=WEEK_IN_MINUTES
        )
    except discord.HTTPException as trouble:
        if trouble.code != THREAD_EXISTS:
            return ""
    except BROKEN:
        return ""
    return f"discord:{server}/{message}"


log = logging.getLogger(__name__)


async def sync_servers(app: App, client: discord.AutoShardedClient) -> None:
    """Save which servers have added the bot again, and which, as Discord confirms, have removed
    it.

    A server with an outage is still among those of the gateway, so nothing changes for it. A
    failure of the store is logged.
    """
    try:
        await _sync_servers(app, client)
    except UserError as error:
        log_failure(log, "could not save which servers have the bot", error)


async def _sync_servers(app: App, client: discord.AutoShardedClient) -> None:
    """Do what `sync_servers` describes, but raise UserError if the store fails."""
    present = {guild.id for guild in client.guilds}
    for number in present:
        await remind_linked_channels(app.store, f"{PLATFORM}{number}")
    stored_servers = {
        *await app.store.list_servers(PLATFORM),
        *await app.store.list_servers_sharing_seeks(PLATFORM),
    }
    for server in sorted(stored_servers):
        text = server.removeprefix(PLATFORM)
        if not text.isdecimal() or int(text) in present:
            continue
        if _is_ours(client, int(text)) and await _is_gone(client, int(text)):
            log.info("the bot was removed from server %s while it was away", text)
            await app.store.mark_server_left(server)


def _is_ours(client: discord.AutoShardedClient, server: int) -> bool:
    """Return whether the events of a server come to a shard of this process."""
    count = client.shard_count or 1
    return (server >> 22) % count in (client.shard_ids or range(count))


async def _is_gone(client: discord.AutoShardedClient, server: int) -> bool:
    """Return whether Discord confirms that the bot is not on the server. A failed call confirms
    nothing.
    """
    try:
        await client.http.get_guild(server, with_counts=False)
    except (discord.NotFound, discord.Forbidden):
        return True
    except (discord.HTTPException, *BROKEN) as error:
        log.warning("whether server %s still has the bot is not known: %s", server, error)
    return False


WELCOMED = "welcomed"
WHO = "Anyone who can post here can join in."


async def post_welcome(app: App, posting: Posting, guild: discord.Guild) -> None:
    """Post the welcome, unless this server had it before or the bot may not write in any channel.

    The server is noted as welcomed before the message is posted. A failure is logged.
    """
    notes = Notes(app.store, "discord")
    channel = _find_welcome_channel(guild)
    try:
        if channel is None or await notes.get(WELCOMED, str(guild.id)) is not None:
            return
        await notes.put(WELCOMED, str(guild.id), {})
        welcome = await app.build_welcome(f"discord:{guild.id}", WHO)
        await posting.post_unasked(channel.id, welcome)
    except (UserError, discord.HTTPException, *BROKEN) as error:
        log.warning("no welcome on server %s: %s", guild.id, error)


def _find_welcome_channel(guild: discord.Guild) -> discord.TextChannel | None:
    """Return the server's channel for newcomers if the bot may write in it, else the topmost one
    that it may write in, else None.
    """
    channels = sorted(
        guild.text_channels, key=lambda channel: (channel != guild.system_channel, channel.position)
    )
    for channel in channels:
        permissions = channel.permissions_for(guild.me)
        if permissions.view_channel and permissions.send_messages and permissions.embed_links:
            return channel
    return None
