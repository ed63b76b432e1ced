"""The values that go into a store and come out of it, the parts of a commit, and the format of
stored JSON. The rows of a game's log are values of the game, see `bot/game/game_log.py`.

Stored JSON has a check sum in the white space after it, which JSON parsers ignore. So databases of
an earlier Grognard need no change, and an earlier Grognard can read those of today.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bot.game.game_log import DiceSeed, GameChange, LoggedEvent, LoggedText, Participant
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
"""The tables and columns of both kinds of store. Columns that only one of them has, such as
`requests.attempt`, are not listed.
"""


def list_columns(table: str) -> str:
    """Return the columns of a table for an SQL statement, quoted, for `user` is a keyword of
    PostgreSQL.
    """
    return ", ".join(f'"{column}"' for column in TABLES[table])


class GameRow(NamedTuple):
    """The progress of a game. `version` counts its commits, so that a commit that is based on an
    older version is refused.
    """

    id: str
    version: int
    next_event: int
    head: str  # hash of the last event
    created: float
    updated: float


BOARD = "board"
"""The kind of the document that holds the board message of a game."""
DRAFT = "draft"
"""The kind of documents with a command that was not run yet, see bot/forms/drafts.py."""
SHOWN, ROLLED = "shown", "rolled"
"""The kinds of documents with a private answer that its owner may still share, and with the answer
to a draft that was run.
"""
UNTOLD = "untold"
"""The kind of documents with an answer that its owner has not seen, because it can no longer be
posted.
"""
SEEK_LINK = "seek-link"
"""The kind of the documents that say with which other server a server shares seeks. The servers own
them."""
AWAY = "away"
"""The kind of the documents that say that a server has removed the bot, by server."""
PACK_FILES = "pack-files"
"""The kind of documents that hold the files of a pack, by the hash of its version."""


class MarkRow(NamedTuple):
    """An entry of the search index of a game's log: the events of a block that have a mark, such as
    a unit. It is built from the events, and built again if it is missing.
    """

    game: str
    mark: str
    block: int
    numbers: str


class Binding(NamedTuple):
    """A change of the game of a place, from `was` to `game` (None: no game). It is a Conflict if the
    place plays another game than `was`.

    The version of `was` is increased, so that no process continues with an old list of its places.
    If another game replaces it, it stays in the list of games that were played in the place. If
    none does (it moved, or a link ended), it is removed from the list, for its later rolls do not
    belong to this place. `alone`: `game` is also removed from the lists of all places that do not
    play it now.
    """

    place: str
    game: str | None
    was: str | None
    # the binding ends after the bot is removed from this server; "" for the place itself
    server: str = ""
    alone: bool = False


class Outgoing(NamedTuple):
    """An answer to be posted, kept in the outbox until it was."""

    place: str
    delivery: Json
    """What the adapter needs to post it: a token, its expiry, ..."""
    lease: float = 0.0
    """Seconds until another process may post it, at most LONGEST_WAIT."""
    reply: Json | None = None
    """None for the commit's own reply."""
    about: str = ""
    """A key under which the message can be changed later, such as GAME/41; "" for a message that
    never changes."""
    amends: str = ""
    """The key of a message that this one changes. It replaces an earlier change that was not posted
    yet."""
    home: str = ""
    """The channel that has the game, if `place` is a thread of it."""


class OutboxRow(NamedTuple):
    """An answer in the outbox: no adapter has confirmed it as posted. `about` and `amends` as in
    Outgoing.
    """

    id: int
    request_id: str
    place: str
    reply: Json
    delivery: Json
    attempts: int  # how often it was claimed before
    claimed: float  # the time of this claim, by the same clock as `created`
    created: float
    about: str = ""
    amends: str = ""


