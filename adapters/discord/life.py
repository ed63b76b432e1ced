"""From start to stop: the token checked, signals heard, what runs finished."""

from __future__ import annotations

import asyncio
import logging
import signal

import discord

from adapters.discord.sync import Commands
from bot.logs import set_up_logging
from bot.rules.errors import UserError
from bot.settings import Settings

log = logging.getLogger(__name__)


def run(settings: Settings, commands: Commands | None = None) -> int:
    """Run the bot until SIGINT or SIGTERM; the exit status. Raises UserError without a good token."""
    set_up_logging(settings.log_level, settings.secrets)
    try:
        return asyncio.run(serve(settings, commands))
    finally:
        if commands is not None:
            commands.stop()


async def serve(settings: Settings, commands: Commands | None = None) -> int:
    """Connect and serve until a signal comes."""
    from adapters.discord.client import Grognard

    client = Grognard(settings, commands)
    loop = asyncio.get_running_loop()
    running = asyncio.create_task(client.start(settings.discord_token))
    stopping: set[asyncio.Task[None]] = set()

    def stop() -> None:
        if not stopping:
            stopping.add(asyncio.create_task(client.stop()))

    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop)
    try:
        await running
    except discord.LoginFailure:
        raise UserError(
            "Discord does not know this DISCORD_TOKEN.",
            hint="Copy it again: Developer Portal, your application, Bot, Reset Token.",
        ) from None
    finally:
        for task in stopping:
            await task
        await client.close()
    return 0
