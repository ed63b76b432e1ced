"""All games that are watched from outside: found by their addresses, read once a second while anybody watches."""

from __future__ import annotations

import asyncio
from time import monotonic

from bot.commands.games.export import key_of, row_of
from bot.live.watched import Watched, Watcher
from bot.odds_worker.pool import Worker
from bot.process.logs import seldom
from bot.report.facts import Apart
from bot.stores.store import Store

often = seldom(__name__)

EVERY = 1.0
"""Seconds between two looks at a game that is watched."""
SHARE_OF_TIME, LONGEST_PAUSE = 2, 10.0
"""A game whose update takes long is looked at less often: so many times as long, up to so many seconds."""
MOST_GAMES = 200
IDLE = 120.0
"""Seconds for which a game is kept that nobody looks at."""
LONGEST_TOKEN = 64


class Hub:
    """The games behind the addresses that were given out."""

    def __init__(self, store: Store, apart: Apart | None = None) -> None:
        self._worker = Worker(busy="Other pages are being made just now.")
        self._store, self._apart = store, apart or self._worker.run
        self._games: dict[str, Watched] = {}
        self._following: dict[str, asyncio.Task[None]] = {}

    @property
    def watching(self) -> int:
        """How many watch, over all games."""
        return sum(len(game.watchers) for game in self._games.values())

    async def find(self, token: str) -> Watched | None:
        """The game behind an address; None where nothing is shared under it, or no longer."""
        if not (0 < len(token) <= LONGEST_TOKEN and token.isalnum() and token.isascii()):
            return None
        key = key_of(token)
        row = await row_of(self._store, key)
        if not row:
            return None
        if key not in self._games:
            self._make_room()
            self._games[key] = Watched(self._store, self._apart, row)
        self._games[key].used = monotonic()
        return self._games[key]

    def enter(self, token: str, game: Watched, watcher: Watcher) -> None:
        """Somebody watches: from now on the game is followed."""
        key = key_of(token)
        game.watchers.add(watcher)
        if key not in self._following or self._following[key].done():
            self._following[key] = asyncio.create_task(self._follow(key, game))

    async def close(self) -> None:
        """Send everybody home, and end the worker."""
        tasks = list(self._following.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._worker.close()

    async def _follow(self, key: str, game: Watched) -> None:
        """Look at the game until nobody watches any more, or it is no longer shared."""
        while game.watchers:
            took = 0.0
            try:
                if await row_of(self._store, key) != game.row:
                    self._games.pop(key, None)
                    await game.end()
                    return
                took = await game.update()
            except Exception as error:
                often.error("a watched game could not be read: %s", error)
            await asyncio.sleep(max(EVERY, min(SHARE_OF_TIME * took, LONGEST_PAUSE)))
        game.used = monotonic()

    def _make_room(self) -> None:
        """Forget games that nobody has looked at lately, and the one that was not for longest where they are many."""
        idle = sorted((game.used, key) for key, game in self._games.items() if not game.watchers)
        gone = [key for used, key in idle if used < monotonic() - IDLE]
        if len(self._games) - len(gone) >= MOST_GAMES:
            gone += [key for _, key in idle if key not in gone][:1]
        for key in gone:
            del self._games[key]
            self._following.pop(key, None)
