"""Whatever breaks on the way: one event each time, and its answer arrives once."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.adapters.discord.process import Bot, locked, running
from tests.adapters.left_over import count_left, kept, until_nothing_is_left
from tests.standins.discord import Channel, DiscordStandIn, Interaction, Message

pytestmark = pytest.mark.scenes(1)

CALLBACK = r"POST .*/callback"


@pytest.fixture
async def discord() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin:
        yield standin


def event(message: Message) -> int:
    """The number of the event in an answer's footer."""
    found = re.search(r"#(\d+)(?: ·|$)", message.text)
    assert found, message.text
    return int(found[1])


def answers(discord: DiscordStandIn, channel: Channel) -> list[Message]:
    """What the bot has said there and still stands."""
    return [
        m
        for m in discord.messages(channel)
        if m.author is discord.world.bot and not m.deleted and not m.loading
    ]


async def roll(discord: DiscordStandIn, table: Channel) -> Interaction:
    """Anna rolls; waits for the first response."""
    return await discord.user("Anna").slash(table, "roll", dice="2d6")


@pytest.mark.slow
async def test_faults_on_the_first_answer(discord: DiscordStandIn, tmp_path: Path) -> None:
    table = discord.channel("table")
    faults: dict[str, Callable[[], object]] = {
        "delivered twice": lambda: discord.deliver_twice(),
        "delivered twice, half a second apart": lambda: discord.deliver_twice(gap=0.5),
        "500": lambda: discord.fail(CALLBACK, 500),
        "twice 502": lambda: discord.fail(CALLBACK, 502, times=2),
        "429": lambda: discord.rate_limit(CALLBACK, 0.4),
        "cut before it is done": lambda: discord.cut(CALLBACK),
        "done, but the answer to it is lost": lambda: discord.lose_answer(CALLBACK),
        "swallowed": lambda: discord.swallow(CALLBACK),
        "done, but never answered": lambda: discord.black_hole(CALLBACK),
        "slow": lambda: discord.slow(CALLBACK, 1.2, times=1),
    }
    async with running(discord, tmp_path):
        first = event(await (await roll(discord, table)).answer())
        for number, (name, order) in enumerate(faults.items(), start=1):
            order()
            asked = await roll(discord, table)
            assert not asked.failed, name
            answer = await asked.answer()
            await asyncio.sleep(0.6 if "twice" in name else 0)
            assert event(answer) == first + number, name
            discord.no_faults()
        await asyncio.sleep(1)
        assert [event(message) for message in answers(discord, table)] == list(
            range(first, first + len(faults) + 1)
        )


async def test_gateway_drops_and_invalid_sessions(discord: DiscordStandIn, tmp_path: Path) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    async with running(discord, tmp_path):
        first = event(await (await roll(discord, table)).answer())
        discord.gateway.drop()  # what is sent meanwhile comes with the resume
        asked = anna.send(table, "roll", dice="2d6")
        assert event(await asked.answer()) == first + 1

        resumes = len(discord.gateway.resumes)
        discord.gateway.invalidate(resumable=True)
        await discord.until(lambda: len(discord.gateway.resumes) > resumes)
        assert event(await (await roll(discord, table)).answer()) == first + 2

        discord.gateway.invalidate(resumable=False)
        await discord.until(lambda: len(discord.gateway.identifies) == 2)
        assert event(await (await roll(discord, table)).answer()) == first + 3
        assert [event(message) for message in answers(discord, table)] == list(
            range(first, first + 4)
        )


