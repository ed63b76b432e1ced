"""A bare discord.py client, driven through the stand-in: what Discord does, and what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest

from tests.standins.discord import DiscordStandIn, pointed_at

Answering = Callable[[discord.Interaction[Any]], Awaitable[None]]
STRING, INTEGER, BOOLEAN, ATTACHMENT = 3, 4, 5, 11


def option(name: str, kind: int = STRING, **more: Any) -> dict[str, Any]:
    """One option of a command."""
    return {"name": name, "description": f"the {name}", "type": kind, **more}


def command(name: str, *options: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One command."""
    return {"name": name, "description": f"the {name} command", "options": list(options), **more}


def sub(name: str, *options: dict[str, Any], kind: int = 1) -> dict[str, Any]:
    """A subcommand, or with kind=2 a group."""
    return {"name": name, "description": f"the {name}", "type": kind, "options": list(options)}


COMMANDS = [
    command(
        "roll", option("dice", required=True, autocomplete=True), option("times", INTEGER, min_value=1, max_value=9)
    ),
    command("lnlt", sub("fire", option("attackers"), option("odds", BOOLEAN), option("fire-power", INTEGER))),
    command("tables", sub("unit", sub("show", option("name")), kind=2), sub("list")),
    command("import", option("file", ATTACHMENT)),
    command("setup", default_member_permissions="32", contexts=[0]),
]


@asynccontextmanager
async def bot(
    standin: DiscordStandIn, answer: Answering | None = None, client: discord.Client | None = None
) -> AsyncIterator[discord.Client]:
    """A client in this process, logged in, with COMMANDS registered; `answer` handles interactions."""
    with pointed_at(standin.url):
        made = client or discord.Client(
            intents=discord.Intents.none() | discord.Intents(guilds=True), guild_ready_timeout=0.1
        )
        if answer is not None:

            async def on_interaction(interaction: discord.Interaction[Any]) -> None:
                await answer(interaction)

            made.event(on_interaction)
        async with made:
            await made.login(standin.token)
            assert made.application_id is not None
            await made.http.bulk_upsert_global_commands(made.application_id, COMMANDS)
            running = asyncio.create_task(made.connect())
            try:
                await made_ready(made, running)
                yield made
            finally:
                await made.close()
                await asyncio.gather(running, return_exceptions=True)


async def made_ready(client: discord.Client, running: asyncio.Task[None]) -> None:
    """Wait until the client is ready, or raise why it stopped."""
    ready = asyncio.create_task(client.wait_until_ready())
    await asyncio.wait([ready, running], timeout=10, return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        ready.cancel()
        running.result()
    assert ready.done()


@pytest.fixture
async def standin() -> AsyncIterator[DiscordStandIn]:
    """A stand-in with one server."""
    async with DiscordStandIn.running() as running:
        yield running


async def echo(interaction: discord.Interaction[Any]) -> None:
    """Answer with the command's name."""
    assert interaction.data is not None
    await interaction.response.send_message(f"you said {interaction.data['name']}")  # type: ignore[typeddict-item]


async def test_login_ready_slash_and_answer(standin: DiscordStandIn) -> None:
    standin.add_guild("Second")
    table = standin.channel("table")
    async with bot(standin, echo) as client:
        assert {guild.name for guild in client.guilds} == {"Wargamers", "Second"}
        assert client.get_channel(table.id) is not None
        asked = await standin.user("Anna").slash(table, "roll", dice="2d6")
        assert asked.receipt is not None
        assert asked.receipt < 1
        answer = await asked.answer()
        assert answer.text == "you said roll"
        assert answer in standin.user("Ben").sees(table)
    assert standin.site.unknown == []
