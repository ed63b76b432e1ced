"""Channels and servers: what an option names is believed only as far as Discord resolved it for who
asks, and lets the bot in (the id itself says nothing: whoever writes their own client may send
any). The welcome on a new server, and the servers that the bot was removed from, or added to again,
while nobody was there to hear of it."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import discord
from discord.http import HTTPClient

from adapters.discord.calls import BROKEN
from adapters.discord.channel_posts import Posting
from adapters.discord.request import (
    ADMINISTRATOR,
    PLATFORM,
    SEND_IN_THREADS,
    SEND_MESSAGES,
    THREADS,
    VIEW_CHANNEL,
    DiscordRequest,
)
from bot.app import App
from bot.commands.games.link import remind_linked_channels
from bot.preferences.adapter_notes import Notes
from bot.rules.errors import UserError
from bot.rules.text.plain import clean_name
from bot.runtime.logs import log_failure
from bot.ui.spec import Place

_TEXT = (0, 2, 5, 13)
UNKNOWN, UNKNOWN_MEMBER = "unknown-channel", 10007


async def confirm_channels(
    client: discord.Client, request: DiscordRequest, channels: Any
) -> dict[str, Place]:
    """The place behind each channel option; `channels` are as Discord resolved them for who asks.

    Raises UserError where who asks, or the bot, may not see it and write.
    """
    found = {}
    for name, channel in (channels or {}).items():
        if not request.guild or not _is_open_to_asker(channel, request.guild):
            raise UserError(
                "That is not a channel of this server in which you may write.",
                option=name,
                code=UNKNOWN,
            )
        await _need_bot_there(client, request, channel, name)
        there = replace(
            request,
            channel=int(channel["id"]),
            channel_name=clean_name(str(channel.get("name") or "")),
        )
        found[name] = there.where
    return found


def _is_open_to_asker(channel: Mapping[str, Any], guild: int) -> bool:
    """Return whether Discord says, for this person, that they see the channel and write there."""
    kind = channel.get("type")
    bits = int(channel.get("permissions") or 0)
    if kind not in (*_TEXT, *THREADS) or str(channel.get("guild_id") or guild) != str(guild):
        return False
    return _may_write(bits, is_thread=kind in THREADS)


def _may_write(bits: int, *, is_thread: bool) -> bool:
    needed = VIEW_CHANNEL | (SEND_IN_THREADS if is_thread else SEND_MESSAGES)
    return bool(bits & ADMINISTRATOR) or not needed & ~bits


async def _need_bot_there(
    client: discord.Client, request: DiscordRequest, channel: Mapping[str, Any], option: str
) -> None:
    """Raise UserError unless the bot itself sees the channel, on this server, and may write
    there.
    """
    number = int(channel["id"])
    hint = 'Give it "View Channel" and "Send Messages" there.'
    refused = UserError(
        "The bot cannot see that channel or write in it.", hint=hint, option=option, code=UNKNOWN
    )
    try:
        seen = await client.http.get_channel(number)
    except (discord.Forbidden, discord.NotFound):
        raise refused from None
    except (discord.HTTPException, *BROKEN):
        what = "Discord could not be asked about that channel."
        raise UserError(what, hint="Try again.", option=option, code="platform-silent") from None
    bits = channel.get("app_permissions")  # what the bot may do there, also where it has no gateway
    may = int(bits) if bits is not None else get_bot_permissions(client, request.guild, number)
    if str(seen.get("guild_id")) != str(request.guild) or not _may_write(
        may, is_thread=channel.get("type") in THREADS
    ):
        raise refused


ALL = -1
"""All rights, where they are not known: what is refused then is told."""


def get_bot_permissions(client: discord.Client, server: int, channel: int) -> int:
    """What the bot may do in a channel, as the gateway tells; all where it is not in memory."""
    guild = client.get_guild(server)
    there = guild.get_channel_or_thread(channel) if guild is not None else None
    if guild is None or there is None or guild.me is None:
        return ALL
    return there.permissions_for(guild.me).value


async def is_member(http: HTTPClient, user: str, place: str) -> bool | None:
    """Return whether somebody (`discord:1`) is on the server of a place (`discord:55/900`); None:
    Discord does not say.
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


log = logging.getLogger(__name__)


async def sync_servers(app: App, client: discord.AutoShardedClient) -> None:
    """Tell the store which servers have the bot again, and which, as Discord confirms, have not.

    A server that is unavailable is an outage: it is among those of the gateway and stays as it is.
    """
    try:
        await _sync_servers(app, client)
    except UserError as error:
        log_failure(log, "could not save which servers have the bot", error)


async def _sync_servers(app: App, client: discord.AutoShardedClient) -> None:
    present = {guild.id for guild in client.guilds}
    for number in present:
        await remind_linked_channels(app.store, f"{PLATFORM}{number}")
    for server in await app.store.list_servers(PLATFORM):
        text = server.removeprefix(PLATFORM)
        if (
            text.isdecimal()
            and int(text) not in present
            and _is_ours(client, int(text))
            and await _is_gone(client, int(text))
        ):
            log.info("the bot was removed from server %s while it was away", text)
            await app.store.mark_server_left(server)


def _is_ours(client: discord.AutoShardedClient, server: int) -> bool:
    """Return whether its events would come to this process."""
    count = client.shard_count or 1
    return (server >> 22) % count in (client.shard_ids or range(count))


async def _is_gone(client: discord.AutoShardedClient, server: int) -> bool:
    try:
        await client.http.get_guild(server, with_counts=False)
    except (discord.NotFound, discord.Forbidden):
        return True
    except (discord.HTTPException, *BROKEN) as error:
        log.warning("whether server %s still has the bot is not known: %s", server, error)
    return False


WELCOMED = "welcomed"
WHO = "Anyone who can post here can play."


async def post_welcome(app: App, posting: Posting, guild: discord.Guild) -> None:
    """Post the welcome, unless this server had it before or lets the bot write nowhere."""
    notes = Notes(app.store, "discord")
    channel = _find_welcome_channel(guild)
    try:
        if channel is None or await notes.get(WELCOMED, str(guild.id)) is not None:
            return
        await notes.put(WELCOMED, str(guild.id), {})
        await posting.post_unasked(channel.id, await app.build_welcome(f"discord:{guild.id}", WHO))
    except (UserError, discord.HTTPException, *BROKEN) as error:
        log.warning("no welcome on server %s: %s", guild.id, error)


def _find_welcome_channel(guild: discord.Guild) -> discord.TextChannel | None:
    """The server's own channel for newcomers, else the topmost, of those where the bot may
    write.
    """
    listed = sorted(
        guild.text_channels, key=lambda channel: (channel != guild.system_channel, channel.position)
    )
    for channel in listed:
        may = channel.permissions_for(guild.me)
        if may.view_channel and may.send_messages and may.embed_links:
            return channel
    return None
