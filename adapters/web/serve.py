"""The life of the live page's server: listens on its own port until it is cancelled."""

from __future__ import annotations

import asyncio
import logging

from aiohttp import web

from adapters.door import BACKLOG, Door
from adapters.web.pages import Pages
from bot.app import App
from bot.rules.errors import UserError
from bot.settings import Settings

log = logging.getLogger(__name__)

SPARE = 64
"""Connections beside those that watch: pages that are being loaded."""


async def serve(app: App, settings: Settings) -> None:
    """Serve shared games until cancelled. Raises UserError where the port is taken."""
    hub = app.hub()
    pages = Pages(hub, settings.address)
    runner = web.AppRunner(pages.app(), access_log=None, shutdown_timeout=1.0, handler_cancellation=True)
    await runner.setup()
    try:
        assert runner.server is not None
        loop = asyncio.get_running_loop()
        door = Door(runner.server, places=pages.places + SPARE, streams=True)
        try:
            server = await loop.create_server(door, settings.live_host, settings.live_port, backlog=BACKLOG)
        except OSError as error:
            raise UserError(
                f"Port {settings.live_port} cannot be listened on: {error.strerror or error}.",
                hint="Set LIVE_PORT to a free one.",
                code="port-taken",
            ) from None
        log.info("shared games are at %s", settings.address)
        try:
            await asyncio.Event().wait()
        finally:
            server.close()
    finally:
        await hub.close()
        await runner.cleanup()
