"""`undo` as people type it on Slack: by a mention, in a thread, and in direct messages with the bot."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.adapters.nursery import share
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Channel, Message, SlackStandIn, User

PAUSE = 2.2
"""Seconds after which Slack says where the next message of a channel is."""
SHOT = "lnlt fire us1 vc1 hand=1,6"
"""A shot without effect."""
US_SQUAD = 'unit add "US Squad 1" squad US stats="morale=5 fp=2"'
VC_SQUAD = 'unit add "VC Squad 1" squad VC stats="morale=12 fp=1"'

Type = Callable[[User, str], Awaitable[Message]]
"""Type a line, as somebody; returns the bot's answer."""


def mention_in(channel: Channel, thread: str | None = None) -> Type:
    """Return how people type there: they mention the bot."""

    async def type_line(user: User, line: str) -> Message:
        return await (await user.mention(channel, line, thread=thread)).answer()

    return type_line


async def write_to_bot(user: User, line: str) -> Message:
    """Type a line in direct messages; return the bot's answer."""
    return await (await user.dm(line)).answer()


def number_of(answer: Message) -> str:
    """Return the number of an answer's own event, with its sign: the last one in it."""
    numbers: list[str] = re.findall(r"#\d+", answer.plain)
    return numbers[-1]


async def until_struck(slack: SlackStandIn, answer: Message) -> None:
    """Wait until an answer says that it was undone, and offers nothing any more."""
    await slack.watch.until(
        lambda: "Undone in #" in answer.plain and not answer.buttons(),
        timeout=30,
        what="a struck answer",
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("typed", ["undo", "game undo"])
@pytest.mark.parametrize("in_thread", [False, True], ids=["channel", "thread"])
async def test_a_mention_undoes_the_last_step_and_asks_before_an_older_one(
    socket_slack: SlackStandIn, tmp_path: Path, in_thread: bool, typed: str
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        in_channel = mention_in(games)
        started = await in_channel(anna, 'game start lnlt "Hill 875" sides="US, VC"')
        for user, line in (
            (anna, "game join US"),
            (ben, "game join VC"),
            (ben, VC_SQUAD),
            (anna, US_SQUAD),
        ):
            await in_channel(user, line)
        type_line = mention_in(games, started.ts) if in_thread else in_channel
        thread = started.ts if in_thread else None

        first = await type_line(anna, SHOT)
        await asyncio.sleep(PAUSE * share())
        fired = await type_line(anna, SHOT)
        number = number_of(fired)
        asked = await type_line(anna, typed)
        assert asked.text.startswith(f"{ben.mention_text}, anna asks to undo {number}")
        assert (asked.thread_ts, asked.ephemeral_for) == (thread, None)
        agreed = await type_line(ben, typed)
        assert f"{number} is undone" in agreed.plain
        await until_struck(socket_slack, fired)

        await type_line(ben, "roll 1d6")
        question = await type_line(anna, typed)
        assert question.text.startswith(f"Undo {number_of(first)}, ")
        assert (question.thread_ts, question.ephemeral_for) == (thread, anna.id)
        assert question.buttons() == [f"Undo {number_of(first)}"]
        pressed = await anna.press(question, f"Undo {number_of(first)}")
        asked = await pressed.answer(where=lambda one: one.ephemeral_for is None)
        assert f"anna asks to undo {number_of(first)}" in asked.text
        assert asked.thread_ts == thread


@pytest.mark.parametrize("typed", ["undo", "game undo"])
async def test_in_direct_messages_undo_takes_back_the_last_step_and_asks_before_an_older_one(
    socket_slack: SlackStandIn, tmp_path: Path, typed: str
) -> None:
    home, anna, _, _ = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        for line in (
            'game start lnlt "Hill 875" sides="US, VC"',
            "game join US",
            VC_SQUAD,
            US_SQUAD,
        ):
            await write_to_bot(anna, line)
        first = await write_to_bot(anna, SHOT)
        fired = await write_to_bot(anna, SHOT)
        undone = await write_to_bot(anna, typed)
        assert f"{number_of(fired)} is undone" in undone.plain, "nobody else plays who could agree"
        await until_struck(socket_slack, fired)

        rolled = await write_to_bot(anna, "roll 1d6")
        question = await write_to_bot(anna, typed)
        assert question.text.startswith(f"Undo {number_of(rolled)}, ")
        assert question.buttons() == [f"Undo {number_of(rolled)}", f"Undo {number_of(first)}"]
        undone = await (await anna.press(question, f"Undo {number_of(first)}")).answer()
        assert f"{number_of(first)} is undone" in undone.plain
        await until_struck(socket_slack, first)
