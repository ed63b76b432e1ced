"""HTTP mode: signed requests to the app's request URL, and the ways to get a signature wrong."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import aiohttp

from .deliveries import EVENT, SLASH, Ack, Delivery, Sent
from .settings import Json

if TYPE_CHECKING:
    from .standin import SlackStandIn


@dataclass(frozen=True, slots=True)
class Answer:
    """What the app answered to one request."""

    status: int
    body: str
    content_type: str = ""

    @property
    def payload(self) -> Json | None:
        """The JSON it carried, or its text as `{"text": …}`; None when empty."""
        if not self.body.strip():
            return None
        if self.content_type == "application/json":
            found = json.loads(self.body)
            return found if isinstance(found, dict) else None
        return {"text": self.body}


def body_of(delivery: Delivery) -> tuple[bytes, str]:
    """The request body and its content type."""
    if delivery.kind == EVENT:
        return json.dumps(delivery.payload).encode(), "application/json"
    form = delivery.payload if delivery.kind == SLASH else {"payload": json.dumps(delivery.payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


def sign(secret: str, body: bytes, at: int) -> str:
    """Slack's v0 signature of this body at this time."""
    return sign_text(secret, body, str(at))


def sign_text(secret: str, body: bytes, timestamp: str) -> str:
    """Return the same for a timestamp as it is written in the header."""
    text = f"v0:{timestamp}:".encode() + body
    return "v0=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


class SignedRequests:
    """Posts to the app. `secret` and `age` may be set wrong for a while to forge or to be stale."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._session: aiohttp.ClientSession | None = None
        self.secret: str | None = None  # None signs with the app's own signing secret
        self.age = 0  # seconds the timestamp lies in the past

    def headers(
        self, body: bytes, content_type: str, retry: int = 0, reason: str = ""
    ) -> dict[str, str]:
        """Signed headers for this body, dated now less `age`."""
        at = int(time.time()) - self.age
        signed = {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": str(at),
            "X-Slack-Signature": sign(self.secret or self._slack.signing_secret, body, at),
        }
        if retry:
            signed |= {
                "X-Slack-Retry-Num": str(retry),
                "X-Slack-Retry-Reason": reason or "http_timeout",
            }
        return signed

    async def send(self, delivery: Delivery, retry: int, reason: str) -> bool:
        """Post the delivery; an answer of 200 acknowledges it. False when the app cannot be
        reached.
        """
        body, content_type = body_of(delivery)
        headers = self.headers(body, content_type, retry, reason)
        delivery.sent.append(Sent(asyncio.get_running_loop().time(), retry, None, body, headers))
        try:
            answer = await self.post(body, headers)
        except TimeoutError:
            return True
        except aiohttp.ClientError:
            return False
        if answer.status == 200:
            delivery.acks.append(Ack(asyncio.get_running_loop().time(), answer.payload, 200))
        else:
            delivery.refusals.append((answer.status, answer.body))
        self._slack.watch.changed()
        return True

    async def post(self, body: bytes, headers: dict[str, str]) -> Answer:
        """Post these bytes as they are. Raises TimeoutError when no answer comes within the
        acknowledgement's time.
        """
        if self._slack.request_url is None:
            raise AssertionError("set slack.request_url to where the app listens")
        if self._session is None:
            # No limit of its own: Slack's servers are many.
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        timeout = aiohttp.ClientTimeout(total=self._slack.limits.ack_seconds)
        async with self._session.post(
            self._slack.request_url, data=body, headers=headers, timeout=timeout
        ) as found:
            return Answer(found.status, await found.text(), found.content_type)

    async def close(self) -> None:
        """Let the connections go."""
        if self._session is not None:
            await self._session.close()
