"""The systems that a server has enabled, and those that a command sees.

A command sees the built-in systems, the packs that its server has enabled, and the packs of its
game in the versions that the game is played with. A server without packs sees the built-in systems,
and nothing is read for it. Loaded packs are cached by their hash, since they never change.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from cachetools import FIFOCache, LRUCache

from bot.game.roster import is_open
from bot.game.state import Game
from bot.packs.pack_store import describe_exclusion, list_host_packs, load_stored_pack
from bot.preferences.platform_words import get_manager_word
from bot.rules.errors import TableError, UserError
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.packs.visible_rulesets import combine_with_packs
from bot.rulesets.rule_sets import RuleSets
from bot.storage.base import Clock
from bot.storage.store import Store
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec, Path, Place

SETUP_KEPT = 20.0
"""Seconds until another process's change takes effect here."""
PACKS_KEPT = 1.0
"""The same for a server with packs: its players see them appear and disappear in the menu."""
MOST = 10_000


class NotManager(UserError):
    """The refusal of an action that only a manager of the server may do, in the words of its
    platform.
    """

    def __init__(self, action: str, where: Place) -> None:
        super().__init__(f"Only a {get_manager_word(where.key)} can {action}.", code="not-manager")


async def is_game_enabled(store: Store, server: str, id: str) -> bool:
    """Return whether a server has not switched the game with this id off, as stored now.

    This does not tell whether the server has the game, if it is that of a pack.
    """
    doc = await store.load_doc("setup", server)
    if doc is None or "systems" not in doc.data:
        return True
    packs = doc.data.get("packs") or {}
    return id in doc.data["systems"] or id in packs


@dataclass(frozen=True, slots=True)
class _ServerChoice:
    systems: frozenset[str] | None = None  # None: all
    packs: Mapping[str, str] = field(default_factory=dict)


_ALL = _ServerChoice()


class EnabledPacks:
    """The choice of each server, as stored by `/setup systems` and `/pack enable`.

    Without a choice all systems that come with the bot are enabled, and no packs.
    """

    def __init__(self, store: Store, registry: Registry, steady: Clock) -> None:
        self._store = store
        self._registry = registry
        self._steady = steady
        self.listeners: list[Callable[[str], None]] = []
        """Told the server whose choice has just been stored, by this process."""
        self._setups = LRUCache[str, tuple[float, _ServerChoice]](MOST)

    def forget(self, server: str) -> None:
        """Drop the cached choice of a server after this process has stored it, and tell the
        listeners.
        """
        self._setups.pop(server, None)
        for listener in self.listeners:
            listener(server)

    def drop_cached(self, server: str) -> bool:
        """Drop the cached choice of a server. Return whether there was one.

        Call this when a pack's name is unknown: another process may have enabled the pack.
        """
        return self._setups.pop(server, None) is not None

    async def check(self, spec: CommandSpec, where: Place) -> None:
        """Raise UserError for a system that is not enabled on this server."""
        if not spec.system or spec.system not in self._registry.games:
            # a pack of the server's own is either visible or not
            return
        choice = await self._load_choice(where)
        enabled = choice.systems
        if enabled is None or spec.system in enabled or spec.system in choice.packs:
            return
        new_systems = " ".join(sorted({*enabled, spec.system}))
        hint = phrase(
            "A {manager} can enable it: `/setup systems {wider}`",
            manager=get_manager_word(where.key),
            wider=new_systems,
        )
        message = f"{self._registry.games[spec.system].title} is not enabled here."
        raise UserError(message, hint=hint, code="not-enabled")

    async def list_systems(self, where: Place) -> tuple[str, ...]:
        """Return the enabled systems of a place, in their order."""
        choice = await self._load_choice(where)
        systems = tuple(
            game
            for game in self._registry.games
            if choice.systems is None or game in choice.systems
        )
        return (*systems, *(id for id in choice.packs if id not in systems))

    async def load_packs(self, where: Place) -> Mapping[str, str]:
        """Return the hash of each pack that is enabled in a place, by id."""
        return (await self._load_choice(where)).packs

    async def _load_choice(self, where: Place) -> _ServerChoice:
        """Return the choice of a place's server, from the cache while it is fresh."""
        if not where.server:
            return _ALL
        cached = self._setups.get(where.server)
        if cached is not None:
            time_loaded, choice = cached
            max_age = PACKS_KEPT if choice.packs else SETUP_KEPT
            if self._steady() - time_loaded <= max_age:
                return choice
        doc = await self._store.load_doc("setup", where.server)
        data = doc.data if doc is not None else {}
        systems = frozenset(data["systems"]) if "systems" in data else None
        choice = _ServerChoice(systems, dict(sorted((data.get("packs") or {}).items())))
        self._setups[where.server] = (self._steady(), choice)
        return choice


log = logging.getLogger(__name__)

OF_A_VERSION = ("unknown-command", "unknown-option", "not-enabled")
"""Codes of errors about a command that another version of a pack may have."""
LOADED = 40
SHELVES_KEPT = 64


