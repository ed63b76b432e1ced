"""The base of all HTTP ports of the bot: limits for strangers, and the check of platforms'
requests.

A body is read only if it is known to be small enough, and is never unpacked. The `Door` limits the
number of connections and how long each may last, so that nobody can keep others out by staying
silent. A connection serves one request, whose head must arrive within seconds. If all places are
taken, the visitor who has been silent longest makes room.
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
"""Maximum number of requests that are remembered to recognize copies."""
BODY_SECONDS = 10.0
"""Seconds within which a request's body must arrive."""
SMALL_BODY = 64 * 1024
"""Bytes up to which a body is read at once. What platforms send is nearly always smaller."""
LARGE_AT_ONCE = 4
"""Number of larger bodies that one port reads at the same time, because together they could fill
the memory.
"""
LINGER_SECONDS = 1.0
"""Seconds for which the rest of a refused body is read and dropped. Without it the sender may
miss the answer.
"""

Take = Callable[[web.Request, bytes], Awaitable[web.StreamResponse]]
"""Handles a request with its body and returns the response."""
Read = Callable[[str, str, bytes], bytes | None]
"""Returns the signature of a request as bytes, from its timestamp, signature text and body; None if
it is not genuine.
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
    app's `client_max_size` is its limit. Raises UserError with `hint` if the port is taken or
    cannot be opened for another reason.
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
    """A log filter that replaces the tracebacks of requests that are no HTTP by one line a minute.

    The library logs a traceback for each, and a stranger may send thousands in a second.
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
    """Return the refusal of a request whose headers announce a body that we do not read, or None.

    A compressed body gets a 415, because a small one may unpack to gigabytes. A body over the
    app's limit gets a 413.
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
    """The check that a request was signed by its platform, is recent, and is no copy of an earlier
    one.

    Requests are remembered by their signatures, for as long as a copy would count as recent.
    """

    def __init__(
        self,
        platform: str,
        headers: tuple[str, str],
        signature_form: str,
        verify: Read,
        clock: Callable[[], float],
    ) -> None:
        """Create the check. `headers` name the headers with the timestamp and the signature.

        `signature_form` is a regular expression for the signature's text, and `verify` checks it.
        """
        self.platform = platform
        self.headers = headers
        self._verify = verify
        self._clock = clock
        self._form = re.compile(signature_form)
        self._recent_signatures = TTLCache[bytes, None](MAX_SEEN, 2 * MAX_AGE + 1, clock)

    def check_headers(self, timestamp: str, signature: str) -> str:
        """Return what is wrong with the headers of a request, or "". That is checked before its
        body is read.
        """
        if not _TIMESTAMP.fullmatch(timestamp):
            return "no timestamp"
        if not self._form.fullmatch(signature):
            return "bad signature"
        return ""

    def check(self, timestamp: str, signature: str, body: bytes) -> str:
        """Return what is wrong with a whole request, or "". A correct one is remembered."""
        problem = self.check_headers(timestamp, signature)
        if problem:
            return problem
        signature_bytes = self._verify(timestamp, signature, body)
        if signature_bytes is None:
            return "bad signature"
        age = self._clock() - int(timestamp)
        if abs(age) > MAX_AGE:
            often.warning(
                "a request of %s is %.0f s off: look at this machine's clock", self.platform, age
            )
            return "stale"
        if signature_bytes in self._recent_signatures:
            return "replayed"
        self._recent_signatures[signature_bytes] = None
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
        """Check a request of the platform, read its body, and pass both to `take`."""
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
        async with asyncio.timeout(BODY_SECONDS), turn:
            return await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="too slow") from None
    except OSError:  # the sender has disconnected, so nobody reads this
        raise web.HTTPBadRequest(text="broken off") from None


HEAD_SECONDS = 5.0
"""Seconds within which a request's head must arrive."""
LIFE_SECONDS = 60.0
"""Maximum seconds of a connection, longer than any request takes to be answered."""
PLACES = 1_000
PER_ADDRESS = 50
"""Maximum number of connections of one visitor (see `get_address_group`). A proxy forwards those of
all visitors, so one on this machine or in PROXIES has no limit.
"""
BACKLOG = 64
"""Number of connections that the system accepts at once, before others have made room."""
_END_OF_HEAD = (b"\r\n\r\n", b"\n\n")


