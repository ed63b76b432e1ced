"""The life of the live page's server: listens on its own port until it is cancelled."""

from __future__ import annotations

import asyncio
import logging

from aiohttp import web

from adapters.door import Door
from adapters.listening import listening
from adapters.web.pages import Pages
from bot.app import App
from bot.process.settings import Settings

log = logging.getLogger(__name__)

SPARE = 64
"""Connections beside those that watch: pages that are being loaded."""


async def serve(app: App, settings: Settings) -> None:
    """Serve shared games until cancelled. Raises UserError where the port is taken."""
    hub = app.hub()
    pages = Pages(hub, settings.address, proxies=settings.proxies)
    live = pages.app()
    live.on_shutdown.append(lambda _: hub.close())  # whoever watches is let go before their connections are waited for
    runner = web.AppRunner(live, access_log=None, shutdown_timeout=1.0, handler_cancellation=True)
    places = pages.places + SPARE
    host, port, hint = settings.live_host, settings.live_port, "Set LIVE_PORT to a free one."
    async with listening(
        runner, host, port, hint, lambda serve: Door(serve, places=places, streams=True, proxies=settings.proxies)
    ):
        log.info("shared games are at %s", settings.address)
        await asyncio.Event().wait()
