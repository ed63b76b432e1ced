"""The plain records that go into a store and come out of it, and what one commit holds; how JSON is
put into a column.

Stored JSON carries a check sum in the white space behind it: JSON allows that, and whoever reads it
sees nothing. So files of an earlier Grognard need no change, and an earlier Grognard reads today's.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bot.storage.base import Gate

Json = dict[str, Any]


TABLES: Mapping[str, tuple[str, ...]] = {
    name: tuple(columns.split())
    for name, columns in {
        "games": "id version next_event head created updated",
        "snapshots": "game at state",
        "events": "game number body hash",
        "marks": "game mark block at",
        "bindings": "place game server current removed number",
        "persons": "game person user name",
        "texts": "game event key salt text person",
        "seeds": "game epoch seed commitment first_event texts digest revealed",
        "requests": "id game user reply at",
        "tombstones": "id at",
        "outbox": "id request place reply delivery due attempts created about amends home",
        "shown": "about place spot request",
        "docs": "kind key data expires owner",
        "due": "key at kind data owner",
        "receipts": "number id place user command until due",
    }.items()
}
"""All that both kinds of store keep. What one of them has beside it (`requests.attempt`) is of
use to it alone.
"""


def list_columns(table: str) -> str:
    """The columns of a table, as statements name them; `user` is a word of PostgreSQL's own."""
    return ", ".join(f'"{column}"' for column in TABLES[table])


class EventRow(NamedTuple):
    """One event of a game's log; `body` is its canonical JSON, exactly as it was hashed."""

    game: str
    number: int  # from 1, without gaps
    body: str
    hash: str  # hex SHA-256 over the previous hash and the body

    @property
    def data(self) -> Json:
        """The body as a fresh dict."""
        return json.loads(self.body)  # type: ignore[no-any-return]


class GameRow(NamedTuple):
    """Where a game is at. `version` counts commits and tells whether somebody else was faster."""

    id: str
    version: int
    next_event: int
    head: str  # hash of the last event
    created: float
    updated: float


BOARD = "board"
DRAFT = "draft"
"""A command that is not run yet, see bot/preferences/forms.py."""
"""The kind of the document that says which message is the board of a game."""
SHOWN, ROLLED = "shown", "rolled"
"""Those of documents with an answer that its owner may still share, and with what a draft, used
up, has brought.
"""
UNTOLD = "untold"
"""Those with an answer that its owner has not seen, because nobody can post it any more."""
PACK_FILES = "pack-files"
"""The kind of the documents that hold the files of a pack, by the hash of its version."""
IMPORTED = "imported:"
"""How the `user` of a person begins who is known from an imported file only; no platform's key
begins so.
"""


class PersonRow(NamedTuple):
    """Who a random person id of one game is: the platform's user and the name to show. Deletable.

    A person from an imported file has no account: `user` is IMPORTED and the hash by which an
    account may claim it.
    """

    game: str
    person: str
    user: str
    name: str


class TextRow(NamedTuple):
    """Free text (or a sealed event) that is in the chain only as a salted hash. Deletable."""

    game: str
    event: int
    key: str  # which part of the event
    salt: str
    text: str
    person: str = ""  # who wrote it


class MarkRow(NamedTuple):
    """Where a mark is found in a block of a game's log; made from the events, and made again
    where it is missing.
    """

    game: str
    mark: str
    block: int
    at: str


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


class Binding(NamedTuple):
    """From now on `place` plays `game` (None: nothing). Conflict unless it played `was` until now.

    The version of `was` counts up, so that nobody goes on with an old list of its places. A game
    that makes room for another stays among those that were played here; one that leaves for nothing
    (it moved, or a link ended) does not, for what is rolled in it from then on is not for this
    place. `alone`: it leaves all places that play it no more.
    """

    place: str
    game: str | None
    was: str | None
    server: str = ""  # who is left with it when the bot is removed; "" for the place itself
    alone: bool = False


