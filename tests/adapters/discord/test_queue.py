"""What the bot posts by itself comes in order in each channel, and waits once where Discord asks to."""

from __future__ import annotations

import asyncio

import discord
import pytest

from adapters.discord.channel_posts import Posting
from adapters.discord.serve import use_api
from bot.interface.reply.reply import Reply
from tests.standins.discord import DiscordStandIn


async def test_posts_of_one_channel_come_in_order_and_are_refused_no_more_than_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with DiscordStandIn.running(messages_per_channel=(3, 0.6)) as standin:
        route, gateway = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
        monkeypatch.setattr(discord.http.Route, "BASE", route)
        monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", gateway)
        use_api(standin.url)
        client = discord.Client(intents=discord.Intents.none())
        await client.login(standin.token)
        try:
            tables = standin.channel("table"), standin.channel("elsewhere")
            posting = Posting(client.http)
            stories = [posting.say(table.id, Reply(f"Story {n}")) for n in range(9) for table in tables]
            await asyncio.gather(*stories)
        finally:
            await client.close()
        for table in tables:
            assert [one.content.strip("*") for one in table.messages] == [f"Story {n}" for n in range(9)]
        refused = [call for call in standin.site.calls if call.status == 429]
        assert refused == [], "the first answer says how many there may be"
