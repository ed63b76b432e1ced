"""What a host sees: one platform's trouble is its own, and data taken away ends the bot with a
clear line.
"""

# ruff: noqa: ASYNC240
from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adapters import run as running
from bot.app import App
from bot.rules.errors import UserError
from bot.runtime.settings import Settings
from tests.adapters import unaware
from tests.adapters.discord.process import Bot
from tests.refusing import refuses
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(1)


async def test_a_platform_that_breaks_is_begun_again_and_the_other_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "WAITS", (0.0,))
    begun: list[str] = []

    async def breaks(_: App) -> None:
        begun.append("discord")
        if len(begun) > 3:
            raise UserError("Discord does not know this DISCORD_TOKEN.", code="token-refused")
        if len(begun) > 1:
            raise KeyError("custom_id")

    async def goes_on(_: App) -> None:
        begun.insert(0, "slack")
        await asyncio.Event().wait()

    settings = Settings(data=tmp_path, database=tmp_path / "games.db")
    with refuses("token-refused DISCORD_TOKEN"):
        await running._run_until_signal(settings, [breaks, goes_on])
    assert begun.count("slack") == 1
    assert begun.count("discord") >= 3


async def test_a_database_deleted_under_the_bot_ends_it_and_no_roll_that_was_answered_is_lost(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord:
        bot = Bot(discord, tmp_path)
        bot.module = unaware.__name__
        await bot.start()
        try:
            anna, table = discord.user("Anna"), discord.channel("table")
            shown = [await (await anna.slash(table, "roll", dice="2d6")).answer() for _ in range(3)]
            assert all("2d6" in message.text for message in shown)
            (tmp_path / "grognard.db").unlink()
            refused = [
                await (await anna.slash(table, "roll", dice="2d6")).answer() for _ in range(2)
            ]
            (tmp_path / unaware.LET).touch()
            assert all(message.ephemeral for message in refused)
            assert all("None of it was saved" in message.text for message in refused)
            assert all(str(tmp_path) not in message.text for message in refused)
            assert await asyncio.wait_for(bot.process.wait(), 60) == 1
            assert "was deleted, moved or replaced" in bot.log
            rescued = next(tmp_path.glob("grognard.db.rescued-*"))
            rescued.replace(tmp_path / "grognard.db")
            await bot.start()
            again = await (await anna.slash(table, "roll", dice="2d6")).answer()
            assert "#5" in again.text
            assert await bot.stop() == 0
        finally:
            if bot.process.returncode is None:
                bot.process.kill()
                await bot.process.wait()
            print(bot.log)


async def test_a_gateway_event_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord:
        bot = Bot(discord, tmp_path)
        await bot.start()
        try:
            anna, table = discord.user("Anna"), discord.channel("table")
            first = await (await anna.slash(table, "roll", dice="2d6")).answer()
            bents: list[Any] = [{}, {"id": "1"}, {"type": 3, "id": "x"}, [], None]
            bents.append({"id": "1", "type": 3, "token": "t", "application_id": "1", "data": {}})
            for bent in bents:
                for event in ("INTERACTION_CREATE", "GUILD_CREATE", "CHANNEL_UPDATE"):
                    discord.gateway.dispatch(None, event, bent)
            assert not first.ephemeral
            assert "2d6" in (await (await anna.slash(table, "roll", dice="2d6")).answer()).text
            assert bot.process.returncode is None
            assert "Traceback" not in bot.log
            assert bot.log.count("could not be read and is passed over") < 10, (
                "each kind once a minute"
            )
            assert await bot.stop() == 0
        finally:
            if bot.process.returncode is None:
                bot.process.kill()
                await bot.process.wait()
            print(bot.log)
