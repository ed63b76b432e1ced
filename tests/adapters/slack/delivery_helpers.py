"""Helpers of tests/adapters/slack/test_delivery.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from adapters.delivery_loop import Delivered
from adapters.slack import delivery
from adapters.slack.calls import SlackApi
from adapters.slack.delivery import Posts, Progress
from adapters.slack.request import SlackRequest
from adapters.slack.teams import Team, Teams
from bot.app import App
from bot.ui.reply.reply import Reply
from tests.adapters.nursery import share
from tests.adapters.slack.conftest import settle
from tests.fresh import fresh_app
from tests.standins.slack import Channel, SlackStandIn, User


class Post:
    """The adapter's post office, without a bot around it."""

    def __init__(self, slack: SlackStandIn, app: App) -> None:
        self.slack, self.app = slack, app
        self.home, self.anna, self.ben, self.games = settle(slack)
        self.foreign = self.home.channel("elsewhere", bot_member=False)
        self.wire, self.teams = SlackApi(), Teams()
        self.teams.add(Team(self.home.id, self.home.bot_token, self.home.bot_user))
        self.posts = Posts(self.app, self.wire, self.teams)

    def request(self, channel: Channel, thread: str = "", user: User | None = None) -> SlackRequest:
        """A mention there: it brought no response address."""
        return SlackRequest(self.home.id, channel.id, (user or self.anna).id, "r1", thread=thread)

    async def left_over(self, id: str, reply: Reply) -> None:
        """Post what an earlier process may have posted and not noted."""
        request = replace(self.request(self.games), request_id=id)
        assert isinstance(
            await self.posts._with_retries(request, reply, Progress(late=True, unsure=True)),
            Delivered,
        )


@pytest.fixture
async def post(socket_slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Post]:
    monkeypatch.setenv("SLACK_API", socket_slack.api_url)
    monkeypatch.setattr(delivery, "INTERVAL", delivery.INTERVAL * share())
    monkeypatch.setattr(delivery, "BURST", delivery.BURST * share())
    post = Post(socket_slack, await fresh_app())
    yield post
    await post.wire.close()
    await post.app.close()
