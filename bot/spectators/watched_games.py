"""The shared games that spectators watch in a browser.

A game is found by the secret token of its address. While it has watchers it is read about once a
second, and its page and updates are built once for all of them. They hold what anybody may see: the
export without sealed events, unpublished seeds and accounts.
"""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from gzip import compress
from time import monotonic

from bot.commands.log.share import find_shared_game, hash_share_token
from bot.game.game_log import LoggedEvent
from bot.odds_pool.pool import Worker
from bot.report.event_odds import FACTS, RunInWorker, list_fact_requests
from bot.report.game_pictures import render_link_card
from bot.report.page import build_fragments, build_page, hash_scripts, remove_accounts
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.rule_sets import RuleSets
from bot.runtime.logs import get_seldom_logger
from bot.storage.records import Json
from bot.storage.store import Store
from bot.verification.export import export_game
from bot.verification.packs_of_game import add_packs, load_packs_of_events

MOST_EVENTS = 20_000
"""Maximum number of events of a game with a page: a longer one would be too large for a phone."""


async def public_export(store: Store, row: str, events: Sequence[LoggedEvent]) -> Json:
    """Build the public export of a game, without accounts, in a thread.

    `row` is the game's id in the store, `events` its whole log, which is not empty.
    """
    seeds = await store.load_seeds(row)
    texts = await store.load_texts(row)
    persons = await store.load_persons(row)

    def build() -> Json:
        latest: Json = {"name": "", "system": ""}
        for event in events:
            fields = (event.data.get("after") or {}).get("game") or {}
            latest |= {key: fields[key] for key in latest if key in fields}
        game = str(events[0].data["game"])
        return remove_accounts(export_game(game, events, seeds, texts, persons, **latest))

    return await asyncio.to_thread(build)


def build_live_page(
    export: str, facts: Mapping[int, str], systems: RuleSets, live: str, picture: str
) -> tuple[bytes, bytes, str]:
    """Build the page of an export (JSON). Return it as UTF-8, the same compressed by gzip, and its
    Content-Security-Policy.

    `facts` are the JSON of odds and luck by event number, `systems` the rule sets of the game, `live`
    and `picture` the addresses of the stream of updates and of the picture for links.
    """
    text = build_page(json.loads(export), _parse_facts(facts), systems, live, picture)
    plain = text.encode("utf-8", "replace")
    return plain, compress(plain, 6, mtime=0), build_policy(text)


def build_update(export: str, facts: Mapping[int, str], systems: RuleSets, since: int) -> bytes:
    """Build a message of the stream (a server-sent event) that brings a page showing the events up
    to `since` up to date.
    """
    game = json.loads(export)
    fragments = build_fragments(game, _parse_facts(facts), systems, since)
    body = json.dumps(fragments, ensure_ascii=False, separators=(",", ":"))
    number = game["events"][-1]["number"]
    return f"id: {number}\nevent: more\ndata: {body}\n\n".encode("utf-8", "replace")


