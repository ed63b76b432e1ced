"""HTTP mode: requests at /slack/events, each signed by Slack, fresh, and taken once."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Iterable

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.internals import parse_body

from adapters.listening import Signed, body_of, one_request
from adapters.slack.shapes import is_valid
from bot.process.logs import seldom

often = seldom(__name__)

PATH = "/slack/events"
MAX_BODY = 4 * 1024 * 1024
PATIENCE = 10.0
"""Seconds within which a request's body must be here."""


class Signatures(Signed):
    """Checks that a request is Slack's own, new and no copy of one that was taken before. Slack signs its own repeats
    anew."""

    platform = "Slack"

    def __init__(self, secret: str, clock: Callable[[], float] = time.time) -> None:
        super().__init__(clock)
        self._secret = secret.encode()

    def signature(self, timestamp: str, signature: str, body: bytes) -> bytes | None:
        """The signature of a request, None where it is not Slack's."""
        digest = hmac.new(self._secret, b"v0:%s:%s" % (timestamp.encode(), body), hashlib.sha256).hexdigest()
        is_slacks = hmac.compare_digest(f"v0={digest}".encode(), signature.encode("utf-8", "replace"))
        return digest.encode() if is_slacks else None


def web_app(bolt: AsyncApp, secret: str, routes: Iterable[web.RouteDef] = ()) -> web.Application:
    """The web application: Slack's requests, a page for health checks, and further `routes`."""
    signatures = Signatures(secret)

    async def events(request: web.Request) -> web.StreamResponse:
        headers = request.headers
        body = await body_of(request, PATIENCE)
        wrong = signatures.check(
            headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", ""), body
        )
        if wrong:
            return web.Response(status=401, text=wrong)
        if not is_valid(_payload(body, headers.get("Content-Type", ""))):
            return _cannot_be_read("it has another shape")
        try:
            response = await bolt.async_dispatch(await to_bolt_request(request))
        except (AttributeError, KeyError, TypeError, ValueError) as error:  # the library's; ours are answered in it
            return _cannot_be_read(repr(error))
        return await to_aiohttp_response(response)

    async def health(_: web.Request) -> web.StreamResponse:
        return web.Response(text="ok")

    app = web.Application(client_max_size=MAX_BODY)
    app.on_response_prepare.append(one_request)
    app.add_routes([web.post(PATH, events), web.get("/health", health), *routes])
    return app


def _cannot_be_read(why: str) -> web.Response:
    often.warning("Slack sent something unreadable, refused: %s", why)
    return web.Response(status=400, text="cannot be read")


def _payload(body: bytes, content_type: str) -> object:
    """What a body says, read as the library does; None for what it cannot read."""
    try:
        return parse_body(body.decode("utf-8"), content_type.partition(";")[0].strip())
    except (ValueError, RecursionError):
        return None
