"""A game as it is stored: with where its chain ends, who plays, and the dice secret in force; its
log, read some events at a time, so that whoever plays elsewhere is served in between; and the games
in memory: loaded when needed, kept within a bound of bytes, each checked by its version: before
use, or by the commit of what was made of it."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple

from cachetools import LRUCache

from bot.game.events import apply
from bot.game.state import Game, Json, from_json
from bot.rules.proof.chain import SEALED
from bot.rules.proof.unreleased import check_protocol
from bot.storage.base import Conflict
from bot.storage.records import IMPORTED, EventRow, PersonRow, Saved, SeedRow, TextRow
from bot.storage.store import Store

SNAPSHOT_EVERY = 25
"""Events between two snapshots: loading replays at most so many."""
KEPT = 32 * 2**20
"""Bytes that games may take in memory: some ten thousand channels of free play, or a thousand
games with armies.
"""
MOST_PLACES = 50_000
"""Places of which it is remembered what is played there."""
_BARE, _UNIT, _PERSON, _NUMBER = 2_000, 1_000, 500, 100
BATCH = 250
"""Events that are read at once: a few milliseconds."""
TEXTS = 2_000
"""Events whose texts are read at once; not every event has one."""
HANDS = "hands"
"""Key of the text that says what is in closed hands behind an event; nothing in the chain tells
of it, and no file.
"""


class LoadedGame(NamedTuple):
    """One version of a game. `row` is its id in the store; the id in `game` stays the same
    through an import.
    """

    row: str
    game: Game
    version: int
    head: str
    persons: Mapping[str, PersonRow]
    seed: SeedRow
    places: tuple[str, ...]
    snapshot_at: int
    has_board: bool = False
    is_unasked: bool = False
    shown: int = -1  # the last event whose answer had digits of the head; -1: nobody has looked
    done_under: int = -1  # the last shot that has *Done* under it; -1: nobody has looked, 0: none
    hands: tuple[int, str] = (
        0,
        "",
    )  # the last event that moved closed cards, and what is in hands behind it

    @property
    def may_be_asked(self) -> bool:
        """Return whether somebody may have asked another to undo something: nobody has where one
        person is alone, or where somebody has looked.
        """
        return self.game.solo in ("", "*") and not self.is_unasked

    def find_person(self, user: str) -> PersonRow | None:
        """Who a platform's user is in this game."""
        return find_person(user, self.persons, self.game)


def find_person(user: str, persons: Mapping[str, PersonRow], game: Game) -> PersonRow | None:
    """Who a platform's user is in a game: of several persons (one of them claimed from a file)
    the one with a seat.
    """
    own = [row for row in persons.values() if row.user == user]
    if len(own) < 2:
        return own[0] if own else None
    return next(
        (row for row in own if row.person in game.players or row.person == game.master), own[0]
    )


def is_imported(person: PersonRow) -> bool:
    """Return whether no account belongs to the name."""
    return person.user.startswith(IMPORTED)


async def load_game_by_id(store: Store, row: str) -> LoadedGame | None:
    """Any game by its id in the store."""
    saved = await store.load_game_by_id(row)
    return restore_game(saved) if saved is not None else None


def restore_game(saved: Saved) -> LoadedGame:
    """The game that the store kept: its last snapshot, and the events since applied to it.

    Raises ValueError where the log does not follow on the snapshot.
    """
    first = saved.events[0].data if saved.events else {}
    game = from_json(saved.state) if saved.state else Game(first.get("game", saved.game.id))
    for row in saved.events:
        check_protocol(row.data)
        game = apply(game, row.data)
    if saved.seed is None:
        raise ValueError(f"game {saved.game.id} has no seed")
    return LoadedGame(
        row=saved.game.id,
        game=game,
        version=saved.game.version,
        head=saved.game.head,
        persons={row.person: row for row in saved.persons},
        seed=saved.seed,
        places=saved.places,
        snapshot_at=saved.state_at,
        has_board=saved.has_board,
    )


