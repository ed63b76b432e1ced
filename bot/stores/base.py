"""What every store promises, and the plain records that go in and come out.

A command reads with `load_game`, works out what happened, and hands everything that must stand or fall
together to `commit`: events, the roster's new snapshot, the answer, where it goes. When `commit` returns,
it is on the disk; when it raises, nothing of it is. So nobody sees an answer that could get lost.

    saved = await store.load_game("discord:guild:channel")   # or None: nothing played here yet
    ...
    done = await store.commit(Commit(request_id, reply, changes=(Change(saved.game.id, saved.game.version, events),)))
    post(done.reply)                                          # the stored one, if the request came twice

Keys (`place`, `server`, `user`, `request_id`) are the adapters' strings and begin with the platform:
"discord:...", "slack:...", "console:...". JSON objects go in and out as plain dicts, and are copies.
Times are Unix seconds; a store asks its clock, which tests set.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from bot.rules.errors import UserError
from bot.stores.journal import Journal

Json = dict[str, Any]
Clock = Callable[[], float]

DAY = 86_400.0
REQUESTS_KEPT = 7 * DAY
DRAFTS_KEPT = 30 * DAY
LONGEST_WAIT = 600.0
"""Seconds that no lease and no pause before another attempt exceeds. What is due later than that was written before
the clock was set back: it is due now."""


class StoreError(UserError):
    """Data cannot be read or written: said in words that help player and host. Nothing was stored."""

    kind: ClassVar[str] = "store-failed"

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint, code=code or self.kind)


class Conflict(Exception):
    """The game moved on meanwhile (another process): load it again and run the command again."""


class CalledOff(Exception):
    """The command was called off before it was stored: nothing of it is."""


class Gate:
    """What a commit passes before it writes. Until then it may be called off, also from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._passed = self._closed = False

    def enter(self) -> None:
        """Pass, also more than once. Raises CalledOff."""
        with self._lock:
            if self._closed:
                raise CalledOff
            self._passed = True

    def call_off(self) -> bool:
        """Whether nothing was written, and nothing will be."""
        with self._lock:
            self._closed = not self._passed
            return self._closed


class Deleted(Exception):
    """This request was answered before, and the answer deleted since: nothing is done a second time."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event of a game's log; `body` is its canonical JSON, exactly as it was hashed."""

    game: str
    number: int  # from 1, without gaps
    body: str
    hash: str  # hex SHA-256 over the previous hash and the body

    @property
    def data(self) -> Json:
        """The body as a fresh dict."""
        return json.loads(self.body)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class GameRow:
    """Where a game stands. `version` counts commits and tells whether somebody else was faster."""

    id: str
    version: int
    next_event: int
    head: str  # hash of the last event
    created: float
    updated: float


IMPORTED = "imported:"
"""How the `user` of a person begins who is known from an imported file only; no platform's key begins so."""


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Who a random person id of one game is: the platform's user and the name to show. Deletable.

    A person from an imported file has no account: `user` is IMPORTED and the hash by which an account may claim it.
    """

    game: str
    person: str
    user: str
    name: str

    @property
    def is_imported(self) -> bool:
        """Whether no account stands behind the name."""
        return self.user.startswith(IMPORTED)


@dataclass(frozen=True, slots=True)
class TextRow:
    """Free text (or a sealed event) that stands in the chain only as a salted hash. Deletable."""

    game: str
    event: int
    key: str  # which part of the event
    salt: str
    text: str
    person: str = ""  # who wrote it


@dataclass(frozen=True, slots=True)
class SeedRow:
    """One secret of a game's dice, in force from `first_event` on."""

    game: str
    epoch: int  # from 1
    seed: bytes = field(repr=False)
    commitment: str
    first_event: int
    texts: tuple[str, ...] = ()  # the players' own
    digest: str = ""  # of these texts; stays when they are deleted
    revealed: int | None = None  # the event that published it


