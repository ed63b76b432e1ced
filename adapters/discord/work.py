"""What every interaction needs: the app, the calls that answer it, how answers are brought, and what Discord knows."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from adapters.discord.calls import Wire
from adapters.discord.delivery import Delivery
from bot.app import App


@dataclass(frozen=True, slots=True)
class Work:
    """The parts of the adapter at work; `client` is the library's connection, asked about channels and servers."""

    app: App
    wire: Wire
    delivery: Delivery
    client: discord.AutoShardedClient
