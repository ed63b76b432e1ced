"""Interactions by HTTP: requests at /discord/interactions, each signed by Discord, fresh, and taken once.

What is asked is answered as on the gateway, by calls of our own: the request itself gets an empty 202 at once, or the
PONG that Discord asks for now and then. So any process behind a proxy can take any interaction.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from typing import Any

from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from adapters.discord.request import Request, read_payload
from adapters.door import Door
from adapters.listening import MAX_AGE, Taken, body_of, is_time, listening, one_request
from bot.process.logs import seldom
from bot.process.settings import Settings

Json = dict[str, Any]
Take = Callable[[Request, Json], None]

log = logging.getLogger(__name__)
often = seldom(f"{__name__}.often")

PATH = "/discord/interactions"
PING, PONG = 1, 1
MAX_BODY = 1024 * 1024
PATIENCE = 10.0
"""Seconds within which a request's body must be here."""


class Signatures:
    """Checks that a request is Discord's own, new and no copy of one that was taken before."""

    def __init__(self, public_key: str, clock: Callable[[], float] = time.time) -> None:
        self._key, self._clock = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)), clock
        self._taken = Taken()

    def check(self, timestamp: str, signature: str, body: bytes) -> str:
        """What is wrong with a request: "" where nothing is."""
        now = self._clock()
        if not is_time(timestamp):
            return "no timestamp"
        try:
            signed = bytes.fromhex(signature)
            self._key.verify(signed, timestamp.encode() + body)
        except (ValueError, InvalidSignature):
            return "bad signature"
        if abs(now - int(timestamp)) > MAX_AGE:
            often.warning("a request of Discord is %.0f s off: look at this machine's clock", now - int(timestamp))
            return "stale"
        return "" if self._taken.is_new(signed, now) else "replayed"


def web_app(public_key: str, take: Take) -> web.Application:
    """The web application, which hands each interaction to `take`."""
    signatures = Signatures(public_key)

    async def interactions(request: web.Request) -> web.StreamResponse:
        headers = request.headers
        body = await body_of(request, PATIENCE)
        wrong = signatures.check(headers.get("X-Signature-Timestamp", ""), headers.get("X-Signature-Ed25519", ""), body)
        if wrong:
            return web.Response(status=401, text=wrong)
        try:
            event = json.loads(body)
            if event["type"] == PING:
                return web.json_response({"type": PONG})
            take(read_payload(event), event.get("data") or {})
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            often.error("Discord sent something unreadable, refused: %r", error)
            return web.Response(status=400, text="cannot be read")
        return web.Response(status=202)

    app = web.Application(client_max_size=MAX_BODY)
    app.on_response_prepare.append(one_request)
    app.add_routes([web.post(PATH, interactions)])
    return app


async def listen(settings: Settings, take: Take) -> None:
    """Take interactions until cancelled. Raises UserError where the port cannot be had."""
    app = web_app(settings.discord_public_key, take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=3.0)
    host, port = settings.discord_host, settings.discord_port
    hint = "Set DISCORD_PORT to a free one, or DISCORD_HOST to an address of this machine."
    async with listening(runner, host, port, hint, lambda serve: Door(serve, proxies=settings.proxies)):
        log.info("listening on %s, port %s, path %s", host, port, PATH)
        await asyncio.Event().wait()