@dataclass(frozen=True, slots=True)
class Binding:
    """From now on `place` plays `game` (None: nothing). Conflict unless it played `was` until now.

    The version of `was` counts up, so that nobody goes on with an old list of its places. A game that makes room for
    another stays among those that were played here; one that leaves for nothing (it moved, or a link ended) does not,
    for what is rolled in it from then on is not for this place. `alone`: it leaves all places that play it no more.
    """

    place: str
    game: str | None
    was: str | None
    server: str = ""  # who is left with it when the bot is removed; "" for the place itself
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An answer to be posted, kept until it was. `due`: when another process may take it over, in LONGEST_WAIT at
    most."""

    place: str
    delivery: Json  # what the adapter needs: token, its expiry, ...
    due: float
    reply: Json | None = None  # None: the commit's own


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """An answer that nobody has confirmed as posted."""

    id: int
    request_id: str
    place: str
    reply: Json
    delivery: Json
    attempts: int  # how often it was claimed before
    due: float
    created: float


@dataclass(frozen=True, slots=True)
class Doc:
    """A small document beside the games: draft, consent request, link code, settings, installation."""

    kind: str
    key: str
    data: Json
    expires: float | None = None
    owner: str = ""  # the user or server with whom it goes


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one game. `version` 0 makes it (with at least one event, numbered from 1)."""

    game: str
    version: int  # as it was loaded
    events: tuple[EventRow, ...] = ()  # numbers follow on from next_event
    state: Json | None = None  # a new snapshot, true after the last event


@dataclass(frozen=True, slots=True)
class Commit:
    """Everything that one command changes: all of it or nothing."""

    request_id: str | None = None  # None: not a request that could come twice
    reply: Json = field(default_factory=dict)
    user: str = ""  # who asked
    changes: tuple[Change, ...] = ()
    bindings: tuple[Binding, ...] = ()
    persons: tuple[PersonRow, ...] = ()  # new or renamed
    texts: tuple[TextRow, ...] = ()
    seeds: tuple[SeedRow, ...] = ()  # new or changed
    outbox: tuple[Outgoing, ...] = ()
    docs: tuple[Doc, ...] = ()  # new or replaced
    drop_docs: tuple[tuple[str, str], ...] = ()  # (kind, key); Conflict if one is not there any more
    erase: tuple[str, ...] = ()  # games to delete whole
    forget: tuple[str, ...] = ()  # users whose personal data is deleted
    gate: Gate | None = None  # passed before anything is written


@dataclass(frozen=True, slots=True)
class Committed:
    """What stands now. `seen`: the request was answered before and `reply` is that answer; nothing changed."""

    reply: Json
    seen: bool = False
    outbox: tuple[int, ...] = ()  # ids for outbox_done, in the order of Commit.outbox


@dataclass(frozen=True, slots=True)
class Saved:
    """A game as it was last committed: a snapshot, the events since, and what belongs to it."""

    game: GameRow
    state: Json  # {} before the first snapshot
    state_at: int  # the last event that the snapshot explains; 0 before the first
    events: tuple[EventRow, ...]  # after state_at
    texts: tuple[TextRow, ...]  # of these events
    persons: tuple[PersonRow, ...]
    seed: SeedRow | None  # the latest
    places: tuple[str, ...]  # that play it now


@dataclass(frozen=True, slots=True)
class UserData:
    """All that is kept about one user."""

    persons: tuple[PersonRow, ...]
    texts: tuple[TextRow, ...]
    docs: tuple[Doc, ...]


def tombstone(request_id: str) -> str:
    """What is kept of a request whose answer was deleted: a hash, so that it does not run when it comes again."""
    return hashlib.sha256(request_id.encode("utf-8", "replace")).hexdigest()


def check_change(change: Change) -> None:
    """Raise ValueError for a change whose events do not belong together: that would be our bug."""
    numbers = [event.number for event in change.events]
    first = numbers[0] if numbers else 0
    if numbers != list(range(first, first + len(numbers))) or any(e.game != change.game for e in change.events):
        raise ValueError(f"events of {change.game} do not follow each other: {numbers}")
    if change.version == 0 and first != 1:
        raise ValueError(f"a new game begins with event 1, not {first}")