class Outgoing(NamedTuple):
    """An answer to be posted, kept until it was. `held`: seconds until another process may take it
    over, at most LONGEST_WAIT."""

    place: str
    delivery: Json  # what the adapter needs: token, its expiry, ...
    held: float = 0.0
    reply: Json | None = None  # None: the commit's own
    about: str = ""  # what the message says, so that it can be changed later: GAME/41; "" for what never changes
    amends: str = (
        ""  # the message that this one changes, in place of an earlier change that is still waiting
    )
    home: str = ""  # the channel whose game it is, where `place` is a thread of it


class OutboxRow(NamedTuple):
    """An answer that nobody has confirmed as posted."""

    id: int
    request_id: str
    place: str
    reply: Json
    delivery: Json
    attempts: int  # how often it was claimed before
    claimed: float  # now, by the clock by which it was `created`
    created: float
    about: str = ""
    amends: str = ""


@dataclass(frozen=True, slots=True)
class PostedMessages:
    """Where messages about something are (`spots`, by place, as the adapter named them), where they
    are still on their way, and what they said when they were stored, while that is kept."""

    spots: Mapping[str, tuple[Json, ...]] = field(default_factory=dict)
    on_its_way: frozenset[str] = frozenset()
    reply: Json | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """Everywhere that they are, or will be."""
        return tuple(sorted(self.spots.keys() | self.on_its_way))


class Doc(NamedTuple):
    """A small document beside the games: draft, consent request, link code, settings,
    installation.
    """

    kind: str
    key: str
    data: Json
    expires: float | None = None
    owner: str = ""  # the user or server with whom it goes


class DueRow(NamedTuple):
    """Something that has to happen at a time: a reminder, sealed orders that open. `key` is a
    topic of its game.
    """

    key: str  # GAME/...
    at: float  # Unix seconds
    kind: str
    data: Json
    owner: str = ""  # the user with whose data it goes

    @property
    def game(self) -> str:
        """The game with which it goes."""
        return self.key.partition("/")[0]


class GameChange(NamedTuple):
    """What happens to one game. `version` 0 makes it (with at least one event, numbered from 1)."""

    game: str
    version: int  # as it was loaded
    events: tuple[EventRow, ...] = ()  # numbers follow on from next_event
    state: Json | None = None  # a new snapshot, true after the last event


@dataclass(slots=True)
class Commit:
    """Everything that one command changes: all of it or nothing. What a handler has to say beside
    its game's events it puts into these lists, and then it is stored."""

    request_id: str | None = None  # None: not a request that could come twice
    reply: Json = field(default_factory=dict)
    user: str = ""  # who asked
    changes: tuple[GameChange, ...] = ()
    bindings: list[Binding] = field(default_factory=list)
    persons: tuple[PersonRow, ...] = ()  # new or renamed
    texts: tuple[TextRow, ...] = ()
    seeds: tuple[SeedRow, ...] = ()  # new or changed
    outbox: list[Outgoing] = field(default_factory=list)
    docs: list[Doc] = field(default_factory=list)  # new or replaced
    # (kind, key); Conflict if one is not there any more
    drop_docs: list[tuple[str, str]] = field(default_factory=list)
    drop_due: list[tuple[str, float | None]] = field(default_factory=list)
    """(key, at); Conflict if one is not due then, unless `at` is None."""
    due: list[DueRow] = field(default_factory=list)  # new or replaced, behind those dropped
    # messages about these that nobody posts yet are never posted
    withdraw: list[str] = field(default_factory=list)
    erase: list[str] = field(default_factory=list)  # games to delete whole
    forget: list[str] = field(default_factory=list)  # users whose personal data is deleted
    pressed: tuple[str, str, Json] | None = (
        None  # (about, place, spot) of the message whose button was pressed
    )
    gate: Gate | None = None  # passed before anything is written


class Committed(NamedTuple):
    """What holds now. `seen`: the request was answered before and `reply` is that answer;
    nothing changed.
    """

    reply: Json
    seen: bool = False
    outbox: tuple[int, ...] = ()  # ids for outbox_done, in the order of Commit.outbox


