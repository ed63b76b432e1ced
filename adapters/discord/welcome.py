"""The welcome on a new server: once, in the first channel where the bot may write."""

from __future__ import annotations

import logging

import discord

from adapters.discord.channel_posts import Posting
from bot.app import App
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

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
