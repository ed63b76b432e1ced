"""The cache of games in memory, in front of the store.

It has a bound in bytes. Each game in it is checked by its version: before use, or by the commit
that follows.
"""

from cachetools import LRUCache

from bot.game.loaded_game import LoadedGame
from bot.loading.load_game import restore_game
from bot.storage.base import Conflict
from bot.storage.store import Store

CACHE_BYTES = 32 * 2**20
"""Bytes for games in memory: about ten thousand channels of free play, or a thousand games with
armies.
"""
MAX_PLACES = 50_000
"""Maximum number of places whose current game is remembered."""
_GAME_BYTES = 2_000
_UNIT_BYTES = 1_000
_PERSON_BYTES = 500
_CARD_BYTES = 300
_NUMBER_BYTES = 100


class GameCache:
    """A bounded cache over the store's games."""

    def __init__(self, store: Store, max_bytes: int = CACHE_BYTES) -> None:
        self._store = store
        self._loaded = LRUCache[str, LoadedGame](
            max_bytes, lambda loaded: min(estimate_size(loaded), max_bytes)
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
        if saved is None:
            return None
        return self.keep(restore_game(saved))

    def get_cached(self, place: str) -> LoadedGame | None:
        """Return the cached game of a place, None if there is none.

        It may be out of date. A result from it counts once its commit, or `check_current`, has
        found the version unchanged.
        """
        cached = self._loaded.get(self._places.get(place, ""))
        if cached is None or place not in cached.places:
            return None
        return cached

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
    units_size = _UNIT_BYTES * len(game.units)
    persons_size = _PERSON_BYTES * person_count
    decks_size = _CARD_BYTES * card_count
    numbers_size = _NUMBER_BYTES * number_count
    sizes = (
        _GAME_BYTES,
        units_size,
        persons_size,
        decks_size,
        numbers_size,
        len(loaded.hands.text),
    )
    return sum(sizes)
