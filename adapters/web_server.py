"""What our ports have in common: a web application behind the door, and requests that are taken once.

The door says who may hold a connection, and for how long: nobody keeps others out by saying nothing. A connection
serves one request. Its head has to be here within seconds; when all places are taken, whoever has waited longest
without saying what they want makes room."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import resource
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from aiohttp import web
from cachetools import TTLCache

from bot.process.logs import seldom
from bot.rules.errors import UserError

log = logging.getLogger(__name__)
often = seldom(f"{__name__}.often")

MAX_AGE = 5 * 60
"""Seconds that a signed request may be old, or ahead."""
MAX_SEEN = 200_000
PATIENCE = 10.0
"""Seconds within which a request's body must be here."""

Take = Callable[[web.Request, bytes], Awaitable[web.StreamResponse]]
Read = Callable[[str, str, bytes], bytes | None]
"""The signature of a request by its timestamp, its signature as text and its body; None where it is not genuine."""


async def listen(
    app: web.Application,
    at: tuple[str, int],
    hint: str,
    told: str,
    door: Callable[[web.Server], Door],
    listens: Callable[[], object] = str,
    shutdown_timeout: float = 3.0,
    **options: Any,
) -> None:
    """Serve an application behind a door `at` a host and port until cancelled; that is `told` in the log, and `listens`
    called. Raises UserError, with `hint`, where the port cannot be had."""
    host, port = at
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=shutdown_timeout, **options)
    await runner.setup()
    try:
        assert runner.server is not None
        try:
            server = await asyncio.get_running_loop().create_server(door(runner.server), host, port, backlog=BACKLOG)
        except OSError as error:
            sentence = f"Port {port} of {host} cannot be listened on: {error.strerror or error}."
            raise UserError(sentence, hint=hint, code="port-taken") from None
        try:
            log.info("%s", told)
            listens()
            await asyncio.Event().wait()
        finally:
            server.close()
    finally:
        await runner.cleanup()


async def one_request(_: web.Request, response: web.StreamResponse) -> None:
    """A connection ends with its first answer: the door looks at its first request."""
    if response.status != 413:  # else there is more to come, which is read so that the answer arrives
        response.force_close()
        response.headers["Connection"] = "close"


class Signed:
    """Which requests are their platform's own, new, and no copies of ones that were taken before. These are known by
    their signatures, while a copy of one could still pass for new."""

    def __init__(self, platform: str, headers: tuple[str, str], read: Read, clock: Callable[[], float]) -> None:
        """`headers` of its requests have their timestamp and their signature, which `read` knows for its own."""
        self.platform, self.headers, self._read, self._clock = platform, headers, read, clock
        self._seen = TTLCache[bytes, None](MAX_SEEN, 2 * MAX_AGE + 1, clock)

    def check(self, timestamp: str, signature: str, body: bytes) -> str:
        """What is wrong with a request: "" where nothing is."""
        now = self._clock()
        if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) < 12):  # a time in whole seconds
            return "no timestamp"
        signed = self._read(timestamp, signature, body)
        if signed is None:
            return "bad signature"
        if abs(off := now - int(timestamp)) > MAX_AGE:
            often.warning("a request of %s is %.0f s off: look at this machine's clock", self.platform, off)
            return "stale"
        if signed in self._seen:
            return "replayed"
        self._seen[signed] = None
        return ""


def signed_app(
    signed: Signed, path: str, max_body: int, take: Take, routes: Iterable[web.RouteDef] = ()
) -> web.Application:
    """The web application whose requests at `path` go to `take` once they are known for their platform's own; `take`
    raises what reading a body raises where it cannot read one."""

    async def taken(request: web.Request) -> web.StreamResponse:
        body = await _body_of(request)
        timestamp, signature = (request.headers.get(name, "") for name in signed.headers)
        if wrong := signed.check(timestamp, signature, body):
            return web.Response(status=401, text=wrong)
        try:
            return await take(request, body)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            often.warning("%s sent something unreadable, refused: %r", signed.platform, error)
            return web.Response(status=400, text="cannot be read")

    app = web.Application(client_max_size=max_body)
    app.on_response_prepare.append(one_request)
    app.add_routes([web.post(path, taken), *routes])
    return app


async def _body_of(request: web.Request) -> bytes:
    """All that a request brings. Raises an HTTP answer for one that takes too long, or breaks off."""
    try:
        return await asyncio.wait_for(request.read(), PATIENCE)
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="too slow") from None
    except OSError:  # whoever sent it went away in the middle: nobody hears this
        raise web.HTTPBadRequest(text="broken off") from None


