"""Socket Mode in a storm: connections that Slack renews, closes or loses every other second.
Nothing is missed.
"""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from tests.adapters.nursery import share
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.real_pace

PAUSE = 2.0
WEATHER = (
    "refresh_requested",
    "drop",
    "warning",
    "too_many_websockets",
    "drop",
    "link_disabled",
    "drop",
)


async def weather(slack: SlackStandIn, rounds: int) -> None:
    """What befalls one connection after another, the oldest first; Slack's servers do not do so
    all at once.
    """
    for kind in itertools.islice(itertools.cycle(WEATHER), rounds):
        oldest = min(slack.sockets.open, default=0)
        if kind == "drop":
            slack.sockets.cut(oldest)
        elif oldest:
            await slack.sockets.ask_to_leave(kind, only=oldest, after=0.5)
        await asyncio.sleep(PAUSE)


@pytest.mark.slow
async def test_no_command_meets_no_connection_in_a_storm(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = socket_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        slack.sockets.cut()  # the first blow falls on the only connection; from then on there are two
        await slack.connected(2)
        storm = asyncio.create_task(weather(slack, 11))
        typed = []
        while not storm.done():
            typed.append(await anna.slash(games, "/roll", "2d6"))
            await asyncio.sleep(0.17)
        await storm
        for handle in typed:
            await handle.answer()
        missed = [one for one in typed if one.delivery.trouble]
        assert len(typed) > 60
        assert missed == [], f"{len(missed)} of {len(typed)} met no connection"


@pytest.mark.slow
async def test_who_loses_all_connections_again_and_again_is_back_at_once(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    """Slack let us in each time: no pause grows out of that."""
    slack = socket_slack
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        pauses = []
        for _ in range(5):
            await asyncio.sleep(1.2 * share())
            slack.drop_sockets()
            since = asyncio.get_running_loop().time()
            await slack.connected()
            pauses.append(asyncio.get_running_loop().time() - since)
        assert min(pauses[2:]) < 1.0, "one pause that grew would make all that follow longer"
        command = await anna.slash(games, "/roll", "2d6")
        await command.answer()
        await slack.connected(2)
