"""The stand-in for Slack, as the app's own manifest says, with one workspace and its people."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.slack.installation import make_manifest
from bot.commands.dispatch import load_shared_registry
from tests.adapters.nursery import share
from tests.standins.slack import Channel, Limits, Message, SlackStandIn, User, Workspace


async def stand_in(transport: str) -> SlackStandIn:
    """Slack with our app in it, made from our manifest."""
    slack = await SlackStandIn.start(
        transport, Limits(redeliver_after=(0.0, 0.5), message_interval=share())
    )
    url = "https://bot.example.org" if transport == "http" else ""
    slack.use_manifest(make_manifest(load_shared_registry(), url))
    return slack


def grant(slack: SlackStandIn, home: Workspace) -> None:
    """Give the app what its manifest asks for in this workspace, and no more."""
    manifest = make_manifest(load_shared_registry())
    home.scopes = set(manifest["oauth_config"]["scopes"]["bot"])


@pytest.fixture(params=["socket", pytest.param("http", marks=pytest.mark.slow)])
async def slack(request: pytest.FixtureRequest) -> AsyncIterator[SlackStandIn]:
    """Once in each of Slack's transports."""
    standin = await stand_in(request.param)
    yield standin
    await standin.stop()


@pytest.fixture
async def socket_slack() -> AsyncIterator[SlackStandIn]:
    """Slack in Socket Mode."""
    standin = await stand_in("socket")
    yield standin
    await standin.stop()


@pytest.fixture
async def http_slack() -> AsyncIterator[SlackStandIn]:
    """Slack in HTTP mode."""
    standin = await stand_in("http")
    yield standin
    await standin.stop()


def settle(slack: SlackStandIn, name: str = "T1") -> tuple[Workspace, User, User, Channel]:
    """A workspace with Anna, Ben and a channel that the bot is in."""
    home = slack.workspace(name)
    grant(slack, home)
    return home, home.user("Anna"), home.user("Ben"), home.channel("games")


async def say(player: User, where: Channel, command: str, text: str = "") -> Message:
    """The answer to a slash command, which must not be an error."""
    handle = await player.slash(where, command, text)
    assert handle.in_time
    answer = await handle.answer()
    assert "Error" not in answer.text, answer.text
    return answer
