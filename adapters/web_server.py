"""What every HTTP port of the bot has in common: limits on strangers, and platform requests taken
once.

Nothing that a stranger sends is read before it is known to be small enough. A body is never
unpacked. The `Door` decides who may hold a connection and for how long: nobody keeps others out by
staying silent. A connection serves one request, and its head has to arrive within seconds. If all
places are taken, the visitor who has been silent longest makes room.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import re
import resource
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from errno import EADDRINUSE

from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.log import server_logger
from cachetools import TTLCache

from bot.rules.errors import UserError
from bot.runtime.logs import get_seldom_logger

log = logging.getLogger(__name__)
often = get_seldom_logger(f"{__name__}.often")

MAX_AGE = 5 * 60
"""Seconds that a signed request may be old, or ahead."""
MAX_SEEN = 200_000
PATIENCE = 10.0
"""Seconds within which a request's body must be here."""
SMALL_BODY = 64 * 1024
"""Bytes up to which a body is read at once. What platforms send is nearly always smaller."""
LARGE_AT_ONCE = 4
"""How many larger bodies one port reads at the same time: all of them together could fill the
memory.
"""
LINGER_SECONDS = 1.0
"""Seconds for which the rest of a refused body is read and dropped. Without it the sender may
miss the answer.
"""

Take = Callable[[web.Request, bytes], Awaitable[web.StreamResponse]]
Read = Callable[[str, str, bytes], bytes | None]
"""The signature of a request by its timestamp, its signature as text and its body; None where it
is not genuine.
"""


async def serve_until_cancelled(
    app: web.Application,
    address: tuple[str, int],
    hint: str,
    message: str,
    make_door: Callable[[web.Server], Door],
    on_listening: Callable[[], object] = str,
    *,
    shutdown_timeout: float = 3.0,
    handler_cancellation: bool = False,
) -> None:
    """Serve an application at a host and port until cancelled.

    Once the port is open, log `message` and call `on_listening`. Raises UserError with `hint` if
    the port is taken.
    """
    async with open_port(
        app,
        address,
        hint,
        make_door,
        shutdown_timeout=shutdown_timeout,
        handler_cancellation=handler_cancellation,
    ):
        log.info("%s", message)
        on_listening()
        await asyncio.Event().wait()


@contextlib.asynccontextmanager
async def open_port(
    app: web.Application,
    address: tuple[str, int],
    hint: str,
    make_door: Callable[[web.Server], Door],
    *,
    shutdown_timeout: float = 3.0,
    handler_cancellation: bool = False,
) -> AsyncIterator[asyncio.Server]:
    """Serve an application at a host and port while the block runs.

    Every port of the bot is opened here, so every port refuses what `refuse_by_head` refuses. The
    app's `client_max_size` is its limit. Raises UserError with `hint` if the port is taken.
    """
    host, port = address
    server_logger.addFilter(_UNREADABLE)
    app.middlewares.insert(0, _check_head)
    app.on_response_prepare.append(_end_connection)
    runner = web.AppRunner(
        app,
        access_log=None,
        auto_decompress=False,
        lingering_time=LINGER_SECONDS,
        shutdown_timeout=shutdown_timeout,
        handler_cancellation=handler_cancellation,
    )
    await runner.setup()
    try:
        assert runner.server is not None
        door = make_door(runner.server)
        loop = asyncio.get_running_loop()
        try:
            server = await loop.create_server(door, host, port, backlog=BACKLOG)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            sentence = f"Port {port} of {host} cannot be opened: {reason}."
            if error.errno == EADDRINUSE:
                sentence = f"Port {port} of {host} is taken by another program."
            raise UserError(sentence, hint=hint, code="port-taken") from None
        try:
            yield server
        finally:
            server.close()
    finally:
        await runner.cleanup()


