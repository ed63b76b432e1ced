"""What the routes share, and the web server that carries them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from tests.standins.discord.callbacks import Callbacks
from tests.standins.discord.clock import Clock, Signal
from tests.standins.discord.commands import Commands
from tests.standins.discord.errors import ApiError, Json
from tests.standins.discord.faults import Fault, Faults
from tests.standins.discord.gateway import GUILDS, Gateway
from tests.standins.discord.payloads import channel_json, guild_json
from tests.standins.discord.posting import Posting
from tests.standins.discord.rest import API, Rest, answered
from tests.standins.discord.settings import Settings
from tests.standins.discord.signed import Webhooks
from tests.standins.discord.state import Channel, ChannelKind, Guild, World


@dataclass(frozen=True, slots=True)
class Call:
    """One REST request as it was answered."""

    method: str
    path: str
    status: int
    at: float  # monotonic
    took: float  # seconds


class Limiter:
    """Counts calls in a sliding window."""

    def __init__(self, calls: int, seconds: float) -> None:
        self.calls, self.seconds = calls, seconds
        self._times: dict[str, deque[float]] = {}

    def take(self, key: str) -> tuple[int, float]:
        """(calls left, seconds until the window moves on); -1 left: refused, and not counted."""
        now, times = time.monotonic(), self._times.setdefault(key, deque())
        while times and times[0] <= now - self.seconds:
            times.popleft()
        if len(times) >= self.calls:
            return -1, times[0] + self.seconds - now
        times.append(now)
        return self.calls - len(times), times[0] + self.seconds - now


class Site:
    """The stand-in's inside: the world, its rules, and the server on 127.0.0.1."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = Clock()
        self.world = World(self.clock)
        self.changed = Signal()
        self.gateway = Gateway(self.world, settings, self.changed)
        self.commands = Commands(
            self.clock, self.world.ids, self.world.bot.id, settings.daily_creations
        )
        self.posting = Posting(self.world, self.gateway, lambda: self.base_url, self.changed.fire)
        self.faults = Faults()
        self.webhooks = Webhooks(self.world.signing)
        self.calls: list[Call] = []
        self.unknown: list[str] = []  # routes asked for that the stand-in lacks
        self.base_url = ""
        self._rest = Rest(self)
        self._per_second = Limiter(settings.requests_per_second, 1.0)
        self._per_channel = Limiter(*settings.messages_per_channel)
        self._stopped = asyncio.Event()
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen on a free port."""
        app = web.Application(middlewares=[self._middleware()], client_max_size=200 * 1024 * 1024)
        app.add_routes(self._rest.routes())
        app.add_routes(Callbacks(self).routes())
        app.router.add_get("/", self.gateway.connect)
        app.router.add_get("/cdn/{file}/{name}", self._cdn)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{port}"
        self.gateway.url = f"ws://127.0.0.1:{port}/"

    async def stop(self) -> None:
        """Close every connection and stop listening."""
        self._stopped.set()
        await self.webhooks.stop()
        self.gateway.down = True
        self.gateway.drop()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _cdn(self, request: web.Request) -> web.Response:
        file = self.world.files.get(int(request.match_info["file"]))
        return web.Response(status=404) if file is None else web.Response(body=file.data)

    # every request passes here

    def _middleware(self) -> Middleware:
        @web.middleware
        async def serve(request: web.Request, handler: Handler) -> web.StreamResponse:
            if not request.path.startswith(API):
                return await handler(request)
            began = time.monotonic()
            hits = self.faults.hitting(f"{request.method} {request.path}")
            if hits:
                self.changed.fire()
            response = await self._before(request, hits) or await self._handled(request, handler)
            took = time.monotonic() - began
            self.calls.append(
                Call(request.method, request.path.removeprefix(API), response.status, began, took)
            )
            self.changed.fire()
            await self._after(request, hits)
            return response

        return serve

    async def _before(self, request: web.Request, hits: list[Fault]) -> web.Response | None:
        for fault in hits:
            if fault.what == "slow":
                await asyncio.sleep(fault.seconds)
            elif fault.what == "cut":
                _cut(request)
                return web.Response(status=599)
            elif fault.what == "swallowed":
                await self._stopped.wait()
                return web.Response(status=599)
            elif fault.what == "status":
                return answered({"message": f"{fault.status}: fault", "code": 0}, fault.status)
            elif fault.what == "rate":
                return _too_many(fault.seconds, everywhere=fault.everywhere)
        return None

    async def _after(self, request: web.Request, hits: list[Fault]) -> None:
        for fault in hits:
            if fault.what == "lost":
                _cut(request)
            elif fault.what == "unanswered":
                await self._stopped.wait()

    async def _handled(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        own = request.path.removeprefix(API)
        by_token = own.startswith(("/interactions/", "/webhooks/"))
        try:
            if not by_token:
                self._rest.check_token(request)
                if (refused := self._over_limit()) is not None:
                    return refused
            headers = self._channel_limit(request, own)
            if isinstance(headers, web.Response):
                return headers
            response = await handler(request)
            response.headers.update(headers)
            return response
        except ApiError as refusal:
            return answered(refusal.body(), refusal.status)
        except web.HTTPException as missing:
            self.unknown.append(f"{request.method} {own}")
            return answered(
                {"message": f"{missing.status}: {missing.reason}", "code": 0}, missing.status
            )

    def _over_limit(self) -> web.Response | None:
        if not self.settings.requests_per_second:
            return None
        left, wait = self._per_second.take("")
        return _too_many(wait, everywhere=True) if left < 0 else None

    def _channel_limit(self, request: web.Request, own: str) -> dict[str, str] | web.Response:
        posting = (
            request.method == "POST" and own.startswith("/channels/") and own.endswith("/messages")
        )
        if not posting or not self._per_channel.calls:
            return {}
        left, wait = self._per_channel.take(own)
        headers = {
            "X-RateLimit-Bucket": "messages",
            "X-RateLimit-Limit": str(self._per_channel.calls),
            "X-RateLimit-Remaining": str(max(left, 0)),
            "X-RateLimit-Reset": f"{time.time() + wait:.3f}",
            "X-RateLimit-Reset-After": f"{wait:.3f}",
        }
        return headers if left >= 0 else _too_many(wait, everywhere=False, headers=headers)

    def deliver(self, guild: Guild | None, event: Json) -> None:
        """INTERACTION_CREATE: to the application's address where it has one, else over the
        gateway.
        """
        if self.world.signing.url:
            self.webhooks.deliver(event)
        else:
            self.gateway.dispatch(guild, "INTERACTION_CREATE", event)

    # servers come and go

    def announce_guild(self, guild: Guild, *, returning: bool = False) -> None:
        """GUILD_CREATE: the bot was added, or an outage is over."""
        data = guild_json(self.world, guild)
        self.gateway.dispatch(
            guild, "GUILD_CREATE", data | ({"unavailable": False} if returning else {}), GUILDS
        )

    def announce_channel(self, channel: Channel) -> None:
        """CHANNEL_CREATE or THREAD_CREATE."""
        event = "THREAD_CREATE" if channel.kind is ChannelKind.THREAD else "CHANNEL_CREATE"
        self.gateway.dispatch(channel.guild, event, channel_json(self.world, channel), GUILDS)

    def update_channel(self, channel: Channel) -> None:
        """CHANNEL_UPDATE or THREAD_UPDATE, after its permissions changed, or a thread was shut."""
        event = "THREAD_UPDATE" if channel.kind is ChannelKind.THREAD else "CHANNEL_UPDATE"
        self.gateway.dispatch(channel.guild, event, channel_json(self.world, channel), GUILDS)

    def remove_bot(self, guild: Guild) -> None:
        """GUILD_DELETE without `unavailable`: the bot was removed, or left."""
        guild.has_bot = False
        self.gateway.dispatch(guild, "GUILD_DELETE", {"id": str(guild.id)}, GUILDS)

    def outage(self, guild: Guild) -> None:
        """GUILD_DELETE with `unavailable`: the server cannot be reached for now."""
        guild.available = False
        self.gateway.dispatch(
            guild, "GUILD_DELETE", {"id": str(guild.id), "unavailable": True}, GUILDS
        )


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


def _too_many(
    seconds: float, *, everywhere: bool, headers: dict[str, str] | None = None
) -> web.Response:
    body: Json = {
        "message": "You are being rate limited.",
        "retry_after": round(seconds, 3),
        "global": everywhere,
    }
    response = answered(body, 429)
    scope = {"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"} if everywhere else {}
    # clients take a 429 without Via for a ban by Cloudflare
    response.headers.update(
        {"Via": "1.1 standin", "Retry-After": f"{seconds:.3f}", **scope, **(headers or {})}
    )
    return response
