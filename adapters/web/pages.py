"""The server of the live page: the page of a shared game, its stream of events, and its picture.

It answers only GET requests, and changes no data.
"""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from aiohttp import web

from adapters.web_server import Door, find_visitor_group, limit_places, serve_until_cancelled
from bot.app import App
from bot.charts.png import find_rasterizer
from bot.rules.errors import UserError
from bot.runtime.logs import get_seldom_logger
from bot.runtime.settings import Settings
from bot.spectators.watched_games import BYE, Hub, WatchedGame, Watcher

often = get_seldom_logger(f"{__name__}.often")

WATCHERS = 5_000
"""Maximum number of streams of one game."""
WATCHERS_OF_ONE = 40
"""Maximum number of streams to one address. If a proxy on this machine or in PROXIES forwards the
requests, it is the address that the proxy names.
"""
PLACES = 8_000
"""Maximum number of streams of this process."""
SLOW = 10.0
"""Seconds within which a reader must take a message. A slower one is disconnected, and may connect
again.
"""
PAGE_SECONDS = 60.0
"""Seconds within which a reader must take a page."""
CHUNK = 2**16
STILL_HERE = 25.0
"""Seconds without events after which a comment is sent, so that the stream stays open."""
LONGEST = 6 * 3600.0
"""Seconds after which a stream ends. A page that is still open asks for the next one by itself."""
AGAIN_MS = (1_500, 6_000)
"""Milliseconds, from and to, after which a page that lost its stream connects again. Each page gets
a random number, so that not all connect at once.
"""
SAFE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Connection": "close",
}
GONE = "Nothing is shared here: the link is wrong or no longer works."


