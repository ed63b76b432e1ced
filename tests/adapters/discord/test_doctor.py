"""What `grognard doctor` finds out about Discord."""

from __future__ import annotations

import pytest

from adapters.discord.doctor import check, invite
from bot.settings import Settings
from tests.standins.discord import DiscordStandIn


async def test_no_token_is_a_note() -> None:
    [(kind, line)] = await check(Settings())
    assert kind == "note"
    assert "DISCORD_TOKEN" in line


async def test_what_is_right_and_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async with DiscordStandIn.running() as discord:
        monkeypatch.setenv("DISCORD_API", discord.url)
        found = await check(Settings(discord_token=discord.token))
        assert {kind for kind, _ in found} == {"ok", "note"}
        assert invite(str(discord.world.bot.id)) in found[-1][1]
        discord.guild.members[discord.world.bot.id] &= ~(1 << 14)
        discord.guild.everyone &= ~(1 << 14)
        faults = [line for kind, line in await check(Settings(discord_token=discord.token)) if kind == "fault"]
        assert faults == ["Discord: on Wargamers the bot lacks Embed Links"]
        [(kind, line)] = await check(Settings(discord_token="wrong"))
        assert kind == "fault"
        assert "DISCORD_TOKEN" in line


async def test_no_network_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_API", "http://127.0.0.1:9/api/v10")
    [(kind, line)] = await check(Settings(discord_token="token"))
    assert kind == "fault"
    assert "cannot be reached" in line
