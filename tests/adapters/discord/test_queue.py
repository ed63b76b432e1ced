"""What the bot posts by itself comes in order in each channel, and waits once where Discord asks
to.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
import pytest

from adapters.discord.calls import BROKEN
from adapters.discord.channel_posts import Posting
from adapters.discord.request import build_unasked_request
from adapters.discord.serve import use_api
from bot.commands.dispatch import load_shared_registry
from bot.ui.reply.reply import Reply
from tests.standins.discord import DiscordStandIn


@asynccontextmanager
async def posting_to(
    standin: DiscordStandIn, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Posting]:
    """What posts with the bot's own token."""
    route, gateway = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    monkeypatch.setattr(discord.http.Route, "BASE", route)
    monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", gateway)
    use_api(standin.url)
    client = discord.Client(intents=discord.Intents.none())
    await client.login(standin.token)
    try:
        yield Posting(client.http, lambda _: load_shared_registry())
    finally:
        await client.close()


async def test_posts_of_one_channel_come_in_order_and_are_refused_no_more_than_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with DiscordStandIn.running(messages_per_channel=(3, 0.3)) as standin:
        tables = standin.channel("table"), standin.channel("elsewhere")
        async with posting_to(standin, monkeypatch) as posting:
            stories = [
                posting.post_unasked(table.id, Reply(f"Story {n}"))
                for n in range(9)
                for table in tables
            ]
            await asyncio.gather(*stories)
        for table in tables:
            assert [one.content.strip("*") for one in table.messages] == [
                f"Story {n}" for n in range(9)
            ]
        refused = [call for call in standin.site.calls if call.status == 429]
        assert refused == [], "the first answer says how many there may be"


@pytest.mark.parametrize("boxed", [True, False])
async def test_a_board_whose_post_broke_is_there_once_though_it_has_no_number(
    monkeypatch: pytest.MonkeyPatch, boxed: bool
) -> None:
    """By its words it may be another's, so that it is marked; Discord knows it all the same, by
    its nonce.
    """
    reply = Reply("Turn 2, Rally: both sides", ("Ready: Squad 1",), boxed=boxed)
    async with DiscordStandIn.running() as standin, posting_to(standin, monkeypatch) as posting:
        table = standin.channel("table")
        old, new = (
            build_unasked_request(f"discord:0/{table.id}", row, lambda *_: 0) for row in (1, 2)
        )
        before = await posting.post_late(reply, old)
        standin.lose_answer(f"POST .*/channels/{table.id}/messages")
        with pytest.raises(BROKEN):
            await posting.post_late(reply, new)
        again = await posting.post_late(reply, new, time.time())
        assert before is not None
        assert again is not None
        assert [str(one.id) for one in table.messages] == [before["id"], again["id"]]