def build_policy(text: str) -> str:
    """Return the Content-Security-Policy of a page: only its own scripts run, and only the stream
    of updates is loaded.
    """
    return (
        f"default-src 'none'; script-src {hash_scripts(text)}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _parse_facts(facts: Mapping[int, str]) -> dict[int, dict[str, object]]:
    return {number: json.loads(text) for number, text in facts.items()}


MAX_MESSAGES = 60
"""Number of latest messages that are kept: a page that missed more is loaded again."""
FACTS_WAIT_SECONDS = 3.0
"""Seconds that a page waits for the facts of its events. Later ones are in the next page."""
RENDERING = 20.0
"""Seconds that the worker may take for a page, an update or a picture."""
BATCH = 20
"""Watchers that are woken together."""
PAUSE = 0.003
"""Seconds of the shortest pause after each batch, in which players are served."""
PAUSE_FACTOR = 6
"""The pause is this many times as long as waking the batch took, if that is longer."""
BYE = b"event: bye\ndata: -\n\n"
"""The message that ends the stream: the game is no longer shared."""
AGAIN = b"event: again\ndata: -\n\n"
"""The message that has the browser load the page again."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that shows the events up to `number`: as UTF-8, compressed, and its
    Content-Security-Policy.
    """

    number: int
    plain: bytes
    packed: bytes
    policy: str


@dataclass(eq=False, slots=True)
class Watcher:
    """A browser that watches: the number of the last event that it has, and the signal that there
    are new ones.
    """

    number: int
    signal: asyncio.Event = field(default_factory=asyncio.Event)


class WatchedGame:
    """A shared game, which `update` keeps up to date while it has watchers.

    `row` is its id in the store, `ended` is True once it is no longer shared, and `used` the
    `monotonic` time at which it was last needed. `run_in_worker` runs a function in another
    process.
    """

    def __init__(self, store: Store, run_in_worker: RunInWorker, row: str) -> None:
        self.row = row
        self.watchers: set[Watcher] = set()
        self.ended = False
        self._store = store
        self._run_in_worker = run_in_worker
        self._events: list[LoggedEvent] = []
        self._packs: dict[str, dict[str, str]] = {}
        self._systems = load_shared_systems()
        self._export: Json = {}
        self._text = ""
        self._fact_requests: dict[int, str] = {}
        self._messages: deque[tuple[int, int, bytes]] = deque(maxlen=MAX_MESSAGES)
        self._page: Page | None = None
        self._card: tuple[int, bytes] | None = None
        self._lock = asyncio.Lock()
        self._fact_task: asyncio.Task[None] | None = None
        self.used = monotonic()

    @property
    def number(self) -> int:
        """The number of the last event that was read; 0 before anything was read."""
        return self._events[-1].number if self._events else 0

    async def update(self) -> float:
        """Read new events and send the watchers an update. Return the seconds that this took."""
        start = monotonic()
        async with self._lock:
            previous = self.number
            has_news = await self._read_new_events()
            if has_news and previous and self.watchers:
                await self._compute_facts()
                message = await self._run_in_worker(
                    build_update,
                    self._text,
                    self._get_known_facts(),
                    self._systems,
                    previous,
                    seconds=RENDERING,
                )
                self._messages.append((previous, self.number, message))
                await self._wake_watchers()
        return monotonic() - start

    async def get_page(self, live: str, picture: str) -> Page | None:
        """Return the current page, which is built once for each new event; None if the game was
        deleted or has more than MOST_EVENTS events.

        `live` and `picture` are the addresses of the stream and of the picture for links.
        """
        async with self._lock:
            self.used = monotonic()
            if not self.watchers:
                # with watchers `update` reads new events
                await self._read_new_events()
            if not self._events or self.number > MOST_EVENTS:
                return None
            if self._page is None or self._page.number != self.number:
                await self._compute_facts()
                texts = await self._run_in_worker(
                    build_live_page,
                    self._text,
                    self._get_known_facts(),
                    self._systems,
                    live,
                    picture,
                    seconds=RENDERING,
                )
                self._page = Page(self.number, *texts)
            return self._page

    async def build_picture(self) -> bytes:
        """Return the picture that chats show next to a link to the game, as PNG.

        It is drawn once for each new event. Raises UserError if no library for PNG is installed.
        """
        async with self._lock:
            self.used = monotonic()
            if not self.watchers:
                await self._read_new_events()
            if self._card is None or self._card[0] != self.number:
                png = await self._run_in_worker(
                    render_link_card, self._text, self._systems, seconds=RENDERING
                )
                self._card = (self.number, png)
            return self._card[1]

    def list_missed_messages(self, watcher: Watcher) -> list[bytes]:
        """Return the messages that a watcher has not got yet, in order, and count them as got.

        If they are no longer kept, return the one that has the page loaded again.
        """
        missed: list[bytes] = []
        for first_number, last_number, message in self._messages:
            if first_number == watcher.number:
                missed.append(message)
                watcher.number = last_number
        if watcher.number != self.number:
            watcher.number = self.number
            return [AGAIN]
        return missed

    async def stop_sharing(self) -> None:
        """Mark the game as no longer shared, and wake its watchers, so that their streams end.

        Facts that are still computed in the background are given up.
        """
        self.ended = True
        await self._wake_watchers()
        if self._fact_task is not None:
            self._fact_task.cancel()

    async def _wake_watchers(self) -> None:
        """Wake the watchers in batches: thousands that wake at once would delay all players."""
        watchers = list(self.watchers)
        for start in range(0, len(watchers), BATCH):
            for watcher in watchers[start : start + BATCH]:
                watcher.signal.set()
            wake_time = monotonic()
            await asyncio.sleep(0)  # lets their streams write
            await asyncio.sleep(max(PAUSE, PAUSE_FACTOR * (monotonic() - wake_time)))

    async def _read_new_events(self) -> bool:
        """Read the events after the last that was read, and build the export of all. Return whether
        there were any.
        """
        rows = await self._store.load_events(self.row, after=self.number, limit=MOST_EVENTS + 1)
        if not rows:
            return False
        self._events += rows
        packs = await load_packs_of_events(self._store, rows)
        if packs.keys() - self._packs.keys():
            self._packs |= packs
            self._systems = add_packs(self._packs)
        self._export = await public_export(self._store, self.row, self._events)
        self._text, self._fact_requests = await asyncio.to_thread(
            _build_texts, self._export, self._systems
        )
        return True

    def _get_known_facts(self) -> dict[int, str]:
        """Return the facts that are computed already, as JSON by event number."""
        return FACTS.get_cached(self._fact_requests)

    async def _compute_missing_facts(self) -> None:
        """Compute the facts that are not cached yet. If the worker is busy, leave them out."""
        with contextlib.suppress(UserError):  # the next page requests them again
            await FACTS.compute_missing(self._run_in_worker, self._fact_requests, self._systems)

    async def _compute_facts(self) -> None:
        """Compute the facts of new events, and wait for them at most FACTS_WAIT_SECONDS. The rest is
        computed in the background.
        """
        if self._fact_task is None or self._fact_task.done():
            self._fact_task = asyncio.create_task(self._compute_missing_facts())
        await asyncio.wait([self._fact_task], timeout=FACTS_WAIT_SECONDS)


def _build_texts(export: Json, systems: RuleSets) -> tuple[str, dict[int, str]]:
    """Return the export as compact JSON, and the requests for the facts of its events, by event
    number.
    """
    text = json.dumps(export, ensure_ascii=False, separators=(",", ":"))
    return text, list_fact_requests(export, systems)


seldom_log = get_seldom_logger(__name__)

SHORTEST_INTERVAL, LONGEST_INTERVAL = 1.0, 10.0
"""Limits of the seconds between two updates of a watched game."""
INTERVAL_FACTOR = 2
"""The interval is this many times as long as the last update took."""
MOST_GAMES = 200
"""Maximum number of games that are kept, unless more are watched."""
IDLE = 120.0
"""Seconds for which a game is kept that nobody needs."""
LONGEST_TOKEN = 64


class Hub:
    """The shared games that are watched or were lately, by the hashes of their tokens."""

    def __init__(self, store: Store, run_in_worker: RunInWorker | None = None) -> None:
        self._worker = Worker(busy="Other pages are being made right now.")
        self._store = store
        self._run_in_worker = run_in_worker or self._worker.run
        self._games: dict[str, WatchedGame] = {}
        self._update_tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def watching(self) -> int:
        """The number of watchers of all games."""
        return sum(len(game.watchers) for game in self._games.values())

    async def find(self, token: str) -> WatchedGame | None:
        """Return the game that is shared under a token, None if there is none.

        Keep the game from now on. If there are too many, forget those that were not used for
        longest.
        """
        if not (0 < len(token) <= LONGEST_TOKEN and token.isalnum() and token.isascii()):
            return None
        key = hash_share_token(token)
        row = await find_shared_game(self._store, key)
        if not row:
            return None
        if key not in self._games:
            self._make_room()
            self._games[key] = WatchedGame(self._store, self._run_in_worker, row)
        self._games[key].used = monotonic()
        return self._games[key]

    def enter(self, token: str, game: WatchedGame, watcher: Watcher) -> None:
        """Add a watcher to the game of a token, and start updating the game if nobody watched it
        before.
        """
        key = hash_share_token(token)
        game.watchers.add(watcher)
        if key not in self._update_tasks or self._update_tasks[key].done():
            self._update_tasks[key] = asyncio.create_task(self._update_repeatedly(key, game))

    async def close(self) -> None:
        """Stop updating all games and end the worker."""
        tasks = list(self._update_tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._worker.close()

    async def _update_repeatedly(self, key: str, game: WatchedGame) -> None:
        """Update a game until it has no watchers, or is no longer shared: then it is forgotten.

        An error is logged, and the next update tried.
        """
        while game.watchers:
            seconds = 0.0
            try:
                if await find_shared_game(self._store, key) != game.row:
                    self._games.pop(key, None)
                    await game.stop_sharing()
                    return
                seconds = await game.update()
            except Exception as error:
                seldom_log.error("a watched game could not be read: %s", error)
            interval = min(INTERVAL_FACTOR * seconds, LONGEST_INTERVAL)
            await asyncio.sleep(max(SHORTEST_INTERVAL, interval))
        game.used = monotonic()

    def _make_room(self) -> None:
        """Forget games without watchers that were not used for IDLE seconds; if there are still
        MOST_GAMES, also the one that was unused for longest.
        """
        idle = sorted((game.used, key) for key, game in self._games.items() if not game.watchers)
        removed = [key for used, key in idle if used < monotonic() - IDLE]
        if len(self._games) - len(removed) >= MOST_GAMES:
            remaining = [key for _, key in idle if key not in removed]
            removed += remaining[:1]
        for key in removed:
            del self._games[key]
            self._update_tasks.pop(key, None)
