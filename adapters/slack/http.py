"""HTTP mode: requests at /slack/events, each signed by Slack, fresh, and taken once."""

import hashlib
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from adapters.slack.incoming import Told
from adapters.slack.request import Json, is_valid
from adapters.web_server import Signed, signed_app

PATH = "/slack/events"
MAX_BODY = 4 * 1024 * 1024


def signatures(secret: str, clock: Callable[[], float] = time.time) -> Signed:
    """What knows Slack's own requests by the app's secret; Slack signs its own repeats anew."""

    def read(timestamp: str, signature: str, body: bytes) -> bytes | None:
        digest = hmac.new(secret.encode(), b"v0:%s:%s" % (timestamp.encode(), body), hashlib.sha256).hexdigest()
        is_slacks = hmac.compare_digest(f"v0={digest}".encode(), signature.encode("utf-8", "replace"))
        return digest.encode() if is_slacks else None

    return Signed("Slack", ("X-Slack-Request-Timestamp", "X-Slack-Signature"), read, clock)


def web_app(
    take: Callable[[Json], Awaitable[Told]], secret: str, routes: Iterable[web.RouteDef] = ()
) -> web.Application:
    """The web application: Slack's requests, which `take` answers, a page for health checks, and further `routes`."""

    async def event(body: bytes) -> web.StreamResponse:
        payload = _payload(body.decode("utf-8"))
        if not is_valid(payload):
            raise ValueError("it has another shape")
        told = await take(payload)
        return web.json_response(told.body, status=told.status) if told.body else web.Response(status=told.status)

    async def health(_: web.Request) -> web.StreamResponse:
        return web.Response(text="ok")

    return signed_app(signatures(secret), PATH, MAX_BODY, event, [web.get("/health", health), *routes])


def _payload(text: str) -> Any:
    """What a body says: events are JSON, a slash command is a form, of all else the form has the JSON in a field."""
    if text.startswith("{"):
        return json.loads(text)
    form = dict(parse_qsl(text, keep_blank_values=True))
    return json.loads(form["payload"]) if "payload" in form else form