class Door:
    """The limits of a port. It admits connections and passes them to the protocols that `serve`
    creates.
    """

    def __init__(
        self,
        serve: Callable[[], asyncio.Protocol],
        places: int | None = None,
        *,
        streams: bool = False,
        proxies: Sequence[str] = (),
    ) -> None:
        """Create the door of a port with so many `places`, by default PLACES or fewer.

        `streams`: connections may last until their protocol ends them. `proxies`: networks
        (10.0.0.0/8) of proxies, which forward the connections of all visitors.
        """
        self._proxies = proxies
        self.streams = streams
        self._serve = serve
        self._places = places or limit_places(PLACES)
        self._inside: dict[_Visitor, str] = {}
        self._silent: dict[_Visitor, None] = {}
        self._visitors: Counter[str] = Counter()  # connections by the group of their address

    @property
    def connection_count(self) -> int:
        """The number of open connections."""
        return len(self._inside)

    def __call__(self) -> asyncio.Protocol:
        """Create the protocol of the next connection."""
        return _Visitor(self, self._serve())

    def admit(self, visitor: _Visitor, address: str) -> bool:
        """Give a place to a connection from `address`, and return whether there is one.

        If all places are taken, the connection that has been silent longest is closed. A visitor
        with too many connections gets no place.
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
        """Mark that the head of a connection's request has arrived, so that it need not make
        room.
        """
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
    """The protocol of one connection. Once it is admitted, it passes everything to the inner
    protocol.
    """

    def __init__(self, door: Door, inner: asyncio.Protocol) -> None:
        self._door = door
        self._inner = inner
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._tail: bytes | None = b""  # None: the head is complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the connection and pass it on, or close it at once if the door has no place for it."""
        assert isinstance(transport, asyncio.Transport)
        if not self._door.admit(self, _get_peer_address(transport)):
            transport.abort()
            return
        self._transport = transport
        self._start_timeout(HEAD_SECONDS)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass data on, and watch for the end of the head: from then on the time limit is another
        one. Data of a connection that was not admitted is dropped.
        """
        if self._transport is None:
            return
        if self._tail is not None:
            # Line ends before a head do not count: the parser drops them and goes on waiting.
            text = self._tail + data if self._tail else data.lstrip(b"\r\n")
            self._tail = text[-3:]
            if any(head_end in text for head_end in _END_OF_HEAD):
                self._tail = None
                self._door.mark_as_heard(self)
                self._start_timeout(None if self._door.streams else LIFE_SECONDS)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def connection_lost(self, error: Exception | None) -> None:
        """Give the place back, and tell the inner protocol if it had the connection."""
        self._give_place_back()
        if self._transport is not None:
            self._transport = None
            self._inner.connection_lost(error)

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def hang_up(self) -> None:
        """Give the place back and close the connection at once."""
        self._give_place_back()
        if self._transport is not None:
            self._transport.abort()

    def _start_timeout(self, seconds: float | None) -> None:
        """Close the connection in so many seconds instead of the time set before, or not at all for
        None.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self.hang_up)

    def _give_place_back(self) -> None:
        self._start_timeout(None)
        self._door.free_place(self)


def normalize_address(text: str) -> str:
    """Return an IP address in its usual form, an IPv4 address also if it is mapped to IPv6.

    Return "" for an address of this machine (127.0.0.1) and for any text that is no address.
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = getattr(address, "ipv4_mapped", None) or address
    return "" if mapped.is_loopback else str(mapped)


def get_address_group(address: str) -> str:
    """Return the key under which connections of an address are counted: an IPv4 address itself, the
    /64 network of an IPv6 address, because a home has all addresses of its network.

    `address` is from `normalize_address`; "" has the key "".
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
    """Return the key (see `get_address_group`) of the visitor who sent a request, or "" for one
    from this machine.

    `remote` is the address of the connection, `forwarded` the values of X-Forwarded-For. If a proxy
    on this machine or in `proxies` forwarded the request, the visitor is the last address in
    X-Forwarded-For that is no proxy, which that proxy wrote. Only the last MOST_FORWARDED addresses
    are read, because a stranger may send half a million.
    """
    claimed = ",".join(forwarded).rsplit(",", MOST_FORWARDED)[-MOST_FORWARDED:]
    for text in (remote, *reversed(claimed)):
        address = normalize_address(text.strip())
        if address and not is_within(address, proxies):
            return get_address_group(address)
    return ""


MOST_FORWARDED = 20


def limit_places(places: int) -> int:
    """Return `places`, or half of the files that this process may open if that is less, but at
    least 16.

    The other half is left for everything else.
    """
    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft_limit == resource.RLIM_INFINITY:
        return places
    return max(16, min(places, soft_limit // 2))


def _get_peer_address(transport: asyncio.Transport) -> str:
    """Return the address of the other end of a connection, in the form of `normalize_address`."""
    peer = transport.get_extra_info("peername")
    return normalize_address(str(peer[0])) if peer else ""
