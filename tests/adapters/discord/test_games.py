"""Earlier games on Discord, through the real library: the list with its buttons, a thread, the
way to a moved game.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(1)


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin, running(standin, tmp_path):
        yield standin


async def test_a_game_ends_with_its_story_and_is_taken_up_again_from_the_list(
    discord: DiscordStandIn,
) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    await (
        await anna.slash(table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
    ).answer()
    await (await anna.slash(table, "game join", side="US")).answer()
    question = await (await anna.slash(table, "game end")).answer()
    assert question.ephemeral
    story = await (await anna.press(question, "End it: US wins")).answer()
    assert not story.ephemeral
    assert story.content.startswith("**Hill 875 is over: US wins on turn 1** · Anna, 0 rolls")
    refused = await (await anna.slash(table, "unit add", name="Sq", type="squad")).answer()
    assert refused.ephemeral

    listed = await (await anna.slash(table, "game list")).answer()
    assert listed.ephemeral
    assert "Hill 875" in str(listed.components)
    opened = await (await anna.press(listed, "Read")).answer()
    assert opened.ephemeral
    assert "US won on turn 1" in opened.content
    resumed = await (await anna.press(opened, "Resume")).answer()
    assert not resumed.ephemeral
    assert 'takes "Hill 875" up again' in resumed.content
    await (await anna.slash(table, "unit add", name="Sq", type="squad", side="US")).answer()


async def test_a_thread_plays_its_channels_game(discord: DiscordStandIn) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    flank = discord.thread("left flank", table)
    await (await anna.slash(table, "game start", system="lnlt", name="Hill 875")).answer()
    before = len(table.messages)
    rolled = await (await anna.slash(flank, "roll", dice="2d6")).answer()
    assert "#2" in rolled.text
    assert len(table.messages) == before
    await (await anna.press(rolled, "Undo")).answer()
    log = await (await anna.slash(table, "log")).answer()
    assert "Anna: takes back #2" in log.text


async def test_the_old_channel_leads_to_the_new_one(discord: DiscordStandIn) -> None:
    table, hall, anna = (
        discord.channel("table"),
        discord.channel("hall"),
        discord.user("Anna", manage_guild=True),
    )
    await (await anna.slash(table, "game start", system="lnlt", name="Hill 875")).answer()
    moved = await (await anna.slash(table, "game transfer", channel=hall)).answer()
    (row,) = moved.components
    (button,) = row["components"]
    assert button["url"].endswith(f"/{hall.id}")
    status = await (await anna.slash(table, "game status")).answer()
    assert '"Hill 875" is played in #hall' in status.content


async def test_nothing_is_rolled_in_a_thread_that_is_locked_and_archived(
    discord: DiscordStandIn,
) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    flank = discord.thread("left flank", table)
    await (await anna.slash(table, "game start", system="lnlt", name="Hill 875")).answer()
    rolled = await (await anna.slash(flank, "roll", dice="2d6")).answer()
    flank.archived = flank.locked = True
    discord.site.update_channel(flank)
    for asked in (await anna.slash(flank, "roll", dice="2d6"), await anna.press(rolled, "Again")):
        refused = await asked.answer()
        assert refused.ephemeral
        assert "locked and archived" in refused.text
        assert "ask a moderator" in refused.text
    log = await (await anna.slash(table, "log")).answer()
    assert "#2" in log.text
    assert "#3" not in log.text
