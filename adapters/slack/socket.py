"""Socket Mode: a connection that is replaced before it ends, and made anew when it breaks.

The library's own client keeps trying an address that was good once; after a longer outage it would never come back.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Coroutine
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.socket_mode.request import SocketModeRequest

from adapters.slack.calls import Busy, Refused, Wire
from adapters.slack.shapes import is_valid
from bot.process.logs import seldom
from bot.rules.errors import UserError
from bot.running.budgets import busy

log = logging.getLogger(__name__)
often = seldom(f"{__name__}.often")

HEARTBEAT = 10.0
MIN_BACKOFF, MAX_BACKOFF = 0.1, 30.0
SETTLED = 2.0
AT_WORK = 1_500
"""How many envelopes are worked on at once. Beyond that a command is turned away; anything else Slack sends again."""
_FATAL = ("invalid_auth", "not_authed", "not_allowed_token_type", "account_inactive", "token_revoked")


class Socket:
    """The Socket Mode connection of this process."""

    def __init__(self, bolt: AsyncApp, wire: Wire, app_token: str) -> None:
        self._bolt, self._wire, self._token = bolt, wire, app_token
        self._open: list[aiohttp.ClientWebSocketResponse] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Stay connected until cancelled. Raises UserError when Slack refuses the app's token."""
        wait = MIN_BACKOFF
        while True:
            since = time.monotonic()
            try:
                socket = await self._connect()
            except (Busy, aiohttp.ClientError, TimeoutError, OSError) as error:
                pause = max(wait, getattr(error, "seconds", 0.0))
                what = error if isinstance(error, Busy) else type(error).__name__  # its own words hold the address
                log.warning("no connection to Slack (%s); next attempt in %.1f s", what, pause)
                await asyncio.sleep(pause)
                wait = min(wait * 2, MAX_BACKOFF)
                continue
            log.info("connected to Slack")
            leaving = asyncio.Event()
            self._spawn(self._read(socket, leaving))
            await leaving.wait()
            wait = MIN_BACKOFF if time.monotonic() - since > SETTLED else min(wait * 2, MAX_BACKOFF)
            if wait > MIN_BACKOFF:
                await asyncio.sleep(wait)

    def trouble(self) -> str:
        """What is wrong with the connection: "" while there is one."""
        return "" if self._open else "not connected"

    async def close(self) -> None:
        """End the connections; what is being worked on goes on."""
        for socket in list(self._open):
            await socket.close()

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        try:
            found = await self._wire.request(self._token, "apps.connections.open")
        except Refused as refused:
            if refused.error in _FATAL:
                raise UserError(
                    f"Slack refuses SLACK_APP_TOKEN ({refused.error}).",
                    hint='Make an app-level token (xapp-...) with connections:write under "Basic Information".',
                    code="token-refused",
                ) from None
            raise Busy(refused.error, 1.0) from None
        return await self._wire.session.ws_connect(found["url"], heartbeat=HEARTBEAT, max_msg_size=0)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse, leaving: asyncio.Event) -> None:
        """Take what comes until the connection ends; `leaving` is set as soon as another one is needed."""
        self._open.append(socket)
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    said = json.loads(message.data)
                    if isinstance(said, dict):
                        self._take(socket, said, leaving)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            log.info("the connection broke: %s", error)
        finally:
            self._open.remove(socket)
            leaving.set()

    def _take(self, socket: aiohttp.ClientWebSocketResponse, said: dict[str, Any], leaving: asyncio.Event) -> None:
        if said.get("type") == "disconnect":
            leaving.set()  # this connection goes on until Slack closes it, while the next one is made
            return
        request = SocketModeRequest.from_dict(said) if isinstance(said.get("payload"), dict) else None
        if request is None or not is_valid(request.payload):
            if request is not None or "payload" in said:
                often.warning("Slack sent something unreadable, ignored: it has another shape")
            return
        if len(self._tasks) < AT_WORK:
            self._spawn(self._serve(socket, request))
        elif len(self._tasks) < 2 * AT_WORK:
            self._spawn(self._serve_busy(socket, request))

    async def _serve_busy(self, socket: aiohttp.ClientWebSocketResponse, request: SocketModeRequest) -> None:
        often.warning("more envelopes than can be worked on at once")
        if "command" in request.payload:
            await self._send(socket, {"envelope_id": request.envelope_id, "payload": {"text": str(busy())}})

    async def _serve(self, socket: aiohttp.ClientWebSocketResponse, request: SocketModeRequest) -> None:
        try:
            response = await run_async_bolt_app(self._bolt, request)
        except (AttributeError, KeyError, TypeError, ValueError) as error:  # the library's; ours are answered in it
            often.warning("Slack sent something unreadable, ignored: %r", error)
            return
        if response.status != 200:
            log.warning("an envelope was not taken: %s %s", response.status, response.body[:200])
            return
        answer: dict[str, Any] = {"envelope_id": request.envelope_id}
        if response.body:
            is_json = response.headers.get("content-type", [""])[0].startswith("application/json")
            answer["payload"] = json.loads(response.body) if is_json else {"text": response.body}
        await self._send(socket, answer)

    async def _send(self, socket: aiohttp.ClientWebSocketResponse, answer: dict[str, Any]) -> None:
        for way in (socket, *reversed(self._open)):
            try:
                if not way.closed:
                    await way.send_str(json.dumps(answer))
                    return
            except (ConnectionError, RuntimeError):
                continue

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
