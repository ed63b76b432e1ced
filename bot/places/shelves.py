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

from bot.game.state import Game
from bot.interface.registry import TABLE
from bot.interface.spec import Path, Place
from bot.places.enabled import Enabled
from bot.rules.errors import TableError, UserError
from bot.rules.text.phrase import phrase
from bot.stores.store import Store
from bot.systems.catalog import everywhere
from bot.systems.system import System

if TYPE_CHECKING:  # most servers have no packs
    from bot.systems.packs.pack import PackSystem
    from bot.systems.packs.shelf import Shelf

log = logging.getLogger(__name__)

OF_A_VERSION = ("unknown-command", "unknown-option", "not-enabled")
"""What a command is that another version of a pack would know."""
PACKS_KEPT = 40
SHELVES_KEPT = 64


class Shelves:
    """Packs in memory, and the shelves made of them; both bounded."""

    def __init__(self, store: Store, enabled: Enabled) -> None:
        self._store, self._enabled = store, enabled
        self._packs: OrderedDict[str, PackSystem] = OrderedDict()
        self._shelves: OrderedDict[tuple[str, ...], Shelf] = OrderedDict()
        self._last: OrderedDict[str, Shelf] = OrderedDict()

    def last(self, server: str) -> Mapping[str, System]:
        """What was seen on a server the last time, for whoever shows its commands and cannot wait."""
        return self._last.get(server) or everywhere()

    async def at(self, where: Place, game: Game | None = None) -> Mapping[str, System]:
        """What is seen in a place where this game is played: one that was started stays with its version, free play
        goes with its server."""
        here = tuple((await self._enabled.packs(where)).values())
        played = game.packs if game is not None else ()
        if not here and not played:
            self._last.pop(where.server, None)
            return everywhere()
        found = await self.of(*((here, played) if game is not None and game.started else (played, here)))
        self._last[where.server] = found
        if len(self._last) > SHELVES_KEPT:
            self._last.popitem(last=False)
        return found

    async def explained(self, error: UserError, path: Path, where: Place, game: Game | None) -> UserError:
        """An error about a command; of one that only the version in the server's menu knows it says what is played."""
        if game is None or not game.packs or error.code not in OF_A_VERSION:
            return error
        enabled = (await self._enabled.packs(where)).get(game.system)
        if path[0].removesuffix(TABLE) != game.system or enabled in (None, game.packs[-1]):
            return error
        played, newer = await self._pack(game.packs[-1]), await self._pack(str(enabled))
        if played is None or newer is None:
            return error
        hint = phrase(
            "This game is played with {played}. To move it on to {newer}: `/game settings pack={id}`",
            played=f"{played.title} {played.about.version}",
            newer=f"{newer.title} {newer.about.version}",
            id=game.system,
        )
        return UserError(error.message, hint=hint, option=error.option, code=error.code)

    async def of(self, *hashes: Iterable[str]) -> Shelf:
        """The systems of everybody, with these packs: of several versions of one id the last is in force."""
        key = tuple(hash for some in hashes for hash in some)
        shelf = self._shelves.get(key)
        if shelf is None:
            from bot.systems.packs.shelf import Shelf

            found = {hash: pack for hash in dict.fromkeys(key) if (pack := await self._pack(hash)) is not None}
            shelf = Shelf(everywhere(), [found[hash] for hash in key if hash in found])
            if not found.keys() >= set(key):
                return shelf  # what is missing may be there the next time
            self._shelves[key] = shelf
            while len(self._shelves) > SHELVES_KEPT:
                self._shelves.popitem(last=False)
        self._shelves.move_to_end(key)
        return shelf

    async def _pack(self, hash: str) -> PackSystem | None:
        pack = self._packs.get(hash)
        if pack is None:
            from bot.packs.stored import read_pack

            pack = _of_this_host(hash) or await read_pack(self._store, hash)
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
        for key in [key for key in self._shelves if hash in key]:
            del self._shelves[key]


def _of_this_host(hash: str) -> PackSystem | None:
    """The pack of this version in the host's own folders, which no store needs to have."""
    from bot.systems.packs.pack import PackSystem

    packs = (system for system in everywhere().values() if isinstance(system, PackSystem))
    return next((pack for pack in packs if pack.version == hash), None)
