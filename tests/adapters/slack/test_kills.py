"""Killed again and again, with another process on the database: what was answered is there once,
and each request that Slack was told is taken ends in an answer or in being told that nothing was
run.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.adapters.left_over import KILLS, Night
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import Bot
from tests.standins.slack import Channel, SlackStandIn, User
from tests.standins.slack.handle import Handle

ODDS = 'fire attackers="squad fp=2" targets="squad morale=5" odds'


class OnSlack(Night[User, Channel, asyncio.Task[Handle]]):
    """A night on Slack."""

    def __init__(self, slack: SlackStandIn, data: Path) -> None:
        home, anna, ben, games = settle(slack)
        home.scopes |= {"channels:history"}
        bot = Bot(slack, data, home, COMMANDS_PER_MINUTE="unlimited")
        super().__init__(
            bot, [anna, ben, home.user("Cora")], [games, home.channel("hall"), home.channel("yard")]
        )
        self.slack = slack

    def roll(self, who: User, where: Channel, label: str) -> asyncio.Task[Handle]:
        return asyncio.create_task(who.slash(where, "/roll", f"2d6 label={label}"))

    def ask_odds(self, who: User, where: Channel) -> asyncio.Task[Handle]:
        return asyncio.create_task(who.slash(where, "/lnlt", ODDS))

    def check(self, stored: set[str]) -> None:
        shown = self.shown(
            [text for channel in self.channels for text in self.slack.posted(channel)], stored
        )
        asked = {label: task.result() for label, task in self.asked.items()}
        odds = [task.result() for task in self.odds]
        silent = [label for label, one in asked.items() if _waits(one) and not shown[label]]
        silent += ["odds" for one in odds if _waits(one)]
        taken = sum(one.in_time for one in (*asked.values(), *odds))
        print(f"{taken} requests taken (odds too), left without an end {len(silent)}")
        assert silent == []


@pytest.mark.slow
@pytest.mark.timeout(300 + 40 * KILLS)
async def test_what_slack_was_told_is_taken_is_answered_or_told_to_be_not_run(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    await OnSlack(socket_slack, tmp_path).pass_by()


def _waits(one: Handle) -> bool:
    return one.in_time and not one.answers_now()
