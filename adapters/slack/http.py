"""HTTP mode: requests at /slack/events, each signed by Slack, fresh, and taken once."""

import hashlib
import hmac
import time
from collections.abc import Callable, Iterable

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.internals import parse_body

from adapters.slack.request import is_valid_payload
from adapters.web_server import SignatureCheck, create_signed_app

PATH = "/slack/events"
MAX_BODY = 4 * 1024 * 1024


def create_signature_check(secret: str, clock: Callable[[], float] = time.time) -> SignatureCheck:
    """What knows Slack's own requests by the app's secret; Slack signs its own repeats anew."""

    def verify_signature(timestamp: str, signature: str, body: bytes) -> bytes | None:
        digest = hmac.new(
            secret.encode(), b"v0:%s:%s" % (timestamp.encode(), body), hashlib.sha256
        ).hexdigest()
        is_slacks = hmac.compare_digest(
            f"v0={digest}".encode(), signature.encode("utf-8", "replace")
        )
        return digest.encode() if is_slacks else None

    headers = ("X-Slack-Request-Timestamp", "X-Slack-Signature")
    return SignatureCheck("Slack", headers, "v0=[0-9a-f]{64}", verify_signature, clock)


def create_web_app(
    bolt: AsyncApp, secret: str, routes: Iterable[web.RouteDef] = ()
) -> web.Application:
    """The web application: Slack's requests, a page for health checks, and further `routes`."""

    async def event(request: web.Request, body: bytes) -> web.StreamResponse:
        content_type = request.headers.get("Content-Type", "").partition(";")[0].strip()
        if not is_valid_payload(
            parse_body(body.decode("utf-8"), content_type)
        ):  # read as the library does
            raise ValueError("it has another shape")
        return await to_aiohttp_response(await bolt.async_dispatch(await to_bolt_request(request)))

    async def health(_: web.Request) -> web.StreamResponse:
        return web.Response(text="ok")

    return create_signed_app(
        create_signature_check(secret), PATH, MAX_BODY, event, [web.get("/health", health), *routes]
    )
