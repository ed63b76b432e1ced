"""Helpers of tests/adapters/discord/test_http.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from adapters.discord.http import PATH
from tests.adapters.discord.process import Bot
from tests.ports import free_port
from tests.standins.discord import DiscordStandIn


async def worker(
    stack: AsyncExitStack, discord: DiscordStandIn, data: Path, **settings: str
) -> str:
    """A process that takes interactions by HTTP; its address."""
    bot = await started(stack, discord, data, **settings)
    return f"http://127.0.0.1:{bot.environment['DISCORD_PORT']}{PATH}"


async def started(
    stack: AsyncExitStack, discord: DiscordStandIn, data: Path, **settings: str
) -> Bot:
    """The same; the process."""
    keys = {
        "DISCORD_PUBLIC_KEY": discord.world.signing.public_key,
        "DISCORD_PORT": str(free_port()),
    }
    bot = Bot(discord, data, **keys, **settings)
    await bot.start(ready=False)
    stack.push_async_callback(bot.stop)
    await discord.until(lambda: "listening on" in bot.log)
    assert f"port {bot.environment['DISCORD_PORT']}, path {PATH}" in bot.log, bot.log
    await discord.until(lambda: bool(discord.commands.all()))
    return bot


@asynccontextmanager
async def playing(data: Path, count: int = 1) -> AsyncIterator[tuple[DiscordStandIn, list[str]]]:
    """Discord, whose interactions go to so many workers of one database, in turn."""
    async with DiscordStandIn.running() as discord, AsyncExitStack() as stack:
        addresses = [
            await worker(
                stack, discord, data / str(number), DATABASE_URL=f"sqlite:///{data}/games.db"
            )
            for number in range(count)
        ]
        assert await discord.site.webhooks.use(*addresses), (
            "PING gets PONG, and a broken signature 401"
        )
        yield discord, addresses
        assert discord.gateway.identifies == [], "nobody is on the gateway"
        assert discord.site.unknown == []
