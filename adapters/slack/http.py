"""HTTP mode: requests at /slack/events, each signed by Slack, recent, and accepted once."""

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
    """Create the check that a request is Slack's own, by the app's signing secret.

    If Slack sends a request again, it signs it with a new timestamp.
    """

    def verify_signature(timestamp: str, signature: str, body: bytes) -> bytes | None:
        """Return the digest as bytes if the signature is right, else None."""
        signed = b"v0:%s:%s" % (timestamp.encode(), body)
        digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        expected = f"v0={digest}".encode()
        if not hmac.compare_digest(expected, signature.encode("utf-8", "replace")):
            return None
        return digest.encode()

    headers = ("X-Slack-Request-Timestamp", "X-Slack-Signature")
    return SignatureCheck("Slack", headers, "v0=[0-9a-f]{64}", verify_signature, clock)


def create_web_app(
    bolt: AsyncApp, secret: str, routes: Iterable[web.RouteDef] = ()
) -> web.Application:
    """Create the web application that passes Slack's requests to `bolt`, with a page for health
    checks and further `routes`.

    A request for `bolt` has to be signed with the app's signing secret, `secret`.
    """

    async def event(request: web.Request, body: bytes) -> web.StreamResponse:
        """Pass a request to bolt. Raises ValueError for a payload of another shape."""
        content_type = request.headers.get("Content-Type", "").partition(";")[0].strip()
        payload = parse_body(body.decode("utf-8"), content_type)  # as the library reads it
        if not is_valid_payload(payload):
            raise ValueError("unexpected format")
        response = await bolt.async_dispatch(await to_bolt_request(request))
        return await to_aiohttp_response(response)

    async def health(_: web.Request) -> web.StreamResponse:
        return web.Response(text="ok")

    return create_signed_app(
        create_signature_check(secret), PATH, MAX_BODY, event, [web.get("/health", health), *routes]
    )
