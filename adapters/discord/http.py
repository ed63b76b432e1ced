"""Interactions by HTTP: requests at /discord/interactions, each signed by Discord, recent, and
accepted once.

An interaction is answered as on the gateway, by calls of our own. The request itself gets an empty
202 at once, or the PONG that Discord asks for now and then. So any process that a proxy forwards to
can take any interaction.
"""

import json
import time
from collections.abc import Callable

from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from adapters.discord.request import DiscordRequest, Json, read_payload
from adapters.web_server import SignatureCheck, create_signed_app

Take = Callable[[DiscordRequest, Json], None]

PATH = "/discord/interactions"
PING, PONG = 1, 1
MAX_BODY = 1024 * 1024


def create_signature_check(
    public_key: str, clock: Callable[[], float] = time.time
) -> SignatureCheck:
    """Create the check that a request is Discord's own, by the application's public key (in hex).

    Raises ValueError if `public_key` is no such key.
    """
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))

    def verify_signature(timestamp: str, signature: str, body: bytes) -> bytes | None:
        """Return the signature as bytes if it is right, else None."""
        try:
            signed = bytes.fromhex(signature)
            key.verify(signed, timestamp.encode() + body)
        except (ValueError, InvalidSignature):
            return None
        return signed

    headers = ("X-Signature-Timestamp", "X-Signature-Ed25519")
    return SignatureCheck("Discord", headers, "[0-9A-Fa-f]{128}", verify_signature, clock)


def create_web_app(public_key: str, take: Take) -> web.Application:
    """Create the web application that passes each interaction and its data to `take`."""

    async def interaction(_: web.Request, body: bytes) -> web.StreamResponse:
        event = json.loads(body)
        if event["type"] == PING:
            return web.json_response({"type": PONG})
        take(read_payload(event), event.get("data") or {})
        return web.Response(status=202)

    return create_signed_app(create_signature_check(public_key), PATH, MAX_BODY, interaction)
