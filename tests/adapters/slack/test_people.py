"""Slack is slow to say who somebody is: commands go on under the name of the payload, and nobody
waits in line.
"""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.slack import channels
from adapters.slack.calls import Busy, SlackApi
from adapters.slack.channels import People
from adapters.slack.request import SlackRequest
from adapters.slack.request_handler import RequestHandler
from adapters.slack.teams import Team, Teams
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person
from tests.fresh import fresh_app


class Slow(SlackApi):
    """Slack, which answers when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.asked = 0

    async def _call(self, _: str, method: str, arguments: Any, headers: Any = None) -> Any:
        self.asked += 1
        await self.go.wait()
        user = arguments["data"]["user"]
        return {
            "ok": True,
            "user": {"id": user, "team_id": "T1", "profile": {"display_name": f"Real {user}"}},
        }


async def test_a_slow_lookup_makes_a_channel_wait_once_and_keeps_its_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channels, "NAME_WAIT_SECONDS", 1.0)
    wire, teams = Slow(), Teams(None)
    teams.add(Team("T1", "xoxb-1", "UB", "B1"))
    work = RequestHandler(await fresh_app(), wire, teams)
    done: list[str] = []

    def request(number: int) -> SlackRequest:
        return SlackRequest("T1", "C1", f"U{number % 10}", user_name=f"u{number % 10}")

    async def begin(number: int) -> None:
        async def do(who: Person) -> Reply:
            done.append(f"{number} {who.name}")
            return Reply("done")

        await (await work.start_work(request(number), do))

    since = time.monotonic()
    await asyncio.gather(*(begin(number) for number in range(20)))
    assert time.monotonic() - since < 10 * 1.0, "one wait for all ten, not one for each"
    assert done == [f"{number} u{number % 10}" for number in range(20)]
    assert wire.asked == 10
    again = list[float]()
    for _ in range(5):
        since = time.monotonic()
        await begin(3)
        again.append(time.monotonic() - since)
    assert min(again) < 1.0, "who was waited for once is not waited for again"
    wire.go.set()
    await asyncio.sleep(0.05)
    await begin(4)
    assert done[-1] == "4 Real U4"
    await wire.close()


async def test_a_lookup_that_failed_costs_an_admin_their_right_no_longer_than_slack_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Mended(SlackApi):
        """Slack, whose first call breaks."""

        is_broken = True

        async def _call(self, _: str, method: str, arguments: Any, headers: Any = None) -> Any:
            if self.is_broken:
                self.is_broken = False
                raise Busy("fault", 1.0)
            return {
                "ok": True,
                "user": {"team_id": "T1", "is_admin": True, "profile": {"display_name": "Mal"}},
            }

    wire, teams = Mended(), Teams(None)
    teams.add(Team("T1", "xoxb-1", "UB", "B1"))
    people, now = People(wire, teams), [100.0]
    monkeypatch.setattr(channels, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert not (await people.find(SlackRequest("T1", "C1", "U1"))).manager
    now[0] += 3.0
    assert (await people.find(SlackRequest("T1", "C1", "U1"))).manager
    await wire.close()