class Store(Protocol):
    """Keeps games and hands them out again. Every method may raise StoreError."""

    @property
    def journal(self) -> Journal:
        """Where receipts are written down; it can be written while another process writes games."""
        ...

    async def commit(self, commit: Commit) -> Committed:
        """Write all of `commit` at once and for good. Raises Conflict when a game or place moved on, Deleted for a
        request whose answer was deleted in the last 7 days, CalledOff where its gate is closed."""
        ...

    async def seen(self, request_id: str) -> Json | None:
        """The answer that this request got in the last 7 days, or None. Raises Deleted, as `commit` does."""
        ...

    async def peek(self, place: str) -> tuple[str, int] | None:
        """Id and version of the game that is played here: whether a cached one is still the latest."""
        ...

    async def load_game(self, place: str) -> Saved | None:
        """The game that is played here."""
        ...

    async def load_game_by_id(self, game: str) -> Saved | None:
        """Any game, also one that no place plays any more."""
        ...

    async def played(self, place: str) -> Sequence[str]:
        """Ids of all games that are or were played here, the oldest first."""
        ...

    async def games(self, after: str = "", limit: int = 1000) -> Sequence[str]:
        """Ids of all games in order, page by page: `after` is the last id of the page before."""
        ...

    async def events(
        self,
        game: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> Sequence[EventRow]:
        """Events with after < number < before, at most `limit`."""
        ...

    async def texts(self, game: str, *, after: int = 0, before: int | None = None) -> Sequence[TextRow]:
        """Free texts of a game that were not deleted, by event, with after < event < before."""
        ...

    async def persons(self, game: str) -> Sequence[PersonRow]:
        """Who plays or played."""
        ...

    async def seeds(self, game: str) -> Sequence[SeedRow]:
        """All seeds, the first one first. Never show one that is not revealed."""
        ...

    async def outbox_claim(self, lease: float, limit: int = 50, platform: str = "") -> Sequence[OutboxRow]:
        """Answers that are due, for places beginning with `platform`; nobody else gets them for `lease` seconds
        (LONGEST_WAIT at most)."""
        ...

    async def outbox_done(self, *ids: int) -> None:
        """These were posted (or can never be)."""
        ...

    async def outbox_retry(self, due: float, *ids: int) -> None:
        """Not yet posted: claimable again from `due` on, in LONGEST_WAIT at most."""
        ...

    async def doc(self, kind: str, key: str) -> Doc | None:
        """A document that has not expired."""
        ...

    async def docs(self, kind: str, owner: str | None = None) -> Sequence[Doc]:
        """All documents of a kind (of an owner), by key."""
        ...

    async def put_doc(self, doc: Doc) -> None:
        """Write or replace a document."""
        ...

    async def take_doc(self, kind: str, key: str) -> Doc | None:
        """The document, which is deleted in the same breath: of several takers one gets it."""
        ...

    async def user_data(self, user: str) -> UserData:
        """What is kept about a user. Deleted by Commit.forget."""
        ...

    async def linked(self, server: str) -> Sequence[tuple[str, str]]:
        """(place, game) of each place of a server that plays a game which is played elsewhere too, by place."""
        ...

    async def servers(self, platform: str) -> Sequence[str]:
        """Servers of a platform that have games and, as far as anybody has said, the bot."""
        ...

    async def server_left(self, server: str) -> None:
        """The bot was removed from a server (or place): its games wait for the sweep."""
        ...

    async def server_joined(self, server: str) -> bool:
        """The bot is there (again): its games stay. Whether it had been away."""
        ...

    async def sweep(self, retention: float | None) -> None:
        """Delete what is outdated: old requests, expired documents, games `retention` seconds (None: never)
        after the bot's removal."""
        ...

    async def check(self) -> Sequence[str]:
        """What is wrong with the stored data itself, one line each; empty when all is well."""
        ...

    async def gone(self) -> str:
        """Waits until the data is no longer where it was opened, so that nothing can be saved; says what to do."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        ...
