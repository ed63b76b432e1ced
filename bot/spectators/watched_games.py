"""The games that are watched from outside: what anybody may see of one (its export without what is
sealed or unpublished, and the page made of it), found by its address, read once a second while
anybody watches, and made once for all of them."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from gzip import compress
from time import monotonic
from typing import Any

from bot.commands.log.export_and_share import find_shared_game, hash_share_token
from bot.odds_pool.pool import Worker
from bot.report.event_odds import FACTS, RunInWorker, list_fact_requests
from bot.report.game_pictures import render_link_card
from bot.report.page import build_fragments, build_page, hash_scripts, remove_accounts
from bot.rules.errors import UserError
from bot.rulesets.catalog import use_systems
from bot.runtime.logs import get_seldom_logger
from bot.storage.records import EventRow, Json
from bot.storage.store import Store
from bot.verification.export import export_game
from bot.verification.packs_of_game import add_packs, load_packs_of_events

MOST_EVENTS = 20_000
"""A game with more is no longer followed: its page would be too large for a phone."""


async def public_export(store: Store, row: str, events: Sequence[EventRow]) -> Json:
    """The export of the game whose whole log is `events`, which are not empty."""
    seeds = await store.load_seeds(row)
    texts = await store.load_texts(row)
    persons = await store.load_persons(row)

    def build() -> Json:
        about: Json = {"name": "", "system": ""}
        for event in events:
            fields = (event.data.get("after") or {}).get("game") or {}
            about |= {key: fields[key] for key in about if key in fields}
        game = str(events[0].data["game"])
        return remove_accounts(export_game(game, events, seeds, texts, persons, **about))

    return await asyncio.to_thread(build)


def build_live_page(
    export: str, facts: Mapping[int, str], live: str, picture: str
) -> tuple[bytes, bytes, str]:
    """The page as UTF-8, the same compressed, and the policy by which a browser runs its own
    scripts alone.
    """
    text = build_page(json.loads(export), _parse_facts(facts), live, picture)
    plain = text.encode("utf-8", "replace")
    return plain, compress(plain, 6, mtime=0), build_policy(text)


def build_update(export: str, facts: Mapping[int, str], since: int) -> bytes:
    """One message of the stream: what a page that shows event `since` needs to show the last
    one.
    """
    read = json.loads(export)
    told = build_fragments(read, _parse_facts(facts), since)
    body = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    number = read["events"][-1]["number"]
    return f"id: {number}\nevent: more\ndata: {body}\n\n".encode("utf-8", "replace")


def build_policy(text: str) -> str:
    """A Content-Security-Policy under which nothing runs but the scripts of this page, and
    nothing is loaded.
    """
    return (
        f"default-src 'none'; script-src {hash_scripts(text)}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _parse_facts(facts: Mapping[int, str]) -> dict[int, dict[str, object]]:
    return {number: json.loads(told) for number, told in facts.items()}


KEPT = 60
"""Messages behind which a watcher may be: a page that missed more is loaded anew."""
PATIENCE = 3.0
"""Seconds that a page waits for the facts of its events; what comes later is in the next one."""
RENDERING = 20.0
BATCH, PAUSE, SHARE_OF_TELLING = 20, 0.003, 6
"""So many watchers are told at once, with a pause behind them, so many times as long as that
took, for who plays.
"""
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


class WatchedGame:
    """A shared game, kept up to date while anybody watches."""

    def __init__(self, store: Store, apart: RunInWorker, row: str) -> None:
        self.row = row
        self.watchers: set[Watcher] = set()
        self.ended = False
        self._store = store
        self._apart = apart
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
            if await self._read_new_events() and before and self.watchers:
                await self._learn()
                message = await self._run_in_worker(
                    build_update, self._text, self._get_known_facts(), before, seconds=RENDERING
                )
                self._sent.append((before, self.number, message))
                await self._wake_watchers()
        return monotonic() - since

    async def get_page(self, live: str, picture: str) -> Page | None:
        """The page as it is now, made once for each event; None where the game is gone, or too
        long.
        """
        async with self._turn:
            self.used = monotonic()
            if not self.watchers:
                # else every second is soon enough, and what comes meanwhile is sent
                await self._read_new_events()
            if not self._events or self.number > MOST_EVENTS:
                return None
            if self._page is None or self._page.number != self.number:
                await self._learn()
                made = await self._run_in_worker(
                    build_live_page,
                    self._text,
                    self._get_known_facts(),
                    live,
                    picture,
                    seconds=RENDERING,
                )
                self._page = Page(self.number, *made)
            return self._page

    async def build_picture(self) -> bytes:
        """The picture beside a link to it, as PNG. Raises UserError where nothing draws one
        here.
        """
        async with self._turn:
            self.used = monotonic()
            if not self.watchers:
                await self._read_new_events()
            if self._card is None or self._card[0] != self.number:
                self._card = (
                    self.number,
                    await self._run_in_worker(render_link_card, self._text, seconds=RENDERING),
                )
            return self._card[1]

    def list_missed_messages(self, watcher: Watcher) -> list[bytes]:
        """The messages that a watcher has not had, in order; the request to load the page anew
        where they are gone.
        """
        told: list[bytes] = []
        for begin, end, message in self._sent:
            if begin == watcher.number:
                told.append(message)
                watcher.number = end
        if watcher.number != self.number:
            watcher.number = self.number
            return [AGAIN]
        return told

    async def stop_sharing(self) -> None:
        """It is no longer shared: all who watch are told so, and leave."""
        self.ended = True
        await self._wake_watchers()
        if self._learning is not None:
            self._learning.cancel()

    async def _wake_watchers(self) -> None:
        """Wake the watchers, some at a time: thousands that wake at once would hold up everybody
        who plays.
        """
        watchers = list(self.watchers)
        for start in range(0, len(watchers), BATCH):
            for watcher in watchers[start : start + BATCH]:
                watcher.signal.set()
            since = monotonic()
            await asyncio.sleep(0)  # they write
            await asyncio.sleep(max(PAUSE, SHARE_OF_TELLING * (monotonic() - since)))

    async def _read_new_events(self) -> bool:
        """Return whether there is something new, which is read then."""
        rows = await self._store.load_events(self.row, after=self.number, limit=MOST_EVENTS + 1)
        if not rows:
            return False
        self._events += rows
        self._packs |= await load_packs_of_events(self._store, rows)
        self._export = await public_export(self._store, self.row, self._events)
        self._text, self._asks = await asyncio.to_thread(_build_texts, self._export)
        return True

    def _get_known_facts(self) -> dict[int, str]:
        return FACTS.get_cached(self._asks)

    async def _run_in_worker(
        self, function: Callable[..., Any], *arguments: Any, **more: Any
    ) -> Any:
        """What a function comes to beside the bot, with the packs that the game was played with."""
        with use_systems(add_packs(self._packs)):
            return await self._apart(function, *arguments, **more)

    async def _fill(self) -> None:
        with contextlib.suppress(UserError):  # too busy just now: the next page asks again
            await FACTS.compute_missing(self._run_in_worker, self._asks)

    async def _learn(self) -> None:
        """Work out the facts of new events; a page of a long game does not wait for all of them."""
        if self._learning is None or self._learning.done():
            self._learning = asyncio.create_task(self._fill())
        await asyncio.wait([self._learning], timeout=PATIENCE)


def _build_texts(export: Json) -> tuple[str, dict[int, str]]:
    return json.dumps(export, ensure_ascii=False, separators=(",", ":")), list_fact_requests(export)


often = get_seldom_logger(__name__)

EVERY = 1.0
"""Seconds between two looks at a game that is watched."""
SHARE_OF_TIME, LONGEST_PAUSE = 2, 10.0
"""A game whose update takes long is looked at less often: so many times as long, up to so many
seconds.
"""
MOST_GAMES = 200
IDLE = 120.0
"""Seconds for which a game is kept that nobody looks at."""
LONGEST_TOKEN = 64


class Hub:
    """The games behind the addresses that were given out."""

    def __init__(self, store: Store, apart: RunInWorker | None = None) -> None:
        self._worker = Worker(busy="Other pages are being made just now.")
        self._store = store
        self._apart = apart or self._worker.run
        self._games: dict[str, WatchedGame] = {}
        self._following: dict[str, asyncio.Task[None]] = {}

    @property
    def watching(self) -> int:
        """Return how many watch, over all games."""
        return sum(len(game.watchers) for game in self._games.values())

    async def find(self, token: str) -> WatchedGame | None:
        """The game behind an address; None where nothing is shared under it, or no longer."""
        if not (0 < len(token) <= LONGEST_TOKEN and token.isalnum() and token.isascii()):
            return None
        key = hash_share_token(token)
        row = await find_shared_game(self._store, key)
        if not row:
            return None
        if key not in self._games:
            self._make_room()
            self._games[key] = WatchedGame(self._store, self._apart, row)
        self._games[key].used = monotonic()
        return self._games[key]

    def enter(self, token: str, game: WatchedGame, watcher: Watcher) -> None:
        """Somebody watches: from now on the game is followed."""
        key = hash_share_token(token)
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

    async def _follow(self, key: str, game: WatchedGame) -> None:
        """Look at the game until nobody watches any more, or it is no longer shared."""
        while game.watchers:
            took = 0.0
            try:
                if await find_shared_game(self._store, key) != game.row:
                    self._games.pop(key, None)
                    await game.stop_sharing()
                    return
                took = await game.update()
            except Exception as error:
                often.error("a watched game could not be read: %s", error)
            await asyncio.sleep(max(EVERY, min(SHARE_OF_TIME * took, LONGEST_PAUSE)))
        game.used = monotonic()

    def _make_room(self) -> None:
        """Forget games that nobody has looked at lately, and the one that was not for longest
        where they are many.
        """
        idle = sorted((game.used, key) for key, game in self._games.items() if not game.watchers)
        gone = [key for used, key in idle if used < monotonic() - IDLE]
        if len(self._games) - len(gone) >= MOST_GAMES:
            gone += [key for _, key in idle if key not in gone][:1]
        for key in gone:
            del self._games[key]
            self._following.pop(key, None)
