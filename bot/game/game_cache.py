"""Games as stored, and the cache of games in memory.

A `LoadedGame` holds the game with the head of its chain, its players and the dice secret in force.
Logs are read in batches, so that other channels are served in between. The cache has a bound in
bytes. Each game in it is checked by its version: before use, or by the commit that follows.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple

from cachetools import LRUCache

from bot.game.events import apply
from bot.game.game_log import IMPORTED, EventRow, PersonRow, SeedRow, TextRow
from bot.game.state import Game, Json, from_json
from bot.rules.proof.chain import SEALED
from bot.rules.proof.unreleased import check_protocol
from bot.storage.base import Conflict
from bot.storage.records import Saved
from bot.storage.store import Store

SNAPSHOT_EVERY = 25
"""Events between two snapshots, and so the most that loading replays."""
CACHE_BYTES = 32 * 2**20
"""Bytes for games in memory: about ten thousand channels of free play, or a thousand games with
armies.
"""
MAX_PLACES = 50_000
"""Maximum number of places whose current game is remembered."""
_BARE, _UNIT, _PERSON, _CARD, _NUMBER = 2_000, 1_000, 500, 300, 100
BATCH = 250
"""Events read at once: a few milliseconds."""
TEXTS = 2_000
"""Events whose texts are read at once. Not every event has one."""
HANDS = "hands"
"""Key of the text with the contents of closed hands after an event. It is in no chain and no file.
"""


class DoneButton(NamedTuple):
    """The last shot of a game that has *Done* under it."""

    shot_number: int = 0
    """The number of its event, 0 if no shot has the button."""
    is_known: bool = True
    """Whether `shot_number` holds. If not, the log has to be searched."""


UNKNOWN_DONE_BUTTON = DoneButton(is_known=False)


class StoredHands(NamedTuple):
    """The contents of all closed hands after an event."""

    event_number: int = 0
    """The last event that moved closed cards, 0 if that is not known."""
    text: str = ""
    """The hands as canonical JSON, "" if they are not known."""


class LoadedGame(NamedTuple):
    """One version of a game, as loaded from the store."""

    row: str
    """The game's id in the store. `game.id` is another one if the game was imported."""
    game: Game
    version: int
    """Counts the commits to the game. A commit on an older version is a Conflict."""
    head: str
    """The hash of the last event, which covers all events before it."""
    persons: Mapping[str, PersonRow]
    """All who took part, by person id."""
    seed: SeedRow
    """The dice secret in force."""
    places: tuple[str, ...]
    """The keys of the channels that play the game."""
    snapshot_at: int
    """The number of the event after which the last snapshot was stored."""
    has_board: bool = False
    """Whether a channel has a pinned board of the game."""
    is_unasked: bool = False
    """Whether a check has found no open request to undo."""
    digits_event: int = -1
    """The last event whose answer ended with digits of the head, -1 if that is not known."""
    done_button: DoneButton = UNKNOWN_DONE_BUTTON
    hands: StoredHands = StoredHands()

    @property
    def may_be_asked(self) -> bool:
        """Return whether somebody may have asked another player to agree to an undo.

        Nobody has in a game of one person, or if a check has found no request.
        """
        return self.game.solo in ("", "*") and not self.is_unasked

    def find_person(self, user: str) -> PersonRow | None:
        """Return the person of a platform's user in this game."""
        return find_person(user, self.persons, self.game)


def find_person(user: str, persons: Mapping[str, PersonRow], game: Game) -> PersonRow | None:
    """Return the person of a platform's user in a game, None if they did not take part.

    A user who claimed a name from a file can have several persons. The one with a seat is returned.
    """
    candidates = [row for row in persons.values() if row.user == user]
    if not candidates:
        return None
    for row in candidates:
        if row.person in game.players or row.person == game.master:
            return row
    return candidates[0]


def is_imported(person: PersonRow) -> bool:
    """Return whether a person comes from an imported file and belongs to no account."""
    return person.user.startswith(IMPORTED)


async def load_game_by_id(store: Store, row: str) -> LoadedGame | None:
    """Load a game by its id in the store, None if it does not exist. The cache is not used."""
    saved = await store.load_game_by_id(row)
    return restore_game(saved) if saved is not None else None


