"""One life of the bot: its app, its adapters, its connections. It can be killed between any two
steps.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar
from unittest.mock import patch

from bot.app import App
from bot.odds_pool.pool import OddsService, Worker
from bot.rulesets import catalog
from bot.storage.sqlite import SqliteStore
from tests.closed_cards.two_worlds_of_sequences_helpers import CAMP
from tests.packs.conftest import FEW
from tests.packs.draws_helpers import FILES, SEQUENCES
from tests.simulation import on_discord, on_slack
from tests.simulation.door import Connection, Disk
from tests.simulation.shown import Request

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")
FOLDER = Path(__file__).parents[2] / "packs"
_read = cache(catalog._load_packs)
"""No world changes them: they are read once."""


@cache
def _worded() -> TemporaryDirectory[str]:
    """Packs that deal and draw, whose cards are called by words that nothing else is called by, so
    that whoever names one names that card. Three Mills, The Salt Road and the pack of
    tests/packs/test_draws.py."""
    folder = TemporaryDirectory(prefix="grognard-worded-")
    for name in ("three-mills", "salt-road"):
        shutil.copytree(FOLDER / name, Path(folder.name, name))
    for file, text in {**FEW, **FILES, "sequences.yaml": SEQUENCES + CAMP}.items():
        path = Path(folder.name, "few", file)
        path.parent.mkdir(parents=True, exist_ok=True)
        # all see it, and it is nowhere else afterwards
        path.write_text(str(text).replace(", after: back", ""), "utf-8")
    for number, deck in enumerate(sorted(Path(folder.name).glob("*/decks/*.yaml"))):
        _reword(deck, number)
    return folder


def _reword(deck: Path, number: int) -> None:
    """Other words for the cards of a deck, also where tables and examples of The Salt Road name
    them.
    """
    said = deck.read_text("utf-8")
    words = {id: f"k{900 + number}c{card}x" for card, id in enumerate(_CARD.findall(said))}
    said = _CARD.sub(lambda found: f"{{id: {words[found[1]]}", _NAME.sub("", said))
    deck.write_text(said, "utf-8")
    for file in deck.parents[1].glob("*.yaml") if deck.parents[1].name == "salt-road" else ():
        text = file.read_text("utf-8")
        for id, word in words.items():
            text = re.sub(rf"(?<![\w-]){id}(?![\w-])", word, text)
        file.write_text(text, "utf-8")


_CARD = re.compile(r"(?<=[\[ ])\{id: ([a-z-]+)")
_NAME = re.compile(r', name: ("[^"]*"|\w+)')


@contextmanager
def packs_of(texts: Iterable[str], folder: Path | None = None) -> Iterator[None]:
    """Packs of this folder are there, else those whose cards have words of their own, where any of
    these commands names one: other worlds do without."""
    named = any(word in text for text in texts for word in ("three-mills", "salt-road", "few"))
    packs = {catalog.PACKS: str(folder or _worded().name)} if named else {}
    with patch.dict(os.environ, packs), patch.object(catalog, "_load_packs", _read):
        catalog.load_shared_systems.cache_clear()
        try:
            yield
        finally:
            catalog.load_shared_systems.cache_clear()


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
        self.app = App(
            await SqliteStore.open(self.path, clock=self.loop.wall), self.loop.wall, self.loop.time
        )
        handling = self.app.executor
        handling.worker = handling.checker = Inline()
        handling.odds = OddsService(handling.worker)
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
