"""What `grognard doctor` finds out about Discord."""

from __future__ import annotations

import pytest

from adapters.discord.doctor import _check_application, check
from adapters.discord.permissions import build_invite_url
from bot.runtime.settings import Settings
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
        assert build_invite_url(str(discord.world.bot.id)) in found[-1][1]
        (own,) = (line for _, line in found if "own account" in line)
        assert own.endswith("scope=applications.commands&integration_type=1")
        discord.stranger("Anna").install()
        assert any(
            "(1 have)" in line for _, line in await check(Settings(discord_token=discord.token))
        )
        discord.world.user_install = False
        notes = [
            line
            for kind, line in await check(Settings(discord_token=discord.token))
            if kind == "note"
        ]
        assert any("tick User Install" in line for line in notes)
        discord.guild.members[discord.world.bot.id] &= ~(1 << 14)
        discord.guild.everyone &= ~(1 << 14)
        faults = [
            line
            for kind, line in await check(Settings(discord_token=discord.token))
            if kind == "fault"
        ]
        assert faults == ["Discord: on Wargamers the bot lacks Embed Links"]
        [(kind, line)] = await check(Settings(discord_token="wrong"))
        assert kind == "fault"
        assert "DISCORD_TOKEN" in line


async def test_no_network_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_API", "http://127.0.0.1:9/api/v10")
    [(kind, line)] = await check(Settings(discord_token="token"))
    assert kind == "fault"
    assert "cannot be reached" in line


KEY = "ab" * 32


@pytest.mark.parametrize(
    ("address", "of_application", "key", "fault"),
    [
        ("https://bot.example.org/discord/interactions", KEY, KEY.upper(), ""),
        (
            "https://bot.example.org/discord/interactions",
            KEY,
            "",
            "unless other processes with DISCORD_PUBLIC_KEY listen",
        ),
        (None, KEY, KEY, "has no address to send commands to"),
        (
            "https://bot.example.org/discord/interactions",
            "cd" * 32,
            KEY,
            "is not this application's",
        ),
    ],
)
def test_interactions_by_http_need_an_address_and_the_right_key(
    address: str | None, of_application: str, key: str, fault: str
) -> None:
    application = {
        "name": "Grognard",
        "interactions_endpoint_url": address,
        "verify_key": of_application,
    }
    [(kind, line)] = _check_application(application, key)
    assert (kind, fault in line) == ("fault" if fault else "ok", True)