class RulesetCache:
    """A bounded cache of packs in memory, and of the sets of visible systems built from them."""

    def __init__(self, store: Store, enabled: EnabledPacks) -> None:
        self._store = store
        self._enabled = enabled
        self._packs: OrderedDict[str, PackSystem] = OrderedDict()
        self._shelves = LRUCache[tuple[tuple[str, ...], tuple[str, ...] | None], RuleSets](
            SHELVES_KEPT
        )
        self._last = FIFOCache[str, RuleSets](SHELVES_KEPT)

    def get_last_seen(self, server: str) -> RuleSets:
        """Return the systems last visible on a server, for a caller that cannot wait."""
        return self._last.get(server) or load_shared_systems()

    async def load_visible(self, where: Place, game: Game | None = None) -> RuleSets:
        """Return the systems visible in a place where this game is played.

        A game that has started stays with its versions of packs. Free play goes with its server.
        """
        server_packs = tuple((await self._enabled.load_packs(where)).values())
        game_packs = game.packs if game is not None else ()
        if not server_packs and not game_packs and not _has_host_extensions():
            self._last.pop(where.server, None)
            return load_shared_systems()
        hash_groups = (game_packs, server_packs)
        if game is not None and game.started:
            hash_groups = (server_packs, game_packs)
        joined = None if game is None or is_open(game) else game_packs
        visible = await self.load_with_packs(*hash_groups, joined=joined)
        self._last[where.server] = visible
        return visible

    async def explain_error(
        self, error: UserError, path: Path, where: Place, game: Game | None
    ) -> UserError:
        """Return an error about a command, with a hint if only another version of a pack has it.

        The game may be played with an older version than that in the server's menu.
        """
        if game is None or not game.packs or error.code not in OF_A_VERSION:
            return error
        id = path[0].removesuffix(TABLE)
        enabled_hash = (await self._enabled.load_packs(where)).get(id)
        game_packs = [await self._load_pack(hash) for hash in game.packs]
        versions = [pack for pack in game_packs if pack is not None and pack.id == id]
        newer = await self._load_pack(enabled_hash) if enabled_hash is not None else None
        if not versions or newer is None:
            return error
        played = versions[-1]
        if played.home != game.system or played.version == enabled_hash:
            return error
        hint = phrase(
            "This game is played with {played}. To switch it to {newer}: `/game settings pack={id}`",
            played=f"{played.title} {played.about.version}",
            newer=f"{newer.title} {newer.about.version}",
            id=id,
        )
        return UserError(error.message, hint=hint, option=error.option, code=error.code)

    def explain_exclusion(self, path: Path, where: Place, game: Game) -> str:
        """Return why a command does not know the units of this game, or "".

        It does not if it belongs to an extension of another game.
        """
        systems = self.get_last_seen(where.server)
        pack = systems.get(path[0])
        if pack is None or not game.system:
            return ""
        return describe_exclusion(pack, game.system, systems)

    async def load_with_packs(
        self, *hash_groups: Iterable[str], joined: tuple[str, ...] | None = None
    ) -> RuleSets:
        """Return the systems that come with the bot together with these packs.

        Of several versions of one id the last is in force. Of extensions only those in `joined` count,
        or all if it is None.
        """
        hashes = tuple(hash for group in hash_groups for hash in group)
        key = (hashes, joined)
        visible = self._shelves.get(key)
        if visible is not None:
            return visible
        packs: dict[str, PackSystem] = {}
        for hash in dict.fromkeys(hashes):
            pack = await self._load_pack(hash)
            if pack is not None:
                packs[hash] = pack
        listed_packs = [packs[hash] for hash in hashes if hash in packs]
        visible = combine_with_packs(load_shared_systems(), listed_packs, joined)
        if packs.keys() >= set(hashes):  # a missing pack may be there the next time
            self._shelves[key] = visible
        return visible

    async def _load_pack(self, hash: str) -> PackSystem | None:
        """Return the pack with this hash, None if it is missing or damaged."""
        pack = self._packs.get(hash)
        if pack is None:
            pack = _load_host_pack(hash) or await load_stored_pack(self._store, hash)
            if pack is None:
                log.warning("the pack %s is not in the store, or not what it was", hash)
                return None
            try:
                # reads all of it, so that no command waits for that
                await asyncio.to_thread(pack.check_whole)
            except TableError as error:
                log.warning("the pack %s cannot be read any more: %s", pack.id, error)
                return None
            self._packs[hash] = pack
            while len(self._packs) > LOADED:
                self._drop_pack(next(iter(self._packs)))
        self._packs.move_to_end(hash)
        return pack

    def _drop_pack(self, hash: str) -> None:
        del self._packs[hash]
        for key in [key for key in self._shelves if hash in key[0]]:
            del self._shelves[key]


def _has_host_extensions() -> bool:
    """Return whether the host's own packs extend a game."""
    return any(system.base is not None for system in load_shared_systems().values())


def _load_host_pack(hash: str) -> PackSystem | None:
    """Return the pack of this version from the host's own folders, or None."""
    return next((pack for pack in list_host_packs().values() if pack.version == hash), None)
