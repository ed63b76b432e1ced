"""A broken HTTP client does not keep the bot off Slack for longer than some minutes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp
import pytest

from adapters.slack import serve
from adapters.slack.calls import SlackApi
from adapters.slack.serve import Socket
from tests.standins.slack import SlackStandIn


@asynccontextmanager
async def connected(
    slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[SlackApi, Socket]]:
    """A Socket Mode connection in this process, of which nothing is asked."""
    monkeypatch.setenv("SLACK_API", slack.api_url)
    monkeypatch.setattr(serve, "MIN_BACKOFF", 0.01)
    nobody: Any = None
    wire = SlackApi()
    socket = Socket(nobody, wire, slack.app_token)
    running = asyncio.create_task(socket.run())
    try:
        await slack.connected()
        yield wire, socket
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await socket.close()
        await wire.close()


async def reconnected(slack: SlackStandIn, socket: Socket) -> None:
    """Wait until the client has made its second connection.

    Slack knows at once that the first one is gone, the client only when it reads from it. Until
    then the client still counts itself as connected.
    """
    await slack.watch.until(
        lambda: slack.sockets.ever >= 2 and not socket.describe_trouble(),
        timeout=60,
        what="a second connection",
    )


async def test_a_client_that_was_closed_is_replaced(
    socket_slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connected(socket_slack, monkeypatch) as (wire, socket):
        kept_by_the_library = wire.create_client("xoxb-1")
        await wire.session.close()
        await reconnected(socket_slack, socket)
        assert kept_by_the_library.session is wire.session
        assert not wire.session.closed


async def test_a_client_that_only_fails_is_replaced_after_a_while(
    socket_slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "RENEW_AFTER", 0.1)
    async with connected(socket_slack, monkeypatch) as (wire, socket):
        failed = []

        async def fail(*_: object, **__: object) -> None:
            failed.append(socket.describe_trouble())
            raise aiohttp.ServerDisconnectedError

        monkeypatch.setattr(wire.session, "_request", fail)
        monkeypatch.setattr(wire.session, "_ws_connect", fail)
        socket_slack.sockets.cut()
        await reconnected(socket_slack, socket)
        assert "not connected" in failed, "health is red meanwhile"
