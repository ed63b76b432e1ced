"""The life of the bot on Discord: logs in, stays connected, ends without losing an answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

import aiohttp
import discord

from adapters.discord.channels import is_member
from adapters.discord.client import Grognard
from bot.app import App
from bot.process.settings import Settings
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

WAITS = (1.0, 2.0, 5.0, 15.0, 60.0)
_CODES = {
    4004: "it does not accept this DISCORD_TOKEN",
    4010: "SHARD_IDS does not fit SHARD_COUNT",
    4011: "the bot is in too many servers for one shard; remove SHARD_COUNT, or raise it",
}


async def serve(app: App, settings: Settings) -> None:
    """Serve Discord until cancelled; then finish what runs. Raises UserError for what Discord refuses for good."""
    client = Grognard(app, settings)
    app.links["discord"] = client.trouble
    app.asks("discord", partial(is_member, client.http))
    try:
        await _with_retries("log in to", lambda: client.login(settings.discord_token))
        if settings.discord_public_key:
            from adapters.discord.http import PATH, web_app
            from adapters.listening import listen

            app.links["discord"] = str  # no gateway that could be gone
            hint = "Set DISCORD_PORT to a free one, or DISCORD_HOST to an address of this machine."
            host, port = settings.discord_host, settings.discord_port
            site = web_app(settings.discord_public_key, client.receive)
            await listen(site, host, port, hint, PATH, settings.proxies)
        await _with_retries("connect to", client.connect)
    except discord.LoginFailure:
        raise UserError(
            "Discord does not know this DISCORD_TOKEN.",
            hint="Copy it again: Developer Portal, your application, Bot, Reset Token.",
            code="token-refused",
        ) from None
    except discord.ConnectionClosed as closed:
        reason = _CODES.get(closed.code, closed.reason or "no reason given")
        raise UserError(
            f"Discord closed the connection (code {closed.code}): {reason}.", code="connection-closed"
        ) from None
    finally:
        app.links["discord"] = lambda: "its connection ended"
        await client.stop()


async def _with_retries(what: str, call: Callable[[], Awaitable[None]]) -> None:
    """Do it, and try again while Discord cannot be reached."""
    tried = 0
    while True:
        try:
            await call()
            return
        except (aiohttp.ClientError, TimeoutError, OSError, discord.GatewayNotFound, discord.HTTPException) as error:
            if isinstance(error, discord.HTTPException) and error.status < 500 and error.status != 429:
                raise
            wait = WAITS[min(tried, len(WAITS) - 1)]
            tried += 1
            log.error("cannot %s Discord (%s); next try in %g s", what, type(error).__name__, wait)
            await asyncio.sleep(wait)
