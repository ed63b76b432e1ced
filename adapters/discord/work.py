"""What every interaction needs: the app, the calls that answer it, how answers are brought, and what Discord knows."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from adapters.discord.calls import Wire
from adapters.discord.delivery import Delivery
from adapters.discord.server_commands import ServerCommands
from bot.app import App


@dataclass(frozen=True, slots=True)
class Work:
    """The parts of the adapter at work; `client` is the library's connection, asked about channels and servers, and
    `servers` sees to the commands of their packs."""

    app: App
    wire: Wire
    delivery: Delivery
    client: discord.AutoShardedClient
    servers: ServerCommands | None = None
