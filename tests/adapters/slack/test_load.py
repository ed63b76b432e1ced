"""A hundred commands at once: what is stored is posted, once, in order within a channel, and nobody
is shut out.

A machine may be too busy with others for some: then Slack, or the bot, says so. How long a crowd
waits is measured by `benchmarks/crowd.py`.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from benchmarks.crowd import PATIENT, a_hundred_rolls, five_hundred_odds_on_slack
from tests.adapters.left_over import labels, until_nothing_is_left
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Handle, Message, SlackStandIn

pytestmark = pytest.mark.real_pace


def _answers(asked: Handle, label: str, message: Message) -> bool:
    """Whether it is the answer: the roll, or a refusal."""
    return label in message.text or message.delivery == asked.delivery.id


@pytest.mark.slow
@pytest.mark.usefixtures("crowd")
async def test_a_hundred_commands_at_once(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, _, _ = settle(slack)
    channels = [home.channel(f"game-{number}") for number in range(5)]
    slack.limits.ack_seconds = PATIENT
    async with running(slack, tmp_path, home):
        await (await anna.slash(channels[0], "/help")).answer()
        # While the disk is held up what is at work is neither on it nor shown: whoever looks then
        # looks too soon.
        for number, one in enumerate(await a_hundred_rolls(home, channels)):
            if one.in_time:
                await one.answer(90, settle=0, where=partial(_answers, one, f" for n{number:03}"))
        await until_nothing_is_left(tmp_path, 90)
        shown: list[str] = []
        for channel in channels:
            posts = slack.posted(channel)
            numbers = [int(re.findall(r"#(\d+)", text)[-1]) for text in posts]
            assert numbers == sorted(numbers), "posted in the order of the log"
            here = [re.findall(r" for (\w+)", text)[0] for text in posts]
            if slack.transport == "socket":  # one connection keeps the order in which people typed
                assert here == sorted(here)
            shown += here
        assert sorted(shown) == sorted(labels(tmp_path)), "what is on the disk is shown, once"
        assert shown


@pytest.mark.slow_sample(1)
@pytest.mark.slow
@pytest.mark.usefixtures("crowd")
async def test_hundreds_of_different_odds_at_once(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, _, games = settle(slack)
    slack.limits.ack_seconds = PATIENT
    async with running(slack, tmp_path, home):
        await (await anna.slash(games, "/help")).answer()
        await five_hundred_odds_on_slack(home)
        await (await anna.slash(games, "/roll", "2d6")).answer()