class _Unreadable(logging.Filter):
    """Says of requests that are no HTTP that there are some, once a minute and in one line.

    The library logs a traceback of each, and a stranger may send thousands in a second.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """See logging.Filter."""
        _, error, _ = record.exc_info or (None, None, None)
        if not isinstance(error, HttpProcessingError):
            return True
        often.warning("a request that is no HTTP was refused: %s", type(error).__name__)
        return False


_UNREADABLE = _Unreadable()


def refuse_by_head(request: web.Request) -> web.Response | None:
    """Return the refusal of a request whose head already says too much, or None.

    A packed body gets a 415, because a small one may unpack to gigabytes. A body over the app's
    limit gets a 413.
    """
    if hdrs.CONTENT_ENCODING in request.headers:
        plain = {hdrs.ACCEPT_ENCODING: "identity"}
        return web.Response(
            status=415, text="send the body without Content-Encoding", headers=plain
        )
    if (request.content_length or 0) > request.client_max_size:
        return web.Response(status=413, text="too large")
    return None


@web.middleware
async def _check_head(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    return refuse_by_head(request) or await handler(request)


async def _end_connection(_: web.Request, response: web.StreamResponse) -> None:
    """End a connection with its first answer, because the door looks only at the first request."""
    response.force_close()
    response.headers["Connection"] = "close"


class SignatureCheck:
    """The check that a request is its platform's own, new, and not a copy of one that was taken
    before.

    Requests are remembered by their signatures, for as long as a copy could still pass for new.
    """

    def __init__(
        self,
        platform: str,
        headers: tuple[str, str],
        signature_form: str,
        read: Read,
        clock: Callable[[], float],
    ) -> None:
        """`headers` name the timestamp and the signature of a request.

        `signature_form` is a regular expression for the signature's text, and `read` verifies it.
        """
        self.platform = platform
        self.headers = headers
        self._read = read
        self._clock = clock
        self._form = re.compile(signature_form)
        self._seen = TTLCache[bytes, None](MAX_SEEN, 2 * MAX_AGE + 1, clock)

    def check_headers(self, timestamp: str, signature: str) -> str:
        """Return what is wrong with the headers of a request, before its body is read: "" for
        nothing.
        """
        if not _TIMESTAMP.fullmatch(timestamp):
            return "no timestamp"
        if not self._form.fullmatch(signature):
            return "bad signature"
        return ""

    def check(self, timestamp: str, signature: str, body: bytes) -> str:
        """Return what is wrong with a whole request: "" for nothing."""
        if problem := self.check_headers(timestamp, signature):
            return problem
        signed = self._read(timestamp, signature, body)
        if signed is None:
            return "bad signature"
        age = self._clock() - int(timestamp)
        if abs(age) > MAX_AGE:
            often.warning(
                "a request of %s is %.0f s off: look at this machine's clock", self.platform, age
            )
            return "stale"
        if signed in self._seen:
            return "replayed"
        self._seen[signed] = None
        return ""


_TIMESTAMP = re.compile("[1-9][0-9]{0,10}")
"""A time in whole seconds, as platforms write it."""


def create_signed_app(
    signed: SignatureCheck,
    path: str,
    max_body: int,
    take: Take,
    routes: Iterable[web.RouteDef] = (),
) -> web.Application:
    """Create the web application that passes a platform's own requests at `path` on to `take`.

    If `take` cannot read a body, it raises what reading raises, and the sender gets a 400.
    `max_body` is in bytes.
    """

    large_bodies = asyncio.Semaphore(LARGE_AT_ONCE)

    async def receive(request: web.Request) -> web.StreamResponse:
        timestamp, signature = (request.headers.get(name, "") for name in signed.headers)
        problem = signed.check_headers(timestamp, signature)
        if problem:
            return web.Response(status=401, text=problem)
        body = await _read_body(request, large_bodies)
        problem = signed.check(timestamp, signature, body)
        if problem:
            return web.Response(status=401, text=problem)
        try:
            return await take(request, body)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            often.warning("%s sent something unreadable, refused: %r", signed.platform, error)
            return web.Response(status=400, text="cannot be read")

    async def expect(request: web.Request) -> web.StreamResponse | None:
        """Ask for a body that is announced by `Expect: 100-continue`, unless its head is
        refused.
        """
        refusal = refuse_by_head(request)
        if refusal is None:
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.writer.output_size = 0  # the answer itself has not begun
        return refusal

    app = web.Application(client_max_size=max_body)
    app.add_routes([web.post(path, receive, expect_handler=expect), *routes])
    return app


async def _read_body(request: web.Request, large_bodies: asyncio.Semaphore) -> bytes:
    """Return the whole body. Raises an HTTP answer if it takes too long or breaks off.

    A body that may be large waits for its turn among the `large_bodies`.
    """
    length = request.content_length
    is_small = length is not None and length <= SMALL_BODY
    turn = contextlib.nullcontext() if is_small else large_bodies
    try:
        async with asyncio.timeout(PATIENCE), turn:
            return await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="too slow") from None
    except OSError:  # the sender went away in the middle: nobody hears this
        raise web.HTTPBadRequest(text="broken off") from None


HEAD_SECONDS = 5.0
"""Within which a request's head must be here."""
LIFE_SECONDS = 60.0
"""Longer than any request with its answer takes."""
PLACES = 1_000
PER_ADDRESS = 50
"""Connections of one visitor (see `get_address_group`). A proxy brings everybody's, so one on this machine
or in PROXIES is not counted."""
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
        """`streams`: a connection may last, and its protocol sees to its end. `proxies`: networks
        (10.0.0.0/8) from which everybody's connections come."""
        self._proxies = proxies
        self.streams = streams
        self._serve = serve
        self._places = places or limit_places(PLACES)
        self._inside: dict[_Visitor, str] = {}
        self._silent: dict[_Visitor, None] = {}
        self._visitors: Counter[str] = Counter()  # connections by the group of their address

    @property
    def connection_count(self) -> int:
        """Return how many connections there are."""
        return len(self._inside)

    def __call__(self) -> asyncio.Protocol:
        """The protocol of the next connection."""
        return _Visitor(self, self._serve())

    def admit(self, visitor: _Visitor, address: str) -> bool:
        """Return whether a connection from `address` gets a place: if need be, that of a silent
        one.
        """
        group = get_address_group(address)
        is_full = bool(group) and self._visitors[group] >= PER_ADDRESS
        if is_full and not is_within(address, self._proxies):
            often.warning("too many connections from one address; further ones are refused")
            return False
        if self.connection_count >= self._places:
            if not self._silent:
                often.warning(
                    "all %d connections are in use; further ones are refused", self._places
                )
                return False
            often.warning(
                "all %d connections are in use; those that say nothing make room", self._places
            )
            next(iter(self._silent)).hang_up()
        self._inside[visitor] = group
        self._silent[visitor] = None
        self._visitors[group] += 1
        return True

    def mark_as_heard(self, visitor: _Visitor) -> None:
        """This one said what they want."""
        self._silent.pop(visitor, None)

    def free_place(self, visitor: _Visitor) -> None:
        """Free the place of a connection, if it had one."""
        self._silent.pop(visitor, None)
        group = self._inside.pop(visitor, None)
        if group is not None:
            self._visitors[group] -= 1
            if not self._visitors[group]:
                del self._visitors[group]