@dataclass(frozen=True, slots=True)
class PostedMessages:
    """The messages under one `about` key."""

    spots: Mapping[str, tuple[Json, ...]] = field(default_factory=dict)
    """The posted messages by place, each as the adapter identifies it."""
    on_its_way: frozenset[str] = frozenset()
    """The places of those that were not posted yet."""
    reply: Json | None = None
    """The stored answer; None if it was deleted."""

    @property
    def places(self) -> tuple[str, ...]:
        """The places of all of them, sorted."""
        return tuple(sorted(self.spots.keys() | self.on_its_way))


class Doc(NamedTuple):
    """A small document that is not part of a game: draft, consent request, link code, settings,
    installation.
    """

    kind: str
    key: str
    data: Json
    expires: float | None = None
    owner: str = ""  # the user or server with whose data it is deleted


class DueRow(NamedTuple):
    """A task for a time: a reminder, the opening of sealed orders. `key` is the game and a topic,
    GAME/TOPIC.

    A task of no game has a channel in its `data`, as `place` and `server`, in which it runs. Its
    key begins with a word in place of the game.
    """

    key: str  # GAME/...
    at: float  # Unix seconds
    kind: str
    data: Json
    owner: str = ""  # the user with whose data it is deleted

    @property
    def game(self) -> str:
        """The game with which it is deleted."""
        return self.key.partition("/")[0]

    @property
    def place(self) -> str:
        """The key of the channel in which a task of no game runs; "" for a task of a game."""
        return str(self.data.get("place") or "")


class PressedMessage(NamedTuple):
    """A message with a button that was pressed, for a press proves that the message is there."""

    about: str
    """The key under which the message can be changed, see `Outgoing.about`."""
    place: str
    spot: Json
    """The message as the adapter identifies it."""


@dataclass(slots=True)
class Commit:
    """Everything that one command changes, which is stored whole or not at all. Handlers append to
    the lists whatever they change besides the events of their game.
    """

    request_id: str | None = None  # None: not a request that could come twice
    reply: Json = field(default_factory=dict)
    user: str = ""  # who asked
    changes: tuple[GameChange, ...] = ()
    bindings: list[Binding] = field(default_factory=list)
    persons: tuple[Participant, ...] = ()  # new or renamed
    texts: tuple[LoggedText, ...] = ()
    seeds: tuple[DiceSeed, ...] = ()  # new or changed
    outbox: list[Outgoing] = field(default_factory=list)
    docs: list[Doc] = field(default_factory=list)  # new or replaced
    # (kind, key); Conflict if one is not there any more
    drop_docs: list[tuple[str, str]] = field(default_factory=list)
    drop_due: list[tuple[str, float | None]] = field(default_factory=list)
    """(key, time) of each task; Conflict if it is not due at that time, unless that is None."""
    due: list[DueRow] = field(default_factory=list)  # new or replaced, after `drop_due`
    # keys of messages (see Outgoing.about) that are no longer posted if nobody has begun to
    withdraw: list[str] = field(default_factory=list)
    erase: list[str] = field(default_factory=list)  # games to delete whole
    forget: list[str] = field(default_factory=list)  # users whose personal data is deleted
    pressed: PressedMessage | None = None
    """The message with the button that was pressed."""
    gate: Gate | None = None  # passed before anything is written


class Committed(NamedTuple):
    """The result of a commit. `seen`: the request was answered before, `reply` is that answer, and
    nothing was stored.
    """

    reply: Json
    seen: bool = False
    outbox: tuple[int, ...] = ()  # ids for outbox_done, in the order of Commit.outbox


class Saved(NamedTuple):
    """A game as it was last committed: a snapshot, the events after it, and related rows."""

    game: GameRow
    state: Json  # {} before the first snapshot
    state_at: int  # the last event that the snapshot includes; 0 before the first
    events: tuple[LoggedEvent, ...]  # after state_at
    persons: tuple[Participant, ...]
    seed: DiceSeed | None  # the latest
    places: tuple[str, ...]  # that play it now, in order
    has_board: bool = False


