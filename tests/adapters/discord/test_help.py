"""Help on Discord, through the real library: one private message that turns from screen to
screen.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.standins.discord import Channel, DiscordStandIn, Message

pytestmark = pytest.mark.scenes(1)

COMMITMENT = re.compile(r"commitment ([0-9a-f]{16})")
READY = 2.5
"""Seconds within which the library takes every server for one that it was on before."""


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin, running(standin, tmp_path):
        yield standin


async def test_help_is_one_message_that_turns(discord: DiscordStandIn) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    first = await (await anna.slash(table, "help")).answer()
    assert first.ephemeral
    assert "Grognard runs tabletop battles" in str(first.components)
    game = await (await anna.select(first, "A game, or any topic", "help:lnlt")).answer()
    assert game.id == first.id
    shot = await (await anna.select(game, "What do you want to do?", "help:lnlt fire")).answer()
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


@pytest.mark.slow
async def test_a_server_is_welcomed_once_where_the_bot_may_write(discord: DiscordStandIn) -> None:
    """Its buttons work for everybody: help is a private message of its own, the welcome stays."""
    club = discord.world.add_guild("club")
    hall = discord.channel("hall", club)
    await asyncio.sleep(READY)
    discord.site.announce_guild(club)
    anna = discord.user("Anna", club)
    welcome = await _first_message(hall)
    assert (
        welcome.content == "**Grognard is here** · wargame combat, exact odds, dice you can check"
    )
    assert "Five games are ready. Anyone who can post here can join in." in str(welcome.embeds)
    promised = COMMITMENT.search(str(welcome.embeds))
    shown = await (await anna.press(welcome, "Help")).answer()
    assert shown.ephemeral
    assert (await (await anna.press(welcome, "Try a shot")).answer()).ephemeral
    rolled = await (await anna.slash(hall, "roll", dice="2d6")).answer()
    assert "seed not announced" not in rolled.text
    proof = await (await anna.slash(hall, "fair show")).answer()
    assert promised
    assert f"Commitment to seed 1: {promised[1]}" in proof.text
    discord.site.remove_bot(club)
    club.has_bot = True
    discord.site.announce_guild(club)
    await asyncio.sleep(0.5)
    assert len([one for one in hall.messages if "Grognard is here" in one.content]) == 1


async def _first_message(channel: Channel) -> Message:
    async with asyncio.timeout(60):
        while True:
            if channel.messages:
                return channel.messages[0]
            await asyncio.sleep(0.05)
