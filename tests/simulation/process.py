"""One life of the bot: its app, its adapters, its connections. It can be killed between any two steps."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from unittest.mock import patch

from bot.app import App
from bot.odds_worker.pool import Odds, Worker
from bot.stores.sqlite import SqliteStore
from bot.systems import catalog
from tests.simulation import on_discord, on_slack
from tests.simulation.door import Connection, Disk
from tests.simulation.shown import Request

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")
FOLDER = Path(__file__).parents[2] / "packs"
_read = cache(catalog._packs)
"""No world changes them: they are read once."""


@contextmanager
def packs_of(texts: Iterable[str]) -> Iterator[None]:
    """The packs of the repository are there, where any of these commands names one: other worlds do without."""
    named = any(word in text for text in texts for word in ("three-mills", "salt-road"))
    with patch.dict(os.environ, {catalog.PACKS: str(FOLDER)} if named else {}), patch.object(catalog, "_packs", _read):
        catalog.everywhere.cache_clear()
        try:
            yield
        finally:
            catalog.everywhere.cache_clear()


class Inline(Worker):
    """Counts on the spot: no process beside, no clock."""

    async def run(self, function: Callable[..., T], *arguments: Any, seconds: float = 0.0) -> T:
        """What the function gives."""
        return function(*arguments)


class Process:
    """A bot on a database file. `await begin()` in a context where PROCESS names it."""

    def __init__(self, world: World, name: str, path: Path, disk: Disk) -> None:
        self.world, self.name, self.loop, self.path, self.disk = world, name, world.loop, path, disk
        self.alive = self.is_watched = True
        self.connections: list[Connection] = []
        self.at_work: list[Request] = []  # one delivered twice is there twice
        self.stored = 0  # answers
        self.app: App
        self._sides: dict[str, on_discord.Bot | on_slack.Context] = {}

    async def begin(self, *, platforms: bool = True) -> None:
        """Open the store and begin to serve."""
        self.app = App(await SqliteStore.open(self.path, clock=self.loop.wall), self.loop.wall, self.loop.time)
        handling = self.app.handling
        handling.worker = handling.checker = Inline()
        handling.odds = Odds(handling.worker)
        if platforms:
            self._sides = {"discord": on_discord.Bot(self), "slack": on_slack.Context(self)}
            for side in self._sides.values():
                side.begin()

    async def take(self, request: Request) -> None:
        """One delivery of a request."""
        self.at_work.append(request)
        try:
            await self._sides[request.spot.platform].take(request)
        finally:
            self.at_work.remove(request)

    def kill(self) -> None:
        """Nothing of it moves from now on; what was committed stays."""
        self.alive = False
        for connection in self.connections:
            connection.drop()

    async def pass_time(self, delay: Callable[[float], float] | None) -> None:
        """Wait as long as the world says; whose process was killed meanwhile waits for ever."""
        if delay is not None:
            await asyncio.sleep(delay(self.loop.time()))
        if not self.alive:
            await asyncio.get_running_loop().create_future()

    def committed(self, rows: list[tuple[str, list[Any]]]) -> None:
        """What a transaction wrote."""
        self.stored += sum(kind == "request" for kind, _ in rows)
        if self.is_watched:
            self.world.committed(rows)