class UserData(NamedTuple):
    """All data that is stored about one user."""

    persons: tuple[Participant, ...]
    texts: tuple[LoggedText, ...]
    docs: tuple[Doc, ...]
    due: tuple[DueRow, ...] = ()


def compute_tombstone(request_id: str) -> str:
    """Return the hash that is kept of a request whose answer was deleted, so that the request does
    not run if it is delivered again.

    Characters that one of the stores cannot hold do not change it.
    """
    storable_id = request_id.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return hashlib.sha256(storable_id.encode("utf-8", "replace")).hexdigest()


def check_change(change: GameChange) -> None:
    """Raise ValueError if the events are not of this game, not numbered in order, or not from 1 for
    a new game: that would be our bug.
    """
    first = change.events[0].number if change.events else 0
    for number, event in enumerate(change.events, first):
        if event.number != number or event.game != change.game:
            numbers = [event.number for event in change.events]
            raise ValueError(f"event numbers of {change.game} are not consecutive: {numbers}")
    if change.version == 0 and first != 1:
        raise ValueError(f"a new game begins with event 1, not {first}")


_compact = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_SPACES = " \t\n\r"
"""The four characters of white space in JSON. Each of them stores two bits of a check sum."""
_BYTES = tuple("".join(_SPACES[byte >> 2 * index & 3] for index in range(4)) for byte in range(256))
_MOST_LISTED = 20
CHECKED = (
    ("requests", "reply"),
    ("outbox", "reply"),
    ("outbox", "delivery"),
    ("docs", "data"),
    ("due", "data"),
    ("snapshots", "state"),
    ("seeds", "texts"),
)
"""The (table, column) pairs of JSON with check sums; not those of events, which have hashes."""
NAMES = {
    "outbox": "'row ' || id",
    "docs": "'kind ' || kind",  # their keys may be secrets
    "due": "'kind ' || kind",
    "snapshots": "'game ' || game",
    "seeds": "'game ' || game",
}
"""The SQL expression that names a row of a table for hosts. Rows of requests, whose ids tell who
asked, are named by their position in each engine.
"""


def dump(value: Json) -> str:
    """Format JSON for a column, with its check sum.

    It is compact, and ASCII, so that half a surrogate pair cannot make a commit fail.
    """
    return add_checksum(_compact(value))


def add_checksum(text: str) -> str:
    """Return a JSON text followed by its check sum."""
    return text + _compute_checksum(text.encode())


def is_whole(stored: bytes) -> bool:
    """Return whether a stored text is JSON, and its check sum is right if it has one."""
    text = stored.rstrip(_SPACES.encode())
    checksum = stored[len(text) :].decode()
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return checksum in ("", _compute_checksum(text))


def find_damaged_texts(table: str, column: str, rows: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """Yield a line for each damaged text of a column, at most 20 and one with the count of the
    others. `rows` are (name of the row, stored text).
    """
    damaged = [name for name, stored in rows if not is_whole(stored)]
    for name in damaged[:_MOST_LISTED]:
        yield f"table {table}, {name}: its {column} is damaged"
    if damaged[_MOST_LISTED:]:
        yield f"table {table}: {len(damaged) - _MOST_LISTED} more are damaged"


def strip_stored_change(reply: str | None) -> str | None:
    """Return a stored reply that marks a message as no longer valid without everything but that
    mark, as JSON for a column: for a user whose data is deleted. None for any other reply.
    """
    if reply is None:
        return None
    data = json.loads(reply)
    over = data.get("over")
    if not over:
        return None
    stripped = {"title": over}
    if "tone" in data:
        stripped["tone"] = data["tone"]
    return dump(stripped)


def _compute_checksum(text: bytes) -> str:
    """Return the check sum of a JSON text as 16 characters of white space."""
    number = zlib.crc32(text)
    return (
        _BYTES[number & 255]
        + _BYTES[number >> 8 & 255]
        + _BYTES[number >> 16 & 255]
        + _BYTES[number >> 24]
    )
