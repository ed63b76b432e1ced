"""Games in threads and in channels that they left, and the rights that a game needs on Discord."""

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
    assert '"Hill 875" is now played in #hall' in status.content


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


async def test_a_refusal_that_a_locked_thread_does_not_take_comes_by_direct_message(
    discord: DiscordStandIn,
) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    flank = discord.thread("left flank", table)
    await (await anna.slash(table, "game start", system="lnlt", name="Hill 875")).answer()
    flank.archived = flank.locked = flank.refuses_answers = True
    discord.site.update_channel(flank)
    anna.send(flank, "roll", dice="2d6")  # no first response will come
    told = await discord.message(anna.dm(), "ask a moderator")
    assert "locked and archived" in told.text
    assert "#left flank" in told.text
    assert "(late)" not in told.text


async def test_a_private_answer_follows_its_player_out_of_a_thread_that_was_just_locked(
    discord: DiscordStandIn,
) -> None:
    """The thread is locked between command and answer, so its payload does not say so yet."""
    table, anna = discord.channel("table"), discord.user("Anna")
    flank = discord.thread("left flank", table)
    flank.refuses_answers = True
    anna.send(flank, "help", topic="dice")  # no first response will come
    told = await discord.message(anna.dm(), "You typed this in")
    assert "dice" in told.text


async def test_setup_rights_says_what_to_ask_a_manager_for(discord: DiscordStandIn) -> None:
    table, sam = discord.channel("table"), discord.user("Sam", manage_guild=True)
    discord.permit_bot(table, attach_files=False, pin_messages=False)
    await (await sam.slash(table, "game start", system="lnlt", name="Hill 875")).answer()
    listed = await (await sam.slash(table, "setup rights")).answer()
    assert listed.ephemeral
    for text in (
        "missing 2 permissions",
        "Missing: Attach Files (pictures",
        "Missing: Pin Messages",
    ):
        assert text in listed.text, listed.text
    assert "Granted: View Channels, Send Messages, Embed Links" in listed.text
    assert listed.text.count("Ask a server manager") == 1
    assert "Game master in this channel: Sam" in listed.text
    assert "Packs enabled here: none" in listed.text
