"""More than can be worked on: what is over the limit is answered at once and privately, and
nothing of it runs.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adapters.discord import serve as module
from adapters.discord.calls import DiscordApi
from adapters.discord.incoming import DiscordServices
from adapters.discord.request import AUTOCOMPLETE, COMMAND, DiscordRequest
from adapters.discord.serve import Grognard
from bot.runtime.settings import Settings
from bot.ui.reply.reply import Reply
from tests.fresh import fresh_app


class Delivery:
    """Takes answers instead of Discord, and holds each until it is let go."""

    def __init__(self) -> None:
        self.said: list[Reply] = []
        self.gone = asyncio.Event()

    async def respond_with(self, _: DiscordRequest, reply: Reply) -> None:
        self.said.append(reply)
        await self.gone.wait()


async def test_beyond_the_limit_a_person_is_told_so_and_far_beyond_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "AT_WORK", 3)
    monkeypatch.setattr(
        module, "read_payload", lambda event: DiscordRequest(event["id"], "t", 1, event["kind"], 5)
    )
    bot = Grognard(await fresh_app(), Settings())
    delivery: Any = Delivery()
    bot.services = DiscordServices(bot.app, DiscordApi(delivery), delivery, bot)
    run: list[int] = []

    async def handle(request: DiscordRequest, _: Any) -> None:
        run.append(request.id)
        await delivery.gone.wait()

    monkeypatch.setattr(bot, "_handle", handle)

    async def come(id: int, kind: int = COMMAND) -> None:
        bot.receive_gateway_event({"id": id, "kind": kind})
        await asyncio.sleep(0)

    await come(100, AUTOCOMPLETE)
    for number in range(10):
        await come(number)
    assert run == [100, 0, 1]
    assert len(delivery.said) == 3, "and five were left alone"
    assert delivery.said[0].private
    assert "busy" in delivery.said[0].title
    assert "Nothing was rolled" in delivery.said[0].title
    delivery.gone.set()
    for _ in range(100):
        await asyncio.sleep(0)
    await come(11)
    assert run[-1] == 11
