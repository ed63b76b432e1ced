"""Starting, stopping, shards, servers that come and go, and a disk that is slow."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import Bot, locked, running
from tests.standins.discord import Answer, DiscordStandIn

pytestmark = pytest.mark.scenes(3)


@pytest.fixture
async def discord() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin:
        yield standin


def removed(data: Path) -> list[bool]:
    """For each binding of a place to a game: whether the bot was removed there."""
    with sqlite3.connect(f"file:{data / 'grognard.db'}?mode=ro", uri=True) as db:
        return [
            at is not None for (at,) in db.execute("SELECT removed FROM bindings ORDER BY place")
        ]


async def test_commands_are_told_once_and_again_only_when_they_changed(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    for _ in range(2):
        async with running(discord, tmp_path):
            await discord.until(lambda: discord.commands.writes != [])
            await asyncio.sleep(0.5)
    assert discord.commands.writes == [("overwrite", None)]
    created = discord.commands.creations()
    async with running(discord, tmp_path / "another host's empty folder"):
        await discord.until(lambda: len(discord.commands.writes) == 2)
    assert discord.commands.creations() == created, "what is there already is no new creation"


async def test_an_outage_is_no_removal_and_a_removal_is_noticed_even_later(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    other = discord.add_guild("Other")
    hall = discord.channel("hall", other)
    async with running(discord, tmp_path):
        await (await anna.slash(table, "roll", dice="2d6")).answer()
        await (await discord.user("Ben", other).slash(hall, "roll", dice="2d6")).answer()
        discord.outage(discord.guild)
        await asyncio.sleep(0.2)
        assert removed(tmp_path) == [False, False]
        discord.recover(discord.guild)
        assert not (await anna.slash(table, "roll", dice="2d6")).failed
        discord.remove_bot(other)
        await discord.until(lambda: sorted(removed(tmp_path)) == [False, True])
    other.has_bot = True  # asked back while nobody was there, and thrown out of the first one
    discord.guild.has_bot = False
    bot = Bot(discord, tmp_path)
    await bot.start()

    def states() -> list[bool]:
        there = dict(zip(_places(tmp_path), removed(tmp_path), strict=True))
        return [
            there[f"discord:{guild.id}/{place.id}"]
            for guild, place in ((discord.guild, table), (other, hall))
        ]

    # the library waits two seconds for more servers
    await discord.until(lambda: states() == [True, False])
    assert await bot.stop() == 0


def _places(data: Path) -> list[str]:
    with sqlite3.connect(f"file:{data / 'grognard.db'}?mode=ro", uri=True) as db:
        return [place for (place,) in db.execute("SELECT place FROM bindings ORDER BY place")]


async def test_stopping_finishes_what_runs(discord: DiscordStandIn, tmp_path: Path) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    bot = Bot(discord, tmp_path)
    await bot.start()
    await (await anna.slash(table, "roll", dice="2d6")).answer()
    with locked(tmp_path):
        asked = anna.send(table, "roll", dice="2d6")
        # it has it, and waits for the database
        await discord.until(lambda: asked.answer_kind is not None)
        bot.process.terminate()
        await asyncio.sleep(0.3)
    assert "rolls 2d6" in (await asked.answer()).text
    assert await bot.stop() == 0


async def test_two_processes_share_the_shards(tmp_path: Path) -> None:
    async with DiscordStandIn.running(shards=2) as discord:
        other = discord.add_guild("Other")
        places = [discord.channel("table"), discord.channel("hall", other)]
        people = [discord.user("Anna"), discord.user("Ben", other)]
        first = Bot(discord, tmp_path, SHARD_IDS="0", SHARD_COUNT="2")
        second = Bot(discord, tmp_path, SHARD_IDS="1", SHARD_COUNT="2")
        await first.start()
        await second.start(ready=False)
        await discord.until(lambda: len(discord.gateway.connected) == 2)
        for place, person in zip(places, people, strict=True):
            assert not (await person.slash(place, "roll", dice="2d6")).failed
        assert discord.commands.writes == [("overwrite", None)]
        assert [await bot.stop() for bot in (first, second)] == [0, 0]


async def test_two_processes_that_get_the_same_interaction_answer_once(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    bots = [Bot(discord, tmp_path), Bot(discord, tmp_path)]
    await bots[0].start()
    await bots[1].start(ready=False)
    await discord.until(lambda: len(discord.gateway.connected) == 2)
    for _ in range(5):
        asked = await anna.slash(table, "roll", dice="2d6")
        await asked.answer()
    await asyncio.sleep(0.5)
    said = [message for message in discord.messages(table) if not message.deleted]
    assert len(said) == 5
    assert [f"#{number}" in message.text for number, message in enumerate(said, start=2)] == [
        True
    ] * 5
    assert [await bot.stop() for bot in bots] == [0, 0]


async def test_a_slow_disk_shows_a_receipt_first(discord: DiscordStandIn, tmp_path: Path) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    async with running(discord, tmp_path):
        await (await anna.slash(table, "roll", dice="2d6")).answer()
        with locked(tmp_path):
            asked = await anna.slash(table, "roll", dice="2d6")
            assert asked.answer_kind is Answer.THINKING
            assert asked.receipt is not None
            assert asked.receipt > 1.3
            hidden = anna.send(table, "roll", dice="3d6", secret=True)
            discord.fail(r"PATCH .*/messages/@original", 500, times=2)  # and Discord stumbles then
            await asyncio.sleep(0.5)
        answer = await asked.answer()
        assert "#3" in answer.text
        assert answer is asked.original
        assert (await hidden.answer()).ephemeral
        assert len([m for m in discord.messages(table) if not m.deleted and not m.ephemeral]) == 3


@pytest.mark.slow
async def test_an_error_after_the_receipt_is_private_and_never_fills_the_public_placeholder(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    anna, ben, table = discord.user("Anna"), discord.user("Ben"), discord.channel("table")
    async with running(discord, tmp_path):
        await (await anna.slash(table, "roll", dice="2d6")).answer()
        discord.fail(r"DELETE .*/@original", 500, times=2)
        with locked(tmp_path):
            asked = await anna.slash(table, "roll", dice="2d6")
            assert asked.answer_kind is Answer.THINKING
            answer = await asked.answer()
        assert answer.ephemeral
        assert answer.content.startswith("Error: ")
        assert ["Anna rolls 2d6" in message.text for message in ben.sees(table)] == [True]
        assert "#3" in (await (await anna.slash(table, "roll", dice="2d6")).answer()).text


async def test_a_wrong_token_is_said_in_one_line(discord: DiscordStandIn, tmp_path: Path) -> None:
    bot = Bot(discord, tmp_path, DISCORD_TOKEN="wrong")
    await bot.start(ready=False)
    assert await asyncio.wait_for(bot.process.wait(), 60) == 2
    assert "Discord does not know this DISCORD_TOKEN." in bot.log.splitlines()[-1]
    assert "Traceback" not in bot.log


async def test_run_serves_what_has_a_token_and_waits_for_a_network(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    bot = Bot(discord, tmp_path, "run", DISCORD_API="http://127.0.0.1:9/api/v10")
    await bot.start(ready=False)
    for _ in range(600):
        if "next try" in bot.log:
            break
        await asyncio.sleep(0.1)
    assert await bot.stop() == 0
    assert "cannot log in to Discord (ClientConnectorError); next try in 1 s" in bot.log
    assert "Traceback" not in bot.log
    bot.environment["DISCORD_API"] = discord.url
    await bot.start()
    assert not (
        await discord.user("Anna").slash(discord.channel("table"), "roll", dice="2d6")
    ).failed
    assert await bot.stop() == 0


def test_no_token_is_said_in_one_line(root: Path, tmp_path: Path) -> None:
    asked = [sys.executable, "-m", "bot", "discord"]
    done = subprocess.run(
        asked, cwd=tmp_path, env={"PYTHONPATH": str(root)}, capture_output=True, timeout=60
    )
    assert done.returncode == 2
    assert b"DISCORD_TOKEN=" in done.stderr