class Saved(NamedTuple):
    """A game as it was last committed: a snapshot, the events since, and what belongs to it."""

    game: GameRow
    state: Json  # {} before the first snapshot
    state_at: int  # the last event that the snapshot explains; 0 before the first
    events: tuple[EventRow, ...]  # after state_at
    persons: tuple[PersonRow, ...]
    seed: SeedRow | None  # the latest
    places: tuple[str, ...]  # that play it now, in order
    has_board: bool = False


class UserData(NamedTuple):
    """All that is kept about one user."""

    persons: tuple[PersonRow, ...]
    texts: tuple[TextRow, ...]
    docs: tuple[Doc, ...]
    due: tuple[DueRow, ...] = ()


def compute_tombstone(request_id: str) -> str:
    """What is kept of a request whose answer was deleted, so that it does not run when it comes
    again: a hash of its id as every store can hold that."""
    return hashlib.sha256(
        request_id.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace")
    ).hexdigest()


def check_change(change: GameChange) -> None:
    """Raise ValueError for a change whose events do not belong together: that would be our bug."""
    first = change.events[0].number if change.events else 0
    if any(
        event.number != at or event.game != change.game
        for at, event in enumerate(change.events, first)
    ):
        numbers = [event.number for event in change.events]
        raise ValueError(f"events of {change.game} do not follow each other: {numbers}")
    if change.version == 0 and first != 1:
        raise ValueError(f"a new game begins with event 1, not {first}")


_compact = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_MARKS = " \t\n\r"
_BYTES = tuple("".join(_MARKS[byte >> 2 * at & 3] for at in range(4)) for byte in range(256))
_MOST = 20
CHECKED = (
    ("requests", "reply"),
    ("outbox", "reply"),
    ("outbox", "delivery"),
    ("docs", "data"),
    ("due", "data"),
    ("snapshots", "state"),
    ("seeds", "texts"),
)
"""Tables and their columns of JSON; not those of events, whose hashes are checked elsewhere."""
NAMES = {
    "outbox": "'row ' || id",
    "docs": "'kind ' || kind",  # their keys may be secrets
    "due": "'kind ' || kind",
    "snapshots": "'game ' || game",
    "seeds": "'game ' || game",
}
"""How a row of a table is called, in SQL. Requests, whose ids say who asked, are called as each
engine counts them.
"""


def dump(value: Json) -> str:
    """JSON for a column with its check sum: compact, and ASCII, so that half a surrogate pair
    cannot stop a commit.
    """
    return add_checksum(_compact(value))


def add_checksum(text: str) -> str:
    """A JSON text with its check sum behind it."""
    return text + _compute_checksum(text.encode())


def is_whole(stored: bytes) -> bool:
    """Return whether a stored text is JSON and, if it has a check sum, as it was written."""
    text = stored.rstrip(_MARKS.encode())
    behind = stored[len(text) :].decode()
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return behind in ("", _compute_checksum(text))


def find_damaged_texts(table: str, column: str, rows: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """A line for each stored text, by the name of its row, that is not as it was written."""
    broken = [at for at, stored in rows if not is_whole(stored)]
    yield from (f"table {table}, {at}: its {column} is damaged" for at in broken[:_MOST])
    if broken[_MOST:]:
        yield f"table {table}: {len(broken) - _MOST} more are damaged"


def strip_stored_change(reply: str | None) -> str | None:
    """What remains of a stored change of a message that no longer holds, where whoever did that
    is forgotten.
    """
    said = json.loads(reply) if reply is not None else {}
    if not (over := said.get("over")):
        return None
    return dump({"title": over, "tone": said["tone"]} if "tone" in said else {"title": over})


def _compute_checksum(text: bytes) -> str:
    number = zlib.crc32(text)
    return (
        _BYTES[number & 255]
        + _BYTES[number >> 8 & 255]
        + _BYTES[number >> 16 & 255]
        + _BYTES[number >> 24]
    )
