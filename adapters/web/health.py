"""The port that says how the bot is, with a page for figures where those are installed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from aiohttp import web

from adapters.door import Door
from adapters.listening import listening, one_request
from bot.process.settings import Settings
from bot.sight.health import EVERY, PROBE_SECONDS, Health

log = logging.getLogger(__name__)

PLACES = 64
STALE = 3 * (EVERY + PROBE_SECONDS)
"""Seconds after which what was seen last says nothing any more."""
MISSING = 'No figures here: pip install "grognard[metrics]" on the host adds them.\n'


async def serve(health: Health, figures: Callable[[], bytes] | None, settings: Settings) -> None:
    """Answer until cancelled. Raises UserError where the port is taken."""
    runner = web.AppRunner(pages(health, figures), access_log=None, shutdown_timeout=1.0)
    host, port = settings.health_host, settings.health_port
    hint = "Set HEALTH_PORT to a free one."
    async with listening(runner, host, port, hint, lambda serve: Door(serve, places=PLACES)):
        log.info("health is at port %s of %s", port, host)
        await asyncio.Event().wait()


def pages(health: Health, figures: Callable[[], bytes] | None) -> web.Application:
    """The three pages. Status 200 where all is well, else 503 and what is wrong."""

    async def healthz(_: web.Request) -> web.StreamResponse:
        return _said(_stale(health) or "\n".join(health.sight.troubles))

    async def readyz(_: web.Request) -> web.StreamResponse:
        return _said(_stale(health) or health.sight.unready)

    async def metrics(_: web.Request) -> web.StreamResponse:
        if figures is None:
            return web.Response(status=501, text=MISSING)
        return web.Response(body=figures(), headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    app = web.Application(client_max_size=1024)
    app.on_response_prepare.append(one_request)
    app.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", metrics)])
    return app


def _stale(health: Health) -> str:
    return "nobody has looked for a while" if health.age() > STALE else ""


def _said(problem: str) -> web.Response:
    return web.Response(status=503 if problem else 200, text=f"{problem or 'ok'}\n")
