"""What every interaction needs: the app, the calls that answer it, how answers are brought, and what Discord knows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import discord

from adapters.discord.calls import Wire
from adapters.discord.delivery import Delivery
from adapters.discord.server_commands import ServerCommands
from bot.app import App
from bot.outbox.receipts import NOT_WRITTEN

BEFORE_A_RECEIPT = 2.0
"""Seconds for what has to be read before anything can be shown, such as a form."""


@dataclass(frozen=True, slots=True)
class Work:
    """The parts of the adapter at work; `client` is the library's connection, asked about channels and servers, and
    `servers` sees to the commands of their packs."""

    app: App
    wire: Wire
    delivery: Delivery
    client: discord.AutoShardedClient
    servers: ServerCommands | None = None


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """A block that reads what the first response needs. Raises UserError where the store takes too long for that."""
    try:
        async with asyncio.timeout(BEFORE_A_RECEIPT):
            yield
    except TimeoutError:
        raise NOT_WRITTEN from None
