"""What every store promises: its errors, and the protocol. What goes in and comes out is in `records`.

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

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from bot.rules.errors import UserError
from bot.stores.journal import Journal
from bot.stores.records import (
    Commit,
    Committed,
    Doc,
    DueRow,
    EventRow,
    Json,
    MarkRow,
    OutboxRow,
    PersonRow,
    Saved,
    SeedRow,
    Shown,
    TextRow,
    UserData,
)

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
    is_sure: ClassVar[bool] = True
    """Nothing of what was asked for can have been stored."""
    is_short: ClassVar[bool] = False
    """It is over in a moment: whoever tries again is served."""

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint, code=code or self.kind)


class Conflict(Exception):
    """The game moved on meanwhile (another process): load it again and run the command again."""


class Deleted(Exception):
    """This request was answered before, and the answer deleted since: nothing is done a second time."""


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

    async def peek(self, place: str) -> tuple[str, int, bool] | None:
        """Id and version of the game that is played here, and whether it has a board: if a cached one still holds."""
        ...

    async def load_game(self, place: str) -> Saved | None:
        """The game that is played here."""
        ...

    async def load_game_by_id(self, game: str) -> Saved | None:
        """Any game, also one that no place plays any more."""
        ...

    async def played(self, place: str) -> Sequence[tuple[int, str]]:
        """Number and id of each game that is or was played here, in order. A game keeps its number in a place."""
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

    async def events_at(self, game: str, numbers: Sequence[int]) -> Sequence[EventRow]:
        """The events with these numbers, in order."""
        ...

    async def marks(self, game: str, marks: Sequence[str]) -> Sequence[MarkRow]:
        """Where these marks are found in a game's log, by block."""
        ...

    async def mark(self, rows: Sequence[MarkRow]) -> None:
        """Write or replace marks; of a game that is no more, nothing."""
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
        (LONGEST_WAIT at most), nor a later change of a message that one of them changes."""
        ...

    async def waiting(self, platform: str, since: float) -> tuple[int, int]:
        """How many answers for places beginning with `platform` are on their way, and how many of them were written
        before `since`."""
        ...

    async def outbox_done(self, *ids: int, spot: Json | None = None) -> None:
        """These were posted (or can never be). `spot`: where, so that what is about something can be changed later."""
        ...

    async def shown(self, about: str) -> Shown:
        """Where messages about something are."""
        ...

    async def outbox_retry(self, due: float, *ids: int, held: bool = False) -> None:
        """Not yet posted: claimable again from `due` on, in LONGEST_WAIT at most. `held`: whoever has claimed them is
        still at work."""
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

    async def due(self, limit: int) -> Sequence[DueRow]:
        """What is due by now, the earliest first. Whoever sees to it drops it in the commit that does so."""
        ...

    async def due_at(self, key: str) -> DueRow | None:
        """What is due under this key, now or later."""
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
