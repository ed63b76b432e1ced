"""Interactions by HTTP: signed requests to the application's address, and the ways to get a
signature wrong.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from itertools import cycle

import aiohttp
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.standins.discord.errors import Json

PING = 1


@dataclass(slots=True)
class Signing:
    """The application's key pair, of which the bot knows the public half, and where its
    interactions go.
    """

    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate, repr=False)
    url: str = ""  # none: the gateway

    @property
    def public_key(self) -> str:
        """As the developer portal shows it, the value for DISCORD_PUBLIC_KEY."""
        return self.key.public_key().public_bytes_raw().hex()


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered to one request; status 0 where nobody was there."""

    status: int
    body: str = ""

    @property
    def payload(self) -> Json:
        """The JSON in it."""
        found: Json = json.loads(self.body)
        return found


class Webhooks:
    """Discord as it calls the bot. Several addresses get the interactions in turn, as from a
    proxy before them.
    """

    def __init__(self, signing: Signing) -> None:
        self._signing = signing
        self._addresses = cycle([""])
        self._under_way: set[asyncio.Task[Answered]] = set()
        self._session: aiohttp.ClientSession | None = None
        self.answers: list[Answered] = []

    async def use(self, *addresses: str) -> bool:
        """Interactions go there from now on, once each has shown that it checks signatures;
        whether they have.
        """
        for address in addresses:
            event = {"type": PING, "id": "1", "token": "t", "version": 1, "application_id": "1"}
            good, bad = (
                await self.post(event, to=address),
                await self.post(event, to=address, key=None),
            )
            if good.status != 200 or good.payload != {"type": 1} or bad.status != 401:
                return False
        self._signing.url, self._addresses = addresses[0], cycle(addresses)
        return True

    def deliver(self, event: Json) -> None:
        """Send an interaction. Whoever cannot be reached is passed over, as a proxy does."""
        task = asyncio.create_task(self._deliver(event))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _deliver(self, event: Json) -> Answered:
        answer = Answered(0)
        for _ in range(2):
            answer = await self.post(event, to=next(self._addresses))
            if answer.status:
                break
        self.answers.append(answer)
        return answer

    async def post(
        self,
        event: Json,
        *,
        to: str = "",
        key: Ed25519PrivateKey | str | None = "own",
        age: float = 0.0,
        altered: bytes = b"",
    ) -> Answered:
        """One request, `age` seconds old, signed with the application's key, another or (None) a
        broken signature; `altered` stands behind the body that was signed."""
        body, at = json.dumps(event).encode(), str(int(time.time() - age))
        signer = self._signing.key if isinstance(key, str) or key is None else key
        signature = signer.sign(at.encode() + body).hex()
        if key is None:
            signature = f"{int(signature[0], 16) ^ 1:x}{signature[1:]}"
        headers = {
            "Content-Type": "application/json",
            "X-Signature-Ed25519": signature,
            "X-Signature-Timestamp": at,
        }
        return await self.send(to or self._signing.url, body + altered, headers)

    async def send(self, to: str, body: bytes, headers: dict[str, str]) -> Answered:
        """These bytes, as they are."""
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, force_close=True)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=aiohttp.ClientTimeout(total=10)
            )
        try:
            async with self._session.post(to, data=body, headers=headers) as found:
                return Answered(found.status, await found.text())
        except (aiohttp.ClientError, TimeoutError, OSError):
            return Answered(0)

    async def stop(self) -> None:
        """What is on its way ends."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        if self._session is not None:
            await self._session.close()
