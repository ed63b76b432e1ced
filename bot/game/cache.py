"""Games in memory: loaded when needed, the latest few hundred kept, each checked by its version before use."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from bot.game.loaded import Loaded, load
from bot.stores.base import Store

KEPT = 256


class Games:
    """A bounded cache over the store's games."""

    def __init__(self, store: Store, kept: int = KEPT) -> None:
        self._store, self._kept = store, kept
        self._loaded: OrderedDict[str, Loaded] = OrderedDict()
        self._places: dict[str, str] = {}  # which of them was loaded for a place

    async def at(self, place: str) -> Loaded | None:
        """The game that is played in a place, as it is in the store now."""
        if self._places.get(place) in self._loaded:  # else there is nothing to compare: it is read at once
            here = await self._store.peek(place)
            if here is None:
                return None
            row, version, has_board = here
            known = self._loaded.get(row)
            if known is not None and known.version == version:
                if known.has_board != has_board:
                    return self.keep(replace(known, has_board=has_board))
                self._loaded.move_to_end(row)
                return known
        saved = await self._store.load_game(place)
        return self.keep(load(saved)) if saved is not None else None

    async def by_row(self, row: str) -> Loaded | None:
        """Any game by its id in the store."""
        saved = await self._store.load_game_by_id(row)
        return load(saved) if saved is not None else None

    def keep(self, loaded: Loaded) -> Loaded:
        """Remember a game as it is now, in place of one that was not asked for lately."""
        self._loaded[loaded.row] = loaded
        self._loaded.move_to_end(loaded.row)
        self._places.update(dict.fromkeys(loaded.places, loaded.row))
        while len(self._loaded) > self._kept:
            self.drop(next(iter(self._loaded)))
        return loaded

    def drop(self, row: str) -> None:
        """Forget a game: it is read again when it is needed."""
        old = self._loaded.pop(row, None)
        for place in old.places if old is not None else ():
            self._places.pop(place, None)

    def clear(self) -> None:
        """Forget all games."""
        self._loaded.clear()
        self._places.clear()
