"""A bare discord.py client: in a test's own process, or as a program to measure a bot against.

As a program (`python -m tests.standins.discord.bare`) it reads DISCORD_API and DISCORD_TOKEN,
registers /roll, and answers every interaction at once.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import discord

from tests.standins.discord.knobs import pointed_at

Answering = Callable[[discord.Interaction[Any]], Awaitable[None]]
GUILDS = discord.Intents(guilds=True)


@asynccontextmanager
async def bare_client(
    api: str,
    token: str,
    commands: list[dict[str, Any]],
    answer: Answering | None = None,
    client: discord.Client | None = None,
) -> AsyncIterator[discord.Client]:
    """A client that is logged in, has registered `commands`, is ready, and hands interactions to
    `answer`.
    """
    with pointed_at(api):
        made = client or discord.Client(intents=GUILDS, guild_ready_timeout=0.05)
        if answer is not None:

            async def on_interaction(interaction: discord.Interaction[Any]) -> None:
                await answer(interaction)

            made.event(on_interaction)
        made.before_identify_hook = _at_once  # type: ignore[method-assign]
        async with made:
            await made.login(token)
            assert made.application_id is not None
            await made.http.bulk_upsert_global_commands(made.application_id, commands)
            running = asyncio.create_task(made.connect())
            try:
                await _ready(made, running)
                yield made
            finally:
                await made.close()
                await asyncio.gather(running, return_exceptions=True)


async def _at_once(*_: object, **__: object) -> None:
    """No pause between sessions: Discord asks for 5 s, the stand-in does not."""


async def _ready(client: discord.Client, running: asyncio.Task[None]) -> None:
    """Wait until the client is ready, or raise why it stopped."""
    ready = asyncio.create_task(client.wait_until_ready())
    await asyncio.wait([ready, running], timeout=60, return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        ready.cancel()
        running.result()
    assert ready.done()


async def _main() -> None:
    async def answer(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("7")

    option = {"name": "dice", "description": "the dice", "type": 3}
    commands = [{"name": "roll", "description": "roll dice", "options": [option]}]
    async with bare_client(
        os.environ["DISCORD_API"], os.environ["DISCORD_TOKEN"], commands, answer
    ):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main())