def restore_game(saved: Saved) -> LoadedGame:
    """Restore a game from the store: its last snapshot, and the events since then.

    Raise ValueError if the log does not follow the snapshot or there is no seed, and UserError for
    the game of an unreleased build.
    """
    first_event = saved.events[0].data if saved.events else {}
    game = from_json(saved.state) if saved.state else Game(first_event.get("game", saved.game.id))
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

    def __init__(self, store: Store, kept: int = CACHE_BYTES) -> None:
        self._store = store
        self._loaded = LRUCache[str, LoadedGame](
            kept, lambda loaded: min(estimate_size(loaded), kept)
        )
        self._places = LRUCache[str, str](MAX_PLACES)  # the id of the game loaded for a place

    async def load_current(self, place: str) -> LoadedGame | None:
        """Return the game that is played in a place, as it is in the store now.

        Return None if there is none. The cached game is used if its version is still the same. The
        result is cached.
        """
        if self._places.get(place) in self._loaded:
            # A version is read in less time than a whole game.
            current = await self._store.load_game_version(place)
            if current is None:
                return None
            row, version, has_board = current
            cached = self._loaded.get(row)
            if cached is not None and cached.version == version:
                if cached.has_board == has_board:
                    return cached
                return self.keep(cached._replace(has_board=has_board))
        saved = await self._store.load_game(place)
        return self.keep(restore_game(saved)) if saved is not None else None

    def get_cached(self, place: str) -> LoadedGame | None:
        """Return the cached game of a place, None if there is none.

        It may be out of date. A result from it counts once its commit, or `check_current`, has
        found the version unchanged.
        """
        cached = self._loaded.get(self._places.get(place, ""))
        return cached if cached is not None and place in cached.places else None

    async def check_current(self, place: str, cached: LoadedGame) -> None:
        """Raise Conflict if `cached` is no longer the current game of the place.

        It is not if the place plays another game, or if its version or its board has changed.
        """
        if await self._store.load_game_version(place) != (
            cached.row,
            cached.version,
            cached.has_board,
        ):
            raise Conflict(cached.row)

    def keep(self, loaded: LoadedGame) -> LoadedGame:
        """Cache a game as it is now, in place of the games least recently used."""
        self._loaded[loaded.row] = loaded
        self._places.update(dict.fromkeys(loaded.places, loaded.row))
        return loaded

    def drop(self, row: str) -> None:
        """Remove a game from the cache."""
        self._loaded.pop(row, None)

    def clear(self) -> None:
        """Remove all games from the cache."""
        self._loaded.clear()


def estimate_size(loaded: LoadedGame) -> int:
    """Estimate the bytes that a game takes in memory.

    It adds up units, persons, cards and numbers. A fixed amount stands for everything else.
    """
    game = loaded.game
    number_count = sum(
        map(len, (game.sealed, game.withdrawn, game.redo, game.plans, game.orders, game.cards))
    )
    card_count = sum(len(deck["cards"]) for deck in game.decks.values())
    person_count = len(loaded.persons) + len(game.players) + len(loaded.places)
    units_size = _UNIT * len(game.units)
    persons_size = _PERSON * person_count
    decks_size = _CARD * card_count
    numbers_size = _NUMBER * number_count
    sizes = (_BARE, units_size, persons_size, decks_size, numbers_size, len(loaded.hands.text))
    return sum(sizes)


async def iterate_events(
    store: Store, row: str, before: int | None = None
) -> AsyncIterator[Sequence[EventRow]]:
    """Yield the events of a game in batches, oldest first, only those below `before` if given."""
    after = 0
    while True:
        rows = await store.load_events(row, after=after, before=before, limit=BATCH)
        if rows:
            yield rows
        if len(rows) < BATCH:
            return
        after = rows[-1].number


async def iterate_texts(store: Store, row: str, last: int) -> AsyncIterator[Sequence[TextRow]]:
    """Yield the texts of a game up to the event `last` in batches, in order of events."""
    for after in range(0, last, TEXTS):
        if rows := await store.load_texts(row, after=after, before=min(after + TEXTS, last) + 1):
            yield rows


async def load_event_body(store: Store, row: str, game: Game, number: int) -> Json | None:
    """Load the body of event `number` of a game, None if there is no such event.

    The body of an opened sealed roll includes its content.
    """
    if number <= 0:
        return None
    event_rows = await store.load_events(row, after=number - 1, before=number + 1)
    if not event_rows:
        return None
    event = event_rows[0].data
    if event["kind"] != "sealed" or number in game.sealed:
        return event
    texts = await store.load_texts(row, after=number - 1, before=number + 1)
    content = next((text.text for text in texts if text.key == SEALED), None)
    if content is None:
        return event
    return {**event, "sealed": "", **json.loads(content)}
