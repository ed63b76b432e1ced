"""Turns the knobs of discord.py that make it talk to a stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route


@contextmanager
def pointed_at(api: str) -> Iterator[None]:
    """While inside, every discord.py client of this process talks to the API at `api` and its
    gateway.
    """
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE = api
    DiscordWebSocket.DEFAULT_GATEWAY = gateway_of(api)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway


def gateway_of(api: str) -> yarl.URL:
    """The gateway that belongs to `api`: same host and port, ws for http, path /."""
    url = yarl.URL(api)
    return url.with_scheme("wss" if url.scheme == "https" else "ws").with_path("/")
