"""Slack's own library in the process of the stand-in, where both may be held up: no connection
is dead for that.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp


def socket_of(app: AsyncApp, token: str) -> AsyncSocketModeHandler:
    """An app's connection in Socket Mode, which looks after itself twice a second, and waits for
    no sign of life.
    """
    socket = AsyncSocketModeHandler(app, token, ping_interval=0.5)
    session: Any = socket.client.aiohttp_client_session
    connect = session.ws_connect
    session.ws_connect = partial(_connect, connect)
    socket.client.is_ping_pong_failing = _never  # type: ignore[method-assign]
    return socket


def _connect(connect: Any, *where: Any, **how: Any) -> Any:
    return connect(*where, **{**how, "heartbeat": None})


async def _never() -> bool:
    return False
