"""One game as those see it who watch it from outside: made once for all of them, at most once a second."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from bot.audit.packs import packs_of, with_packs
from bot.live.public import MOST_EVENTS, public_export
from bot.live.rendering import live_more, live_page
from bot.report.cards import card_png
from bot.report.facts import FACTS, Apart, asked
from bot.rules.errors import UserError
from bot.stores.records import EventRow, Json
from bot.stores.store import Store
from bot.systems.catalog import using

KEPT = 60
"""Messages behind which a watcher may be: a page that missed more is loaded anew."""
PATIENCE = 3.0
"""Seconds that a page waits for the facts of its events; what comes later is in the next one."""
RENDERING = 20.0
BATCH, PAUSE, SHARE_OF_TIME = 20, 0.003, 6
"""So many watchers are told at once, with a pause behind them, so many times as long as that took, for who plays."""
BYE = b"event: bye\ndata: -\n\n"
AGAIN = b"event: again\ndata: -\n\n"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is sent: plain and compressed, with its policy."""

    number: int
    plain: bytes
    packed: bytes
    policy: str


@dataclass(eq=False, slots=True)
class Watcher:
    """Somebody who watches: the last event that they know, and the signal that there is more."""

    number: int
    signal: asyncio.Event = field(default_factory=asyncio.Event)


class Watched:
    """A shared game, kept up to date while anybody watches."""

    def __init__(self, store: Store, apart: Apart, row: str) -> None:
        self.row = row
        self.watchers: set[Watcher] = set()
        self.ended = False
        self._store, self._apart = store, apart
        self._events: list[EventRow] = []
        self._packs: dict[str, dict[str, str]] = {}
        self._export: Json = {}
        self._text = ""
        self._asks: dict[int, str] = {}
        self._sent: deque[tuple[int, int, bytes]] = deque(maxlen=KEPT)
        self._page: Page | None = None
        self._card: tuple[int, bytes] | None = None
        self._turn = asyncio.Lock()
        self._learning: asyncio.Task[None] | None = None
        self.used = monotonic()

    @property
    def number(self) -> int:
        """The last event that is shown; 0 before anything was read."""
        return self._events[-1].number if self._events else 0

    async def update(self) -> float:
        """Read what is new and tell the watchers; how long that took in seconds."""
        since = monotonic()
        async with self._turn:
            before = self.number
            if await self._read() and before and self.watchers:
                await self._learn()
                message = await self._worked(live_more, self._text, self._known(), before, seconds=RENDERING)
                self._sent.append((before, self.number, message))
                await self._tell()
        return monotonic() - since

    async def page(self, live: str, picture: str) -> Page | None:
        """The page as it is now, made once for each event; None where the game is gone, or too long."""
        async with self._turn:
            self.used = monotonic()
            if not self.watchers:  # else every second is soon enough, and what comes meanwhile is sent
                await self._read()
            if not self._events or self.number > MOST_EVENTS:
                return None
            if self._page is None or self._page.number != self.number:
                await self._learn()
                made = await self._worked(live_page, self._text, self._known(), live, picture, seconds=RENDERING)
                self._page = Page(self.number, *made)
            return self._page

    async def picture(self) -> bytes:
        """The picture beside a link to it, as PNG. Raises UserError where nothing draws one here."""
        async with self._turn:
            self.used = monotonic()
            if not self.watchers:
                await self._read()
            if self._card is None or self._card[0] != self.number:
                self._card = (self.number, await self._worked(card_png, self._text, seconds=RENDERING))
            return self._card[1]

    def behind(self, watcher: Watcher) -> list[bytes]:
        """The messages that a watcher has not had, in order; the request to load the page anew where they are gone."""
        told: list[bytes] = []
        for begin, end, message in self._sent:
            if begin == watcher.number:
                told.append(message)
                watcher.number = end
        if watcher.number != self.number:
            watcher.number = self.number
            return [AGAIN]
        return told

    async def end(self) -> None:
        """It is no longer shared: all who watch are told so, and leave."""
        self.ended = True
        await self._tell()
        if self._learning is not None:
            self._learning.cancel()

    async def _tell(self) -> None:
        """Wake the watchers, some at a time: thousands that wake at once would hold up everybody who plays."""
        watchers = list(self.watchers)
        for start in range(0, len(watchers), BATCH):
            for watcher in watchers[start : start + BATCH]:
                watcher.signal.set()
            since = monotonic()
            await asyncio.sleep(0)  # they write
            await asyncio.sleep(max(PAUSE, SHARE_OF_TIME * (monotonic() - since)))

    async def _read(self) -> bool:
        """Whether there is something new, which is read then."""
        rows = await self._store.events(self.row, after=self.number, limit=MOST_EVENTS + 1)
        if not rows:
            return False
        self._events += rows
        self._packs |= await packs_of(self._store, rows)
        self._export = await public_export(self._store, self.row, self._events)
        self._text, self._asks = await asyncio.to_thread(_texts, self._export)
        return True

    def _known(self) -> dict[int, str]:
        return FACTS.known(self._asks)

    async def _worked(self, function: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        """What a function comes to beside the bot, with the packs that the game was played with."""
        with using(with_packs(self._packs)):
            return await self._apart(function, *arguments, **more)

    async def _fill(self) -> None:
        with contextlib.suppress(UserError):  # too busy just now: the next page asks again
            await FACTS.learn(self._worked, self._asks)

    async def _learn(self) -> None:
        """Work out the facts of new events; a page of a long game does not wait for all of them."""
        if self._learning is None or self._learning.done():
            self._learning = asyncio.create_task(self._fill())
        await asyncio.wait([self._learning], timeout=PATIENCE)


def _texts(export: Json) -> tuple[str, dict[int, str]]:
    return json.dumps(export, ensure_ascii=False, separators=(",", ":")), asked(export)
