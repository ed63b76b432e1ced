"""A live page on a port of this machine, and those who watch it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import aiohttp

from adapters.web.pages import Pages
from adapters.web_server import Door, open_port
from bot.spectators.watched_games import Hub
from bot.ui.reply.reply import Reply
from tests.playing import Channel
from tests.ports import HERE

ADDRESS = "https://games.example.org"


async def here(function: Callable[..., Any], *arguments: Any, seconds: float = 0) -> Any:
    """Run it in this process: a test needs no worker."""
    assert seconds >= 0
    return function(*arguments)


class Site:
    """The server, and what is asked of it."""

    def __init__(self, hub: Hub, pages: Pages, port: int, session: aiohttp.ClientSession) -> None:
        self.hub, self.pages, self.port, self.session = hub, pages, port, session

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def get(self, path: str, **more: Any) -> tuple[int, str, Any]:
        async with self.session.get(self.at(path), **more) as response:
            return response.status, await response.text(), response.headers

    @asynccontextmanager
    async def watching(self, path: str, **more: Any) -> AsyncIterator[Stream]:
        """Somebody who watches."""
        async with self.session.get(
            self.at(path), timeout=aiohttp.ClientTimeout(None), **more
        ) as response:
            assert response.status == 200, await response.text()
            yield Stream(response.content)


class Stream:
    """Server-sent events as they come."""

    def __init__(self, content: aiohttp.StreamReader) -> None:
        self._content = content
        self.last = ""

    async def next(self, seconds: float = 30.0) -> tuple[str, Any]:
        """The next event with a name, and its data."""
        async with asyncio.timeout(seconds):
            while True:
                fields: dict[str, str] = {}
                while (line := (await self._content.readline()).decode()) != "\n":
                    assert line, "the stream has ended"
                    name, _, value = line.rstrip("\n").partition(": ")
                    fields[name] = value
                self.last = fields.get("id", self.last)
                if "event" in fields:
                    data = fields["data"]
                    return fields["event"], json.loads(data) if data != "-" else None


@asynccontextmanager
async def served(
    channel: Channel, places: int | None = None, *, worker: bool = False
) -> AsyncIterator[Site]:
    """The live page of a channel's app, on a free port; with a `worker` as hosts have it."""
    hub = Hub(channel.app.store, None if worker else here)
    pages = Pages(hub, ADDRESS, places)
    door = partial(Door, places=pages.places + 8, streams=True)
    channel.app.executor.address = ADDRESS
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with (
        aiohttp.ClientSession(connector=connector, auto_decompress=True) as session,
        open_port(
            pages.create_app(), HERE, "", door, shutdown_timeout=0.1, handler_cancellation=True
        ) as server,
    ):
        try:
            yield Site(hub, pages, server.sockets[0].getsockname()[1], session)
        finally:
            await hub.close()


def token_of(reply: Reply) -> str:
    """What nobody can guess in the address of a shared game."""
    address = next(line for line in reply.format_body() if line.startswith(ADDRESS))
    return address.rpartition("/")[2]


async def shared(channel: Channel, name: str = "Anna") -> str:
    """The path of the channel's game once somebody has shared it."""
    return f"/g/{token_of(await channel.do(name, 'game share'))}"
