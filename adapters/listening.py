"""What our ports have in common: a web application behind the door, and requests that are taken once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from adapters.door import BACKLOG, Door
from bot.rules.errors import UserError

MAX_AGE = 5 * 60
"""Seconds that a signed request may be old, or ahead."""
MAX_SEEN = 200_000


@asynccontextmanager
async def listening(
    runner: web.AppRunner, host: str, port: int, hint: str, door: Callable[[web.Server], Door]
) -> AsyncIterator[None]:
    """A port is served meanwhile. Raises UserError, with `hint`, where it cannot be had."""
    await runner.setup()
    try:
        assert runner.server is not None
        try:
            server = await asyncio.get_running_loop().create_server(door(runner.server), host, port, backlog=BACKLOG)
        except OSError as error:
            sentence = f"Port {port} of {host} cannot be listened on: {error.strerror or error}."
            raise UserError(sentence, hint=hint, code="port-taken") from None
        try:
            yield
        finally:
            server.close()
    finally:
        await runner.cleanup()


async def one_request(_: web.Request, response: web.StreamResponse) -> None:
    """A connection ends with its first answer: the door looks at its first request."""
    if response.status != 413:  # else there is more to come, which is read so that the answer arrives
        response.force_close()
        response.headers["Connection"] = "close"


async def body_of(request: web.Request, patience: float) -> bytes:
    """All that a request brings. Raises an HTTP answer for one that takes too long, or breaks off."""
    try:
        return await asyncio.wait_for(request.read(), patience)
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="too slow") from None
    except OSError:  # whoever sent it went away in the middle: nobody hears this
        raise web.HTTPBadRequest(text="broken off") from None


def is_time(timestamp: str) -> bool:
    """Whether a header is a time in whole seconds."""
    return timestamp.isascii() and timestamp.isdecimal() and len(timestamp) < 12


class Taken:
    """Requests that were taken, by their signatures, while a copy of one could still pass for new."""

    def __init__(self) -> None:
        self._seen: dict[bytes, float] = {}

    def is_new(self, signature: bytes, now: float) -> bool:
        """Whether it was not taken before; from now on it is."""
        if now - self._seen.get(signature, -2 * MAX_AGE) <= 2 * MAX_AGE:
            return False
        for old, at in list(self._seen.items()):  # in order of arrival
            if now - at <= 2 * MAX_AGE and len(self._seen) < MAX_SEEN:
                break
            del self._seen[old]
        self._seen[signature] = now
        return True