class _Visitor(asyncio.Protocol):
    """One connection: passes on what comes, once it was let in."""

    def __init__(self, door: Door, inner: asyncio.Protocol) -> None:
        self._door = door
        self._inner = inner
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._tail: bytes | None = b""  # None: the head is complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if not self._door.admit(self, _get_peer_address(transport)):
            transport.abort()
            return
        self._transport = transport
        self._start_timeout(HEAD_SECONDS)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self._tail is not None:
            # Line ends before a head are no head: the parser drops them, and goes on waiting.
            seen = self._tail + data if self._tail else data.lstrip(b"\r\n")
            self._tail = seen[-3:]
            if any(end in seen for end in _END_OF_HEAD):
                self._tail = None
                self._door.mark_as_heard(self)
                self._start_timeout(None if self._door.streams else LIFE_SECONDS)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def connection_lost(self, error: Exception | None) -> None:
        self._give_place_back()
        if self._transport is not None:
            self._transport = None
            self._inner.connection_lost(error)

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def hang_up(self) -> None:
        """Hang up."""
        self._give_place_back()
        if self._transport is not None:
            self._transport.abort()

    def _start_timeout(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = (
            asyncio.get_running_loop().call_later(seconds, self.hang_up)
            if seconds is not None
            else None
        )

    def _give_place_back(self) -> None:
        """Give the place back."""
        self._start_timeout(None)
        self._door.free_place(self)


def normalize_address(text: str) -> str:
    """Return an IP address in its usual form; "" for this machine's own and for what is no
    address.
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = getattr(address, "ipv4_mapped", None) or address
    return "" if mapped.is_loopback else str(mapped)


def get_address_group(address: str) -> str:
    """Return what an address of `normalize_address` is counted by.

    An IPv6 address counts by its /64 network, because one home line has all of that network's
    addresses.
    """
    if ":" not in address:
        return address
    return str(ipaddress.ip_network(f"{address}/{IPV6_PREFIX}", strict=False))


IPV6_PREFIX = 64


def is_within(address: str, networks: Sequence[str]) -> bool:
    """Return whether an address is in one of the networks (10.0.0.0/8)."""
    return any(
        ipaddress.ip_address(address) in ipaddress.ip_network(network) for network in networks
    )


def find_visitor_group(remote: str, forwarded: Iterable[str], proxies: Sequence[str]) -> str:
    """Return what the sender of a request is counted by; "" for this machine's own.

    If a proxy on this machine or in `proxies` passes the request on, the sender is the last address
    in X-Forwarded-For that is no proxy: that proxy wrote it. Only the last MOST_FORWARDED are
    looked at, because a stranger may send half a million.
    """
    claimed = ",".join(forwarded).rsplit(",", MOST_FORWARDED)[-MOST_FORWARDED:]
    for text in (remote, *reversed(claimed)):
        address = normalize_address(text.strip())
        if address and not is_within(address, proxies):
            return get_address_group(address)
    return ""


MOST_FORWARDED = 20


def limit_places(most: int) -> int:
    """So many places, or as many as leave half of the files that this process may open to
    everything else.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if soft == resource.RLIM_INFINITY else max(16, min(most, soft // 2))


def _get_peer_address(transport: asyncio.Transport) -> str:
    """Whose connection it is."""
    peer = transport.get_extra_info("peername")
    return normalize_address(str(peer[0])) if peer else ""
