"""Socket Mode: the websocket connections an app holds open, and the envelopes that go through
them.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import TYPE_CHECKING
from uuid import uuid4

from aiohttp import WSMsgType, web

from .deliveries import EVENT, Ack, Delivery, Sent

if TYPE_CHECKING:
    from .standin import SlackStandIn

HOST_NAME = "applink-standin"


class Sockets:
    """All open connections; an envelope goes through one of them in turn, as with Slack."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._tickets: set[str] = set()
        self._numbers = itertools.count(1)
        self._turn = itertools.count()
        self.open: dict[int, web.WebSocketResponse] = {}
        self.cut_after: dict[
            str, int
        ] = {}  # kind of envelope: how many more are sent and the connection then torn
        self.ever = 0  # connections made since the start
        self.stray_acks: list[str] = []  # acknowledgements of envelopes nobody sent

    def ticket(self) -> str:
        """A URL for one connection, as apps.connections.open answers."""
        ticket = uuid4().hex
        self._tickets.add(ticket)
        return (
            f"ws://127.0.0.1:{self._slack.port}/link/?ticket={ticket}&app_id={self._slack.app_id}"
        )

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until either side ends it."""
        if request.query.get("ticket") not in self._tickets:
            return web.Response(status=401)
        self._tickets.discard(request.query["ticket"])
        socket = web.WebSocketResponse(heartbeat=None)
        await socket.prepare(request)
        number = next(self._numbers)
        try:
            await socket.send_str(json.dumps(self._hello()))
            self.open[number] = socket
            self.ever += 1
            self._slack.watch.changed()
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._acknowledged(message.data)
        except ConnectionError:
            pass
        finally:
            self.open.pop(number, None)
            self._slack.watch.changed()
        return socket

    async def send(self, delivery: Delivery, retry: int, reason: str) -> bool:
        """Send the envelope through one connection; False when none is open."""
        envelope = {
            "type": delivery.kind,
            "envelope_id": delivery.id,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != EVENT,
        }
        if delivery.kind == EVENT or retry:
            envelope |= {"retry_attempt": retry, "retry_reason": reason}
        for _ in range(len(self.open)):
            numbers = sorted(self.open)
            number = numbers[next(self._turn) % len(numbers)]
            delivery.sent.append(Sent(asyncio.get_running_loop().time(), retry, number))
            try:
                await self.open[number].send_str(json.dumps(envelope))
            except ConnectionError:
                delivery.sent.pop()
                self.open.pop(number, None)
                continue
            if self.cut_after.get(delivery.kind):
                self.cut_after[delivery.kind] -= 1
                await asyncio.sleep(0.02)  # long enough to arrive, too short to be acknowledged
                self._tear(number)
            return True
        return False

    async def ask_to_leave(
        self, reason: str = "refresh_requested", *, only: int = 0, after: float = 0.0
    ) -> None:
        """Send `disconnect` on every connection, or the `only` one of this number (reason warning,
        refresh_requested, link_disabled), then end them, so many seconds later."""
        note = {"type": "disconnect", "reason": reason, "debug_info": {"host": HOST_NAME}}
        numbers = [only] if only else list(self.open)
        for number in numbers:
            await self.open[number].send_str(json.dumps(note))
        await asyncio.sleep(after)
        if reason != "warning":
            for number in numbers:
                if number in self.open:
                    await self.open.pop(number).close()

    def cut(self, only: int = 0) -> int:
        """Tear every connection without a word, or the `only` one, as a network does; how many
        there were.
        """
        return sum(self._tear(number) for number in ([only] if only else list(self.open)))

    def _tear(self, number: int) -> bool:
        socket = self.open.pop(number, None)
        transport = (
            socket._req.transport if socket is not None and socket._req is not None else None
        )
        if transport is None:
            return False
        transport.abort()
        return True

    async def close(self) -> None:
        """End all connections politely."""
        for number in list(self.open):
            await self.open.pop(number).close()

    def _hello(self) -> dict[str, object]:
        return {
            "type": "hello",
            "num_connections": len(self.open) + 1,
            "connection_info": {"app_id": self._slack.app_id},
            "debug_info": {
                "host": HOST_NAME,
                "build_number": 1,
                "approximate_connection_time": 18060,
            },
        }

    def _acknowledged(self, text: str) -> None:
        said = json.loads(text)
        delivery = self._slack.courier.known.get(said.get("envelope_id", ""))
        if delivery is None:
            self.stray_acks.append(text)
            return
        delivery.acks.append(Ack(asyncio.get_running_loop().time(), said.get("payload")))
        delivery.watch.changed()
        self._slack.watch.changed()