class GameCache:
    """A bounded cache over the store's games."""

    def __init__(self, store: Store, kept: int = KEPT) -> None:
        self._store = store
        self._loaded = LRUCache[str, LoadedGame](
            kept, lambda loaded: min(estimate_size(loaded), kept)
        )
        self._places = LRUCache[str, str](MOST_PLACES)  # which of them was loaded for a place

    async def load_current(self, place: str) -> LoadedGame | None:
        """The game that is played in a place, as it is in the store now."""
        if self._places.get(place) in self._loaded:
            # else there is nothing to compare: it is read at once
            here = await self._store.load_game_version(place)
            if here is None:
                return None
            row, version, has_board = here
            known = self._loaded.get(row)
            if known is not None and known.version == version:
                return (
                    known
                    if known.has_board == has_board
                    else self.keep(known._replace(has_board=has_board))
                )
        saved = await self._store.load_game(place)
        return self.keep(restore_game(saved)) if saved is not None else None

    def get_cached(self, place: str) -> LoadedGame | None:
        """The game that is played in a place, as this process knows it: whatever is made of it
        holds once its commit has found the version unchanged, or `check_current` has. None where nothing is
        known."""
        known = self._loaded.get(self._places.get(place, ""))
        return known if known is not None and place in known.places else None

    async def check_current(self, place: str, known: LoadedGame) -> None:
        """Raise Conflict where a place plays another game by now than `get_cached` said, or
        another version of it.
        """
        if await self._store.load_game_version(place) != (
            known.row,
            known.version,
            known.has_board,
        ):
            raise Conflict(known.row)

    def keep(self, loaded: LoadedGame) -> LoadedGame:
        """Remember a game as it is now, in place of those that were not asked for lately."""
        self._loaded[loaded.row] = loaded
        self._places.update(dict.fromkeys(loaded.places, loaded.row))
        return loaded

    def drop(self, row: str) -> None:
        """Forget a game: it is read again when it is needed."""
        self._loaded.pop(row, None)

    def clear(self) -> None:
        """Forget all games."""
        self._loaded.clear()


def estimate_size(loaded: LoadedGame) -> int:
    """About how many bytes a game takes in memory; rather too many."""
    game = loaded.game
    numbers = (
        len(game.sealed) + len(game.withdrawn) + len(game.redo) + len(game.plans) + len(game.orders)
    )
    people = len(loaded.persons) + len(game.players) + len(loaded.places)
    return (
        _BARE
        + _UNIT * len(game.units)
        + _PERSON * people
        + _NUMBER * numbers
        + len(loaded.hands[1])
    )


async def iterate_events(
    store: Store, row: str, before: int | None = None
) -> AsyncIterator[Sequence[EventRow]]:
    """The events of a game with numbers below `before`, the first one first."""
    after = 0
    while True:
        rows = await store.load_events(row, after=after, before=before, limit=BATCH)
        if rows:
            yield rows
        if len(rows) < BATCH:
            return
        after = rows[-1].number


async def iterate_texts(store: Store, row: str, last: int) -> AsyncIterator[Sequence[TextRow]]:
    """The texts of a game up to an event, by event."""
    for after in range(0, last, TEXTS):
        if rows := await store.load_texts(row, after=after, before=min(after + TEXTS, last) + 1):
            yield rows


async def load_event_body(store: Store, row: str, game: Game, number: int) -> Json | None:
    """The body of event `number` of a game; of a sealed roll that was opened, with what it held.
    None where there is no such event."""
    found = await store.load_events(row, after=number - 1, before=number + 1) if number > 0 else ()
    if not found:
        return None
    event = found[0].data
    if event["kind"] != "sealed" or number in game.sealed:
        return event
    texts = await store.load_texts(row, after=number - 1, before=number + 1)
    held = next((text.text for text in texts if text.key == SEALED), None)
    return event if held is None else {**event, "sealed": "", **json.loads(held)}
