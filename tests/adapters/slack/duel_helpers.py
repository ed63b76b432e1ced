"""Anna and Ben with a squad each in a channel of Slack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.adapters.nursery import share
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import Bot, running
from tests.standins.slack import Channel, Message, SlackStandIn, User


async def say(who: User, games: Channel, text: str) -> Message:
    """The answer to a command, which must not be an error."""
    answer = await (await who.slash(games, "/grognard", text)).answer()
    assert "Error" not in answer.text, answer.text
    return answer


SQUAD = 'unit add "Squad 1" squad US morale=5 fp=2'


class Table:
    """Anna for the US and Ben for the VC, with a squad each, in a channel of a running bot."""

    def __init__(
        self, slack: SlackStandIn, bot: Bot, anna: User, ben: User, games: Channel
    ) -> None:
        self.slack, self.bot, self.anna, self.ben, self.games = slack, bot, anna, ben, games

    async def until(self, what: Callable[[], bool], seconds: float = 30.0) -> None:
        """Wait until it is so."""
        await self.slack.watch.until(what, timeout=seconds, what="the change of a message")

    async def fire(self) -> Message:
        """Anna's squad fires at the cell, with dice that hurt it."""
        return await say(
            self.anna, self.games, 'lnlt fire attackers="Squad 1" targets="Cell 1" hand=6,1,5'
        )


@pytest.fixture
async def table(socket_slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[Table]:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home) as bot:
        for line in ('game start lnlt "Hill 875" sides="US, VC"', "game join US", SQUAD):
            await say(anna, games, line)
        for line in ("game join VC", 'unit add "Cell 1" squad VC morale=4 fp=1'):
            await say(ben, games, line)
        # of several messages within a second Slack does not say where they are
        await asyncio.sleep(2.2 * share())
        yield Table(socket_slack, bot, anna, ben, games)
