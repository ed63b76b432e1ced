"""Which systems a command sees: beside those that everybody has, the packs that its server has enabled, and those in
the versions that its game is played with.

A server without packs sees the systems of the house, and nothing is read for it. Packs that were loaded are kept by
their hash, as they never change.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from bot.enabled import Enabled
from bot.interface.registry import Registry, registry
from bot.interface.spec import Place
from bot.rules.errors import TableError
from bot.stores.base import Store
from bot.systems.catalog import System, everywhere, using

if TYPE_CHECKING:  # most servers have no packs
    from bot.systems.packs.pack import PackSystem
    from bot.systems.packs.shelf import Shelf

log = logging.getLogger(__name__)

PACKS_KEPT = 40
SHELVES_KEPT = 64


class Shelves:
    """Packs in memory, and the shelves made of them; both bounded."""

    def __init__(self, store: Store, enabled: Enabled) -> None:
        self._store, self._enabled = store, enabled
        self._packs: OrderedDict[str, PackSystem] = OrderedDict()
        self._shelves: OrderedDict[tuple[tuple[str, ...], tuple[str, ...]], Shelf] = OrderedDict()

    async def at(self, where: Place, pinned: tuple[str, ...] = ()) -> Mapping[str, System]:
        """What is seen in a place whose game is played with these versions, the last of each id in force."""
        here = await self._enabled.packs(where)
        if not here and not pinned:
            return everywhere()
        return await self.of(here.values(), pinned)

    async def of(self, here: Iterable[str], pinned: Iterable[str] = ()) -> Mapping[str, System]:
        """The systems of everybody, with these packs."""
        key = (tuple(sorted(here)), tuple(pinned))
        shelf = self._shelves.get(key)
        if shelf is None:
            from bot.systems.packs.shelf import Shelf

            wanted = dict.fromkeys((*key[0], *key[1]))
            found = {hash: pack for hash in wanted if (pack := await self._pack(hash)) is not None}
            last = [found[hash] for hash in wanted if hash in found]
            shelf = Shelf(everywhere(), last, found.values())
            if len(found) < len(wanted):
                return shelf  # what is missing may be there the next time
            self._shelves[key] = shelf
            while len(self._shelves) > SHELVES_KEPT:
                self._shelves.popitem(last=False)
        self._shelves.move_to_end(key)
        return shelf

    async def registry_at(self, where: Place, pinned: tuple[str, ...] = ()) -> Registry:
        """The commands that are seen there."""
        with using(await self.at(where, pinned)):
            return registry()

    async def _pack(self, hash: str) -> PackSystem | None:
        pack = self._packs.get(hash)
        if pack is None:
            from bot.packs.stored import read_pack

            pack = await read_pack(self._store, hash)
            if pack is None:
                log.warning("the pack %s is not in the store, or not what it was", hash)
                return None
            try:
                await asyncio.to_thread(pack.check_whole)  # reads all of it, so that no command waits for that
            except TableError as error:
                log.warning("the pack %s cannot be read any more: %s", pack.id, error)
                return None
            self._packs[hash] = pack
            while len(self._packs) > PACKS_KEPT:
                self._drop(next(iter(self._packs)))
        self._packs.move_to_end(hash)
        return pack

    def _drop(self, hash: str) -> None:
        del self._packs[hash]
        for key in [key for key in self._shelves if hash in key[0] or hash in key[1]]:
            del self._shelves[key]
