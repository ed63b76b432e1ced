"""Help on Discord, through the real library: one private message that turns from screen to screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.standins.discord import DiscordStandIn


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin, running(standin, tmp_path):
        yield standin


async def test_help_is_one_message_that_turns(discord: DiscordStandIn) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    first = await (await anna.slash(table, "help")).answer()
    assert first.ephemeral
    assert "Grognard fights tabletop wargames" in str(first.components)
    game = await (await anna.select(first, "A rule set, or any topic", "help:lnlt")).answer()
    assert game.id == first.id
    shot = await (await anna.select(game, "What does one do?", "help:lnlt fire")).answer()
    assert shot.id == first.id
    assert "`/lnlt fire attackers:squad fp=2 sw=3; squad fp=1" in str(shot.components)
    odds = await (await anna.press(shot, "Try it")).answer()
    assert odds.id != first.id
    assert odds.ephemeral
    back = await (await anna.press(shot, "Back")).answer()
    assert back.id == first.id
    assert "**Attacks:** fire, melee" in str(back.components)


async def test_two_dice_from_help_are_rolled_for_all(discord: DiscordStandIn) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    first = await (await anna.slash(table, "help")).answer()
    rolled = await (await anna.press(first, "Roll 2d6")).answer()
    assert not rolled.ephemeral
    assert "2d6" in rolled.content
