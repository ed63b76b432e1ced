"""Servers: the welcome on a new one, and those that the bot was removed from, or added to again, while nobody was there
to hear of it."""

from __future__ import annotations

import logging

import discord

from adapters.discord.channel_posts import Posting
from bot.app import App
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

PREFIX = "discord:"


async def settle_servers(app: App, client: discord.AutoShardedClient) -> None:
    """Tell the store which servers have the bot again, and which, as Discord confirms, have not.

    A server that is unavailable is an outage: it is among those of the gateway and stays as it is.
    """
    try:
        await _settle(app, client)
    except UserError as error:
        log.error("could not save which servers have the bot: %s", error.message)


async def _settle(app: App, client: discord.AutoShardedClient) -> None:
    present = {guild.id for guild in client.guilds}
    for number in present:
        await app.server_joined(f"{PREFIX}{number}")
    for server in await app.servers(PREFIX):
        text = server.removeprefix(PREFIX)
        if (
            text.isdecimal()
            and int(text) not in present
            and _is_ours(client, int(text))
            and await _is_gone(client, int(text))
        ):
            log.info("the bot was removed from server %s while it was away", text)
            await app.server_left(server)


def _is_ours(client: discord.AutoShardedClient, server: int) -> bool:
    """Whether its events would come to this process."""
    count = client.shard_count or 1
    return (server >> 22) % count in (client.shard_ids or range(count))


async def _is_gone(client: discord.AutoShardedClient, server: int) -> bool:
    try:
        await client.http.get_guild(server, with_counts=False)
    except (discord.NotFound, discord.Forbidden):
        return True
    except (discord.HTTPException, OSError) as error:
        log.warning("whether server %s still has the bot is not known: %s", server, error)
    return False


WELCOMED = "welcomed"
WHO = "Anyone who can post here can play."


async def greet(app: App, posting: Posting, guild: discord.Guild) -> None:
    """Post the welcome, unless this server had it before or lets the bot write nowhere."""
    notes, channel = app.notes("discord"), _first(guild)
    try:
        if channel is None or await notes.get(WELCOMED, str(guild.id)) is not None:
            return
        await notes.put(WELCOMED, str(guild.id), {})
        await posting.say(channel.id, await app.welcome(f"discord:{guild.id}", WHO))
    except (UserError, discord.HTTPException, OSError) as error:
        log.warning("no welcome on server %s: %s", guild.id, error)


def _first(guild: discord.Guild) -> discord.TextChannel | None:
    """The server's own channel for newcomers, else the topmost, of those where the bot may write."""
    listed = sorted(guild.text_channels, key=lambda channel: (channel != guild.system_channel, channel.position))
    return next((channel for channel in listed if _may_write(channel.permissions_for(guild.me))), None)


def _may_write(may: discord.Permissions) -> bool:
    return may.view_channel and may.send_messages and may.embed_links