HEAD_SECONDS = 5.0
"""Within which a request's head must be here."""
LIFE_SECONDS = 60.0
"""Longer than any request with its answer takes."""
PLACES = 1_000
PER_ADDRESS = 50
"""Connections of one address. A proxy, on this machine or one of PROXIES, brings everybody's: it is not counted."""
BACKLOG = 64
"""How many are let in at once, before those who must make room are gone."""
_END_OF_HEAD = (b"\r\n\r\n", b"\n\n")


class Door:
    """Lets connections in to the protocols that `serve` makes, within limits."""

    def __init__(
        self,
        serve: Callable[[], asyncio.Protocol],
        places: int | None = None,
        *,
        streams: bool = False,
        proxies: Sequence[str] = (),
    ) -> None:
        """`streams`: a connection may last, and its protocol sees to its end. `proxies`: networks (10.0.0.0/8) from
        which everybody's connections come."""
        self._proxies = proxies
        self.streams = streams
        self._serve = serve
        self._places = places or places_within(PLACES)
        self._inside: dict[_Visitor, str] = {}
        self._silent: dict[_Visitor, None] = {}
        self._addresses: Counter[str] = Counter()

    @property
    def inside(self) -> int:
        """How many connections there are."""
        return len(self._inside)

    def __call__(self) -> asyncio.Protocol:
        """The protocol of the next connection."""
        return _Visitor(self, self._serve())

    def admit(self, visitor: _Visitor, address: str) -> bool:
        """Whether there is a place for a connection from `address`: if need be, that of somebody silent."""
        if address and self._addresses[address] >= PER_ADDRESS and not is_within(address, self._proxies):
            often.warning("too many connections from one address; further ones are refused")
            return False
        if self.inside >= self._places:
            if not self._silent:
                often.warning("all %d connections are in use; further ones are refused", self._places)
                return False
            often.warning("all %d connections are in use; those that say nothing make room", self._places)
            next(iter(self._silent)).end()
        self._inside[visitor], self._silent[visitor] = address, None
        self._addresses[address] += 1
        return True

    def heard(self, visitor: _Visitor) -> None:
        """This one said what they want."""
        self._silent.pop(visitor, None)

    def left(self, visitor: _Visitor) -> None:
        """This one's place is free, if it had one."""
        self._silent.pop(visitor, None)
        if (address := self._inside.pop(visitor, None)) is not None:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]


class _Visitor(asyncio.Protocol):
    """One connection: passes on what comes, once it was let in."""

    def __init__(self, door: Door, inner: asyncio.Protocol) -> None:
        self._door, self._inner = door, inner
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._tail: bytes | None = b""  # None: the head is complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if not self._door.admit(self, _address(transport)):
            transport.abort()
            return
        self._transport = transport
        self._wait(HEAD_SECONDS)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self._tail is not None:
            seen = self._tail + data
            self._tail = seen[-3:]
            if any(end in seen for end in _END_OF_HEAD):
                self._tail = None
                self._door.heard(self)
                self._wait(None if self._door.streams else LIFE_SECONDS)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def connection_lost(self, error: Exception | None) -> None:
        self._leave()
        if self._transport is not None:
            self._transport = None
            self._inner.connection_lost(error)

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def end(self) -> None:
        """Hang up."""
        self._leave()
        if self._transport is not None:
            self._transport.abort()

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self.end) if seconds is not None else None

    def _leave(self) -> None:
        """Give the place back."""
        self._wait(None)
        self._door.left(self)


def address_of(text: str) -> str:
    """An address as connections are counted by it; "" for this machine's own, and for what is none."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = getattr(address, "ipv4_mapped", None) or address
    return "" if mapped.is_loopback else str(mapped)


def is_within(address: str, networks: Sequence[str]) -> bool:
    """Whether an address is one of these networks' (10.0.0.0/8)."""
    return any(ipaddress.ip_address(address) in ipaddress.ip_network(one) for one in networks)


def visitor_of(remote: str, forwarded: Iterable[str], proxies: Sequence[str]) -> str:
    """Whose request it is, as they are counted: of one that a proxy brings, on this machine or of `proxies`, the last
    address in X-Forwarded-For that is no proxy's, which that proxy wrote. "" for this machine's own."""
    told = [address_of(one.strip()) for one in ",".join(forwarded).split(",")]
    for address in (address_of(remote), *reversed(told)):
        if address and not is_within(address, proxies):
            return address
    return ""


def places_within(most: int) -> int:
    """So many places, or as many as leave half of the files that this process may open to everything else."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if soft == resource.RLIM_INFINITY else max(16, min(most, soft // 2))


def _address(transport: asyncio.Transport) -> str:
    """Whose connection it is."""
    peer = transport.get_extra_info("peername")
    return address_of(str(peer[0])) if peer else ""
