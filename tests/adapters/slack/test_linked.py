"""One evening of six turns on two networks: Anna plays on Discord, where Greta leads the game, and
Ben on Slack.

Each sees every result, each is called where they joined, and both logs agree.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.adapters.discord.process import Bot as DiscordBot
from tests.adapters.discord.process import running as running_discord
from tests.adapters.slack.linked_helpers import (
    Evening,
)
from tests.adapters.slack.process import running
from tests.standins.discord import DiscordStandIn
from tests.standins.slack import SlackStandIn


@pytest.mark.slow_sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
async def test_two_players_on_two_networks_finish_one_game(
    socket_slack: SlackStandIn, tmp_path: Path, processes: int
) -> None:
    """In one process that serves both, and in two on one database, each of which owns its own
    network.
    """
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(DiscordStandIn.running())
        evening = Evening(discord, socket_slack)
        if processes == 2:
            await stack.enter_async_context(running_discord(discord, tmp_path))
            await stack.enter_async_context(running(socket_slack, tmp_path, evening.home))
        else:
            more = {
                name: DiscordBot(discord, tmp_path).environment[name]
                for name in ("DISCORD_API", "DISCORD_TOKEN")
            }
            await stack.enter_async_context(
                running(socket_slack, tmp_path, evening.home, "run", **more)
            )
            await discord.ready()
        await evening.link()
        await evening.play()
        await evening.compare(tmp_path)
    assert socket_slack.refusals == []
