"""Whatever goes wrong, and even at DEBUG: no token, no ticket, no answer's address and no typed
word in the log.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.adapters.discord.process import running as running_discord
from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import running as running_slack
from tests.standins.discord import DiscordStandIn
from tests.standins.slack import SlackStandIn

WORD = "Zwiebelkuchen"


async def test_discord_at_debug(tmp_path: Path) -> None:
    async with (
        DiscordStandIn.running() as discord,
        running_discord(discord, tmp_path, LOG_LEVEL="DEBUG") as bot,
    ):
        anna, table = discord.user("Anna"), discord.channel("table")
        asked = [
            await anna.slash(table, "roll", dice="2d6", label=WORD),
            await anna.slash(table, "roll", dice=f"2{WORD}"),
            await anna.slash(
                table, "lnlt fire", attackers=f"squad {WORD}", targets="squad morale=5"
            ),
        ]
        for one in asked:
            await one.answer()
        tokens = [interaction.token for interaction in discord.world.tokens.values()]
    assert len(tokens) >= 3
    for secret in (*tokens, discord.token, WORD):
        assert secret not in bot.log
    assert str(tmp_path) not in "".join(message.text for message in discord.messages(table))


@pytest.mark.parametrize("transport", ["socket", "http"])
async def test_slack_at_debug(transport: str, tmp_path: Path) -> None:
    slack = await stand_in(transport)
    try:
        await play_on_slack(slack, tmp_path)
    finally:
        await slack.stop()


async def play_on_slack(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, _, games = settle(slack)
    async with running_slack(slack, tmp_path, home, LOG_LEVEL="DEBUG") as bot:
        handles = [
            await anna.slash(games, "/roll", f'2d6 label="{WORD}"'),
            await anna.slash(games, "/lnlt", f"fire attackers={WORD}"),
        ]
        for handle in handles:
            await handle.answer()
        urls = [handle.delivery.payload["response_url"] for handle in handles]
        triggers = [handle.delivery.payload["trigger_id"] for handle in handles]
    secrets = [value for name, value in bot.environment.items() if re.search("TOKEN|SECRET", name)]
    assert secrets
    assert len(urls) == 2
    for secret in (*secrets, *urls, *triggers, WORD):
        assert secret not in bot.log
    assert not re.search(r"ticket=(?!\[secret\])", bot.log)
