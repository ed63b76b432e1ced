"""What the bot holds in memory beside a bare client that does the same.

How much later its first answer comes is measured by `benchmarks/discord.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.discord import BARE, BOT, measure
from tests.standins.discord import DiscordStandIn

MORE_MEMORY = 30.0
"""MiB. Every command is imported at the start, where before each came with its first use."""


@pytest.mark.slow
async def test_it_holds_little_more_than_a_bare_client(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as other, DiscordStandIn.running() as discord:
        bare = await measure(other, BARE, tmp_path)
        bot = [await measure(discord, BOT, tmp_path) for _ in range(2)]
        memory = max(cost.memory for cost in bot) - bare.memory
        print(f"{memory:+.1f} MiB")
        assert memory <= MORE_MEMORY
