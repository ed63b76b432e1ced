"""Hundreds of interactions at once over fifty channels while odds are counted: none lost or
doubled, nobody shut out.

A machine may be too busy with others for some: then Discord, or the bot, says so. How long a crowd
waits is measured by `benchmarks/crowd.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.crowd import PATIENT, five_hundred_odds, two_hundred
from tests.adapters.discord.process import running
from tests.adapters.left_over import count_events, until_nothing_is_left
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.real_pace


async def roll(discord: DiscordStandIn, table: str) -> str:
    """The answer to one more roll."""
    asked = await discord.user("Player 0").slash(discord.channel(table), "roll", dice="2d6")
    return (await asked.answer()).text


@pytest.mark.slow
@pytest.mark.usefixtures("crowd")
async def test_two_hundred_at_once(tmp_path: Path) -> None:
    async with DiscordStandIn.running(receipt_limit=PATIENT) as discord, running(discord, tmp_path):
        await roll(discord, "hall")
        asked = await two_hundred(discord)
        # While the disk is held up what is at work is neither on it nor shown: whoever looks then
        # looks too soon.
        await discord.site.changed.until(
            lambda: all(one.refused or one.latest() for one in asked), 60
        )
        await until_nothing_is_left(tmp_path, 60)
        shown = 0
        for number in range(50):
            texts = [
                message.text for message in discord.messages(discord.channel(f"table-{number}"))
            ]
            numbers = sorted(
                int(found[-1]) for text in texts if (found := re.findall(r"#(\d+)", text))
            )
            assert numbers == list(range(2, 2 + len(numbers))), "each once, without a gap"
            shown += len(numbers)
        assert shown == count_events(tmp_path) - 1, (
            "what is on the disk is shown, but for the roll in the hall"
        )
        assert "#3" in await roll(discord, "hall")
        assert len(discord.gateway.identifies) == 1, "it was heard all the while"


@pytest.mark.thorough
@pytest.mark.usefixtures("crowd")
async def test_five_hundred_different_odds_at_once(tmp_path: Path) -> None:
    async with DiscordStandIn.running(receipt_limit=PATIENT) as discord, running(discord, tmp_path):
        await roll(discord, "hall")
        await five_hundred_odds(discord)
        assert "#3" in await roll(discord, "hall")
        assert len(discord.gateway.identifies) == 1, "it was heard all the while"
