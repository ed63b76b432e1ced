"""What our ports have in common: a web application behind the door, and requests that are taken once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from adapters.door import BACKLOG, Door
from bot.process.logs import seldom
from bot.rules.errors import UserError

log = logging.getLogger(__name__)
often = seldom(f"{__name__}.often")

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


async def listen(
    app: web.Application,
    host: str,
    port: int,
    hint: str,
    path: str,
    proxies: Sequence[str],
    listens: Callable[[], None] = lambda: None,
) -> None:
    """Serve a platform's requests behind the door until cancelled; `listens` is told once it does. Raises UserError,
    with `hint`, where the port cannot be had."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=3.0)
    async with listening(runner, host, port, hint, lambda serve: Door(serve, proxies=proxies)):
        log.info("listening on %s, port %s, path %s", host, port, path)
        listens()
        await asyncio.Event().wait()


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


class Signed:
    """Which requests are their platform's own, new, and no copies of ones that were taken before. These are known by
    their signatures, while a copy of one could still pass for new."""

    platform = ""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._seen: dict[bytes, float] = {}

    def signature(self, timestamp: str, signature: str, body: bytes) -> bytes | None:
        """The signature of a request, None where it is not the platform's."""
        raise NotImplementedError

    def check(self, timestamp: str, signature: str, body: bytes) -> str:
        """What is wrong with a request: "" where nothing is."""
        now = self._clock()
        if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) < 12):  # a time in whole seconds
            return "no timestamp"
        signed = self.signature(timestamp, signature, body)
        if signed is None:
            return "bad signature"
        if abs(off := now - int(timestamp)) > MAX_AGE:
            often.warning("a request of %s is %.0f s off: look at this machine's clock", self.platform, off)
            return "stale"
        return "" if self._is_new(signed, now) else "replayed"

    def _is_new(self, signature: bytes, now: float) -> bool:
        """Whether it was not taken before; from now on it is."""
        if now - self._seen.get(signature, -2 * MAX_AGE) <= 2 * MAX_AGE:
            return False
        for old, at in list(self._seen.items()):  # in order of arrival
            if now - at <= 2 * MAX_AGE and len(self._seen) < MAX_SEEN:
                break
            del self._seen[old]
        self._seen[signature] = now
        return True
