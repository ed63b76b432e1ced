"""The life of the Slack adapter: begins, stays connected, ends without losing an answer."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from functools import partial
from typing import Any

from aiohttp import web
from slack_bolt.app.async_app import AsyncApp

from adapters.listening import listen
from adapters.slack.app import make_bolt
from adapters.slack.calls import Busy, Wire
from adapters.slack.channels import is_there
from adapters.slack.http import PATH, web_app
from adapters.slack.incoming import Listeners
from adapters.slack.oauth import Installer
from adapters.slack.request import PLATFORM
from adapters.slack.settings import has_oauth
from adapters.slack.socket import Socket
from adapters.slack.teams import StoreVault, Team, Teams, own_team
from adapters.slack.work import Work
from bot.app import App
from bot.outbox.receipts import watch
from bot.process.settings import Settings

log = logging.getLogger(__name__)

END_PATIENCE = 8.0
LAST_POSTS = 5.0


async def serve(app: App, settings: Settings) -> None:
    """Serve Slack until cancelled. Raises UserError for what Slack refuses for good."""
    wire = Wire()
    vault = StoreVault(app, settings.key) if has_oauth(settings) else None
    teams = Teams(vault)
    work = Work(app, wire, teams)
    listeners = Listeners(work)
    bolt = make_bolt(listeners, teams, wire)
    app.links["slack"] = lambda: "not connected"
    app.asks("slack", partial(is_there, wire, teams))
    try:
        if settings.slack_bot_token:
            teams.add(team := await _own_team(wire, settings.slack_bot_token))
            await app.server_joined(f"{PLATFORM}{team.id}")
        if settings.slack_app_token:
            connection = _socket_mode(app, bolt, wire, settings)
        else:
            pages = Installer(app, settings, wire, teams, vault).routes() if vault is not None else []
            connection = _http_mode(app, bolt, pages, settings)
        owed = watch(lambda: app.unanswered(PLATFORM), listeners.make_good, app.broken)
        await _until_one_fails(work.posts.outbox.run(), owed, connection)
    finally:
        app.links["slack"] = lambda: "its connection ended"
        await _finish(work)
        await wire.close()


async def _own_team(wire: Wire, token: str) -> Team:
    """The token's workspace; waits while Slack cannot be reached."""
    wait = 0.5
    while True:
        try:
            return await own_team(wire, token)
        except Busy as busy:
            log.warning("Slack cannot be reached: %s", busy)
            await asyncio.sleep(max(wait, busy.seconds))
            wait = min(wait * 2, 30.0)


async def _socket_mode(app: App, bolt: AsyncApp, wire: Wire, settings: Settings) -> None:
    socket = Socket(bolt, wire, settings.slack_app_token)
    app.links["slack"] = socket.trouble
    try:
        await socket.run()
    finally:
        await socket.close()


async def _http_mode(app: App, bolt: AsyncApp, pages: list[web.RouteDef], settings: Settings) -> None:
    site = web_app(bolt, settings.slack_signing_secret, pages)
    hint = "Set PORT to a free one, or SLACK_HOST to an address of this machine."

    def listens() -> None:
        app.links["slack"] = str  # nothing is wrong

    await listen(site, settings.slack_host, settings.port, hint, PATH, settings.proxies, listens)


async def _until_one_fails(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends or this is cancelled; then the others are ended."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _finish(work: Work) -> None:
    """Wait for answers on their way; what takes longer stays in the outbox."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(work.idle.wait(), END_PATIENCE)
    await work.posts.outbox.stop(LAST_POSTS)
