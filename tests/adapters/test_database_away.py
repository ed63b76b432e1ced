"""The database server goes away under a bot: everybody is answered within three seconds, and it
goes on afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.execution.promises import NOTE
from tests.adapters.discord.process import running as on_discord
from tests.adapters.processors import denied
from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import running as on_slack
from tests.standins.discord import DiscordStandIn, Interaction, Message
from tests.standins.postgres import PostgresServer, postgres_server

IN_TIME = 3.0
"""Discord's and Slack's seconds, to which comes what this machine was busy with others."""
PATIENT = 40.0
"""Later than in time is measured too."""
AWAY = "The database cannot be reached."


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that this test alone may stop."""
    with postgres_server() as server:
        yield server


async def answered(asked: Interaction) -> Message:
    """The first response, which is the answer."""
    message = await asked.answer()
    assert asked.receipt is not None
    assert not message.loading
    return message


@pytest.mark.slow
@pytest.mark.real_pace
async def test_on_discord_nobody_waits_for_it(own_server: PostgresServer, tmp_path: Path) -> None:
    async with (
        DiscordStandIn.running(receipt_limit=PATIENT) as discord,
        on_discord(discord, tmp_path, DATABASE_URL=own_server.new_database()) as bot,
    ):
        table, anna, ben = discord.channel("table"), discord.user("Anna"), discord.user("Ben")
        assert "#2" in (await answered(await anna.slash(table, "roll", dice="2d6"))).text
        own_server.stop()
        busy = denied(bot.process.pid)
        asked = [anna.send(table, "roll", dice="2d6") for _ in range(10)]
        asked += [
            ben.send(discord.channel("hall"), "unit add", name="Squad 1", type="squad", side="US")
        ]
        opened = ben.send(discord.channel("den"), "lnlt fire")
        *rolls, refused = await asyncio.gather(*map(answered, asked))
        assert all(NOTE in message.text for message in rolls)
        assert AWAY in refused.text
        assert refused.ephemeral
        await discord.until(lambda: opened.receipt is not None)
        first = max(one.receipt or PATIENT for one in (*asked, opened))
        assert first < IN_TIME + denied(bot.process.pid) - busy

        await asyncio.sleep(9)  # it is known to be away: nobody waits for it a second time
        asked = [
            anna.send(table, "roll", dice="2d6"),
            ben.send(table, "unit add", name="Squad 1", type="squad"),
        ]
        roll, refused = await asyncio.gather(*map(answered, asked))
        assert NOTE in roll.text
        assert AWAY in refused.text
        assert max(one.receipt or PATIENT for one in asked) < first

        own_server.start()
        await discord.until(lambda: "answers again" in bot.log)
        message = await answered(await anna.slash(table, "roll", dice="2d6"))
        assert NOTE not in message.text
        assert "#3" in message.text, "of all that was thrown meanwhile nothing is in the log"


@pytest.mark.slow
@pytest.mark.real_pace
async def test_on_slack_nobody_waits_for_it(own_server: PostgresServer, tmp_path: Path) -> None:
    slack = await stand_in("http")
    slack.limits.ack_seconds = PATIENT
    home, anna, ben, games = settle(slack)
    try:
        async with on_slack(slack, tmp_path, home, DATABASE_URL=own_server.new_database()) as bot:
            assert "2d6" in (await (await anna.slash(games, "/roll", "2d6")).answer()).text
            own_server.stop()
            busy = denied(bot.process.pid)
            handles = await asyncio.gather(
                *(anna.slash(games, "/roll", "2d6") for _ in range(10)),
                ben.slash(home.channel("hall"), "/unit", "add Squad_1 squad US"),
            )
            *rolls, refused = [await handle.answer() for handle in handles]
            assert all(NOTE in message.text for message in rolls)
            assert AWAY in refused.text
            own_server.start()
            await slack.watch.until(
                lambda: "answers again" in bot.log, timeout=60, what="the database to be back"
            )
            handles.append(await anna.slash(games, "/roll", "2d6"))
            assert NOTE not in (await handles[-1].answer()).text
            busy = denied(bot.process.pid) - busy
            assert max(handle.ack_time or PATIENT for handle in handles) < IN_TIME + busy
    finally:
        await slack.stop()