async def test_an_answer_after_the_token_has_died_is_a_normal_message(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    table = discord.channel("table")
    async with running(discord, tmp_path):
        first = event(await (await roll(discord, table)).answer())
        discord.slow(r"PATCH .*/@original|GET .*/@original", 0.5)
        with locked(tmp_path):
            asked = await roll(discord, table)
            discord.clock.advance(16 * 60)
        late = await discord.message(table, "(late)")
        assert event(late) == first + 1
        assert late.interaction is None
        assert asked.latest() is None


@pytest.mark.slow
async def test_killed_between_commit_and_answer(discord: DiscordStandIn, tmp_path: Path) -> None:
    table, thread = discord.channel("table"), discord.thread("Kursk", discord.channel("table"))
    hall = discord.channel("hall")
    bot = Bot(discord, tmp_path)
    await bot.start()
    try:
        first = event(await (await roll(discord, table)).answer())
        # never answered at all; answered, but nobody heard; and a sealed roll, which is for one
        # pair of eyes
        silent = discord.user("Anna").send(table, "roll", dice="2d6")
        sealed = discord.user("Ben").send(hall, "roll", dice="3d6", secret=True)
        both = f"{silent.id}|{sealed.id}"
        # also what the bot tries again before its end
        discord.swallow(f"POST .*/({both})/.*/callback", times=None)
        await _until_recorded(tmp_path, 5)
        discord.black_hole(f"POST .*/interactions/(?!{both}).*/callback")
        heard = await discord.user("Carl").slash(thread, "roll", dice="2d6")
        assert not heard.failed
        await bot.kill()
        discord.no_faults()
        started = time.monotonic()
        await bot.start()
        late = await discord.message(table, "(late)", timeout=75)
        print(f"delivered {time.monotonic() - started:.1f} s after the restart")
        assert event(late) == first + 1
        assert silent.failed
        alone = await discord.message(discord.user("Ben").dm(), "(late)", timeout=75)
        assert "Ben rolls 3d6" in alone.text
        assert sealed.failed
        await asyncio.sleep(4)
        assert [event(message) for message in answers(discord, table)] == [first, first + 1]
        assert len(answers(discord, thread)) == 1
        assert [
            "Ben makes a sealed roll" in message.text for message in answers(discord, hall)
        ] == [True]
        assert event(await (await roll(discord, table)).answer()) == first + 3, (
            "the thread plays the channel's game"
        )
        assert await bot.stop() == 0
    finally:
        if bot.process.returncode is None:
            bot.process.kill()
            await bot.process.wait()
        print(bot.log)


async def test_shown_but_never_confirmed_and_the_token_dead_it_is_not_shown_again(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    """Discord shows the answer and the bot is killed before it hears so; it comes back when the
    token is dead.
    """
    table = discord.channel("table")
    async with running(discord, tmp_path) as bot:
        await (await roll(discord, table)).answer()
        discord.black_hole(CALLBACK)
        shown = event(await (await roll(discord, table)).answer())
        await bot.kill()
        discord.no_faults()
        assert count_left(tmp_path) == 1
        discord.clock.advance(16 * 60)
        with closing(sqlite3.connect(tmp_path / "grognard.db")) as db, db:
            db.execute("UPDATE outbox SET due = 0, delivery = json_set(delivery, '$.until', 0)")
        await bot.start()
        await until_nothing_is_left(tmp_path, 60)
        assert [event(message) for message in answers(discord, table)] == [shown - 1, shown]


async def _until_recorded(data: Path, count: int) -> None:
    """Until so many events are on the disk."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with sqlite3.connect(f"file:{data / 'grognard.db'}?mode=ro", uri=True) as db:
            [(found,)] = db.execute("SELECT count(*) FROM events")
        if found >= count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{found} events, not {count}")


@pytest.mark.slow
async def test_what_nothing_keeps_is_told_later_where_discord_took_no_answer(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    """Look-ups and refusals are in no outbox: asked again for a while, then kept for the next
    command.
    """
    table, anna = discord.channel("table"), discord.user("Anna")
    async with running(discord, tmp_path) as bot:
        await (await roll(discord, table)).answer()
        discord.fail(CALLBACK, 502, times=None)
        asked = anna.send(table, "roll", dice="2d6+")
        await discord.until(lambda: kept(tmp_path) == 1)
        discord.no_faults()
        await bot.kill()  # what is kept outlives the process
        await bot.start()
        assert not [message for message in answers(discord, table) if "2d6+" in message.text]
        assert asked.failed
        await (await roll(discord, table)).answer()
        await discord.until(
            lambda: any("ready too late for Discord" in one.text for one in answers(discord, table))
        )
        (told,) = (
            one for one in answers(discord, table) if "ready too late for Discord" in one.text
        )
        assert told.private_to is anna.user
        assert "2d6+" in told.text
        await (await roll(discord, table)).answer()
        await asyncio.sleep(0.5)
        assert (
            sum("ready too late for Discord" in one.text for one in answers(discord, table)) == 1
        ), "once"


@pytest.mark.slow
@pytest.mark.parametrize("may_read", [True, False])
async def test_a_mirror_tried_again_after_minutes_never_doubles_unmarked(
    tmp_path: Path, may_read: bool
) -> None:
    """A linked game's answer was posted there, and nobody heard so until Discord had forgotten
    its nonce.
    """
    async with DiscordStandIn.running(nonce_seconds=4.0) as discord, running(discord, tmp_path):
        table, hall, vera = (
            discord.channel("table"),
            discord.channel("hall"),
            discord.user("Vera", manage_guild=True),
        )
        await (await vera.slash(table, "roll", dice="2d6")).answer()
        given = await (await vera.slash(table, "game link")).answer()
        code = given.text.split("The code is ")[1].split()[0].strip("*")
        await (await vera.slash(hall, "game link", code=code)).answer()
        await discord.message(hall, "links this channel")
        if not may_read:
            discord.fail(rf"GET .*/channels/{hall.id}/messages", 403, times=None)
        discord.lose_answer(rf"POST .*/channels/{hall.id}/messages")
        await (await vera.slash(table, "roll", dice="3d6", label="mirrored")).answer()
        await discord.message(hall, "mirrored")
        await until_nothing_is_left(tmp_path, 60)
        texts = [one.text for one in answers(discord, hall) if "mirrored" in one.text]
        doubled = [text for text in texts[1:] if "(late, perhaps shown before)" not in text]
        assert texts
        assert doubled == []
        assert len(texts) == 1 or not may_read
