"""The live page's server, and what its addresses answer: the page, its stream of events, its
picture. GET alone; nothing is written."""

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
WATCHERS_OF_ONE = 40
"""Watchers of one address. A proxy, on this machine or one of PROXIES, brings everybody's and
says whose.
"""
PLACES = 8_000
SLOW = 10.0
"""Seconds within which a message has to leave; whoever reads slower is sent home, and may come
again.
"""
PAGE_SECONDS = 60.0
CHUNK = 2**16
STILL_HERE = 25.0
LONGEST = 6 * 3600.0
"""Seconds after which a stream ends; a page that is still open asks for the next one by itself."""
AGAIN_MS = (1_500, 6_000)
"""Within so many milliseconds a page that lost its stream tries again: not all at once."""
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
GONE = "Nothing is shared here: the address is wrong, or has ended."


class Pages:
    """Answers requests, within limits."""

    def __init__(
        self, hub: Hub, address: str, places: int | None = None, *, proxies: Sequence[str] = ()
    ) -> None:
        self._hub = hub
        self._address = address
        self._proxies = proxies
        self.places = places or limit_places(PLACES)
        self._addresses: Counter[str] = Counter()

    def create_app(self) -> web.Application:
        """The web application."""
        app = web.Application(client_max_size=1024)
        game = {
            "": self.handle_page,
            "/events": self.handle_events,
            "/card.png": self.handle_picture,
        }
        app.add_routes([web.get(f"/g/{{token}}{rest}", look) for rest, look in game.items()])
        app.add_routes([web.get("/health", _build_health_response)])
        return app

    async def handle_page(self, request: web.Request) -> web.StreamResponse:
        """The page as it is now."""
        token = request.match_info["token"]
        game = await self._hub.find(token)
        # beside a link; chats take only PNG
        picture = f"{self._address}/g/{token}/card.png" if find_rasterizer() else ""
        page = await game.get_page(f"{token}/events", picture) if game is not None else None
        if page is None:
            return _build_gone_response()
        packs = "gzip" in request.headers.get("Accept-Encoding", "")
        headers = {**SAFE, "Content-Security-Policy": page.policy, "Vary": "Accept-Encoding"}
        body = page.packed if packs else page.plain
        headers |= {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        response = web.StreamResponse(
            headers=headers | ({"Content-Encoding": "gzip"} if packs else {})
        )
        with _hang_up_on_slow_reader(request):
            async with asyncio.timeout(PAGE_SECONDS):
                await response.prepare(request)
                if request.method != "HEAD":
                    for start in range(0, len(body), CHUNK):
                        await response.write(body[start : start + CHUNK])
                await response.write_eof()
        return response

    async def handle_picture(self, request: web.Request) -> web.StreamResponse:
        """The picture that a chat shows beside a link."""
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
        """The stream of what happens behind the event that the page knows."""
        token = request.match_info["token"]
        game = await self._hub.find(token)
        known = request.headers.get("Last-Event-ID") or request.query.get("after", "0")
        if game is None or not (known.isascii() and known.isdecimal() and len(known) < 10):
            return _build_gone_response()
        if request.method != "GET":
            return web.Response(status=405, headers=SAFE)
        visitor = find_visitor_group(
            request.remote or "", request.headers.getall("X-Forwarded-For", ()), self._proxies
        )
        if (
            self._hub.watching >= self.places
            or len(game.watchers) >= WATCHERS
            or (visitor and self._addresses[visitor] >= WATCHERS_OF_ONE)
        ):
            often.warning("too many watch; further ones are asked to come later")
            later = {**SAFE, "Retry-After": "60"}
            return web.Response(status=503, text="Too many are watching just now.", headers=later)
        if not game.number:  # this process has not read it yet
            await game.update()
        watcher = Watcher(int(known))
        self._addresses[visitor] += 1
        self._hub.enter(token, game, watcher)
        try:
            return await self._stream_events(request, game, watcher)
        finally:
            game.watchers.discard(watcher)
            self._addresses[visitor] -= 1
            if not self._addresses[visitor]:
                del self._addresses[visitor]

    async def _stream_events(
        self, request: web.Request, game: WatchedGame, watcher: Watcher
    ) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={**SAFE, "Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
        )
        with _hang_up_on_slow_reader(request):
            await response.prepare(request)
            await response.write(f"retry: {random.randint(*AGAIN_MS)}\n\n".encode())
            until = asyncio.get_running_loop().time() + LONGEST
            while asyncio.get_running_loop().time() < until:
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
    """Hangs up on whoever does not read: what is written for them waits no longer in memory."""
    try:
        yield
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
    except ConnectionError:
        pass  # they have left


def _build_gone_response() -> web.Response:
    return web.Response(status=404, text=GONE, headers=SAFE)


async def _build_health_response(_: web.Request) -> web.Response:
    return web.Response(text="ok", headers=SAFE)


SPARE = 64
"""Connections beside those that watch: pages that are being loaded."""


async def serve_shared_games(app: App, settings: Settings) -> None:
    """Serve shared games until cancelled. Raises UserError where the port is taken."""
    hub = Hub(app.store)
    pages = Pages(hub, settings.address, proxies=settings.proxies)
    live = pages.create_app()
    # whoever watches is let go before their connections are waited for
    live.on_shutdown.append(lambda _: hub.close())
    door = partial(Door, places=pages.places + SPARE, streams=True, proxies=settings.proxies)
    at = (settings.live_host, settings.live_port)
    hint = "Set LIVE_PORT to a free one."
    told = f"shared games are at {settings.address}"
    await serve_until_cancelled(
        live, at, hint, told, door, shutdown_timeout=1.0, handler_cancellation=True
    )