class Pages:
    """The handlers of the live page, within limits."""

    def __init__(
        self, hub: Hub, address: str, places: int | None = None, *, proxies: Sequence[str] = ()
    ) -> None:
        self._hub = hub
        self._address = address
        self._proxies = proxies
        self.places = places or limit_places(PLACES)
        self._addresses: Counter[str] = Counter()

    def create_app(self) -> web.Application:
        """Create the web application with all handlers."""
        app = web.Application(client_max_size=1024)
        handlers = {
            "": self.handle_page,
            "/events": self.handle_events,
            "/card.png": self.handle_picture,
        }
        for path, handler in handlers.items():
            app.add_routes([web.get(f"/g/{{token}}{path}", handler)])
        app.add_routes([web.get("/health", _build_health_response)])
        return app

    async def handle_page(self, request: web.Request) -> web.StreamResponse:
        """Send the page of a game as it is now, compressed if the browser takes that.

        Respond with 404 if no game is shared at the address.
        """
        token = request.match_info["token"]
        game = await self._hub.find(token)
        # chats show this picture with a link, and take only PNG
        picture = f"{self._address}/g/{token}/card.png" if find_rasterizer() else ""
        page = await game.get_page(f"{token}/events", picture) if game is not None else None
        if page is None:
            return _build_gone_response()
        takes_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
        headers = {**SAFE, "Content-Security-Policy": page.policy, "Vary": "Accept-Encoding"}
        body = page.packed if takes_gzip else page.plain
        headers |= {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        if takes_gzip:
            headers["Content-Encoding"] = "gzip"
        response = web.StreamResponse(headers=headers)
        with _hang_up_on_slow_reader(request):
            async with asyncio.timeout(PAGE_SECONDS):
                await response.prepare(request)
                if request.method != "HEAD":
                    for start in range(0, len(body), CHUNK):
                        await response.write(body[start : start + CHUNK])
                await response.write_eof()
        return response

    async def handle_picture(self, request: web.Request) -> web.StreamResponse:
        """Send the picture that a chat shows with a link, or respond with 404."""
        game = await self._hub.find(request.match_info["token"])
        if game is None or not find_rasterizer():
            return _build_gone_response()
        try:
            return web.Response(
                body=await game.build_picture(), content_type="image/png", headers=SAFE
            )
        except UserError:
            return _build_gone_response()

    async def handle_events(self, request: web.Request) -> web.StreamResponse:
        """Send the stream of events after the last one that the page has.

        Respond with 404 for an unknown game or a bad number, with 503 if there are too many
        watchers.
        """
        token = request.match_info["token"]
        game = await self._hub.find(token)
        event_id = request.headers.get("Last-Event-ID") or request.query.get("after", "0")
        is_number = event_id.isascii() and event_id.isdecimal() and len(event_id) < 10
        if game is None or not is_number:
            return _build_gone_response()
        if request.method != "GET":
            return web.Response(status=405, headers=SAFE)
        visitor = find_visitor_group(
            request.remote or "", request.headers.getall("X-Forwarded-For", ()), self._proxies
        )
        if self._has_too_many_watchers(game, visitor):
            often.warning("too many watch; further ones are asked to come later")
            headers = {**SAFE, "Retry-After": "60"}
            return web.Response(
                status=503, text="Too many people are watching right now.", headers=headers
            )
        if not game.number:  # this process has not loaded it yet
            await game.update()
        watcher = Watcher(int(event_id))
        self._addresses[visitor] += 1
        self._hub.enter(token, game, watcher)
        try:
            return await self._stream_events(request, game, watcher)
        finally:
            game.watchers.discard(watcher)
            self._addresses[visitor] -= 1
            if not self._addresses[visitor]:
                del self._addresses[visitor]

    def _has_too_many_watchers(self, game: WatchedGame, visitor: str) -> bool:
        """Return whether this process, the game or the visitor's address has all its streams."""
        if self._hub.watching >= self.places or len(game.watchers) >= WATCHERS:
            return True
        return bool(visitor) and self._addresses[visitor] >= WATCHERS_OF_ONE

    async def _stream_events(
        self, request: web.Request, game: WatchedGame, watcher: Watcher
    ) -> web.StreamResponse:
        """Send the events that a watcher has not got, and new ones as they come, until the sharing
        ends, the reader is too slow or leaves, or LONGEST seconds are over.
        """
        headers = {**SAFE, "Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
        response = web.StreamResponse(headers=headers)
        clock = asyncio.get_running_loop().time
        with _hang_up_on_slow_reader(request):
            await response.prepare(request)
            await response.write(f"retry: {random.randint(*AGAIN_MS)}\n\n".encode())
            deadline = clock() + LONGEST
            while clock() < deadline:
                for message in game.list_missed_messages(watcher):
                    await asyncio.wait_for(response.write(message), SLOW)
                if game.ended:
                    await asyncio.wait_for(response.write(BYE), SLOW)
                    break
                try:
                    await asyncio.wait_for(watcher.signal.wait(), STILL_HERE)
                    watcher.signal.clear()
                except TimeoutError:
                    await asyncio.wait_for(response.write(b": still here\n\n"), SLOW)
        return response


@contextlib.contextmanager
def _hang_up_on_slow_reader(request: web.Request) -> Iterator[None]:
    """Close the connection if the block times out, so that unsent data does not stay in memory. A
    reader who has left ends the block quietly.
    """
    try:
        yield
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
    except ConnectionError:
        pass


def _build_gone_response() -> web.Response:
    return web.Response(status=404, text=GONE, headers=SAFE)


async def _build_health_response(_: web.Request) -> web.Response:
    return web.Response(text="ok", headers=SAFE)


SPARE = 64
"""Number of connections in addition to the streams, for pages that are being loaded."""


async def serve_shared_games(app: App, settings: Settings) -> None:
    """Serve shared games until cancelled. Raises UserError if the port is taken."""
    hub = Hub(app.store)
    pages = Pages(hub, settings.address, proxies=settings.proxies)
    live = pages.create_app()
    # the streams end before the server waits for their connections
    live.on_shutdown.append(lambda _: hub.close())
    door = partial(Door, places=pages.places + SPARE, streams=True, proxies=settings.proxies)
    address = (settings.live_host, settings.live_port)
    hint = "Set LIVE_PORT to a free one."
    message = f"shared games are at {settings.address}"
    await serve_until_cancelled(
        live, address, hint, message, door, shutdown_timeout=1.0, handler_cancellation=True
    )
