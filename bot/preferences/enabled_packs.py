"""Which systems a server has switched on, and which a command sees: beside those that everybody
has, the packs that its server has enabled, and those in the versions that its game is played with.

A server without packs sees the systems of the house, and nothing is read for it. Packs that were
loaded are kept by their hash, as they never change.
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
from bot.rulesets.packs.visible_rulesets import VisibleRulesets
from bot.rulesets.system import System
from bot.storage.base import Clock
from bot.storage.store import Store
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec, Path, Place

SETUP_KEPT = 20.0
"""Seconds after which another process's change is seen."""
PACKS_KEPT = 1.0
"""The same of a server with packs: its players see them come and go in the menu."""
MOST = 10_000


class NotManager(UserError):
    """Only whoever manages the server may do this; said in the words of its platform."""

    def __init__(self, what: str, where: Place) -> None:
        super().__init__(f"Only a {get_manager_word(where.key)} can {what}.", code="not-manager")


@dataclass(frozen=True, slots=True)
class _ServerChoice:
    systems: frozenset[str] | None = None  # None: all
    packs: Mapping[str, str] = field(default_factory=dict)


_ALL = _ServerChoice()


class EnabledPacks:
    """The choice of each server, as `/setup systems` and `/pack enable` stored it; without one all
    systems that come with the bot are enabled, and no packs."""

    def __init__(self, store: Store, registry: Registry, steady: Clock) -> None:
        self._store = store
        self._registry = registry
        self._steady = steady
        self.listeners: list[Callable[[str], None]] = []
        """Told the server whose choice has just been stored, by this process."""
        self._setups = LRUCache[str, tuple[float, _ServerChoice]](MOST)

    def forget(self, server: str) -> None:
        """Read this server's choice anew: it has just been stored."""
        self._setups.pop(server, None)
        for listener in self.listeners:
            listener(server)

    def drop_cached(self, server: str) -> bool:
        """Read this server's choice anew the next time; whether it was known at all. For what names
        a pack that is not known: another process may have it enabled since."""
        return self._setups.pop(server, None) is not None

    async def check(self, spec: CommandSpec, where: Place) -> None:
        """Raise UserError for a system that is not enabled on this server."""
        if not spec.system or spec.system not in self._registry.games:
            # a pack of the server's own is seen or not
            return
        here = await self._load_choice(where)
        enabled = here.systems
        if enabled is not None and spec.system not in (*enabled, *here.packs):
            wider = " ".join(sorted({*enabled, spec.system}))
            what = f"{self._registry.games[spec.system].title} is not enabled here."
            hint = phrase(
                "A {manager} can enable it: `/setup systems {wider}`",
                manager=get_manager_word(where.key),
                wider=wider,
            )
            raise UserError(what, hint=hint, code="not-enabled")

    async def list_systems(self, where: Place) -> tuple[str, ...]:
        """The systems that are enabled there, in their order."""
        enabled = await self._load_choice(where)
        systems = tuple(
            game
            for game in self._registry.games
            if enabled.systems is None or game in enabled.systems
        )
        return (*systems, *(id for id in enabled.packs if id not in systems))

    async def load_packs(self, where: Place) -> Mapping[str, str]:
        """The hash of each pack that is enabled there, by id."""
        return (await self._load_choice(where)).packs

    async def _load_choice(self, where: Place) -> _ServerChoice:
        if not where.server:
            return _ALL
        known = self._setups.get(where.server)
        if known is not None and self._steady() - known[0] <= (
            PACKS_KEPT if known[1].packs else SETUP_KEPT
        ):
            return known[1]
        doc = await self._store.load_doc("setup", where.server)
        data = doc.data if doc is not None else {}
        systems = frozenset(data["systems"]) if "systems" in data else None
        choice = _ServerChoice(systems, dict(sorted((data.get("packs") or {}).items())))
        self._setups[where.server] = (self._steady(), choice)
        return choice


log = logging.getLogger(__name__)

OF_A_VERSION = ("unknown-command", "unknown-option", "not-enabled")
"""What a command is that another version of a pack would know."""
LOADED = 40
SHELVES_KEPT = 64


class RulesetCache:
    """Packs in memory, and the shelves made of them; both bounded."""

    def __init__(self, store: Store, enabled: EnabledPacks) -> None:
        self._store = store
        self._enabled = enabled
        self._packs: OrderedDict[str, PackSystem] = OrderedDict()
        self._shelves = LRUCache[tuple[tuple[str, ...], tuple[str, ...] | None], VisibleRulesets](
            SHELVES_KEPT
        )
        self._last = FIFOCache[str, VisibleRulesets](SHELVES_KEPT)

    def get_last_seen(self, server: str) -> Mapping[str, System]:
        """What was seen on a server the last time, for whoever shows its commands and cannot
        wait.
        """
        return self._last.get(server) or load_shared_systems()

    async def load_visible(self, where: Place, game: Game | None = None) -> Mapping[str, System]:
        """What is seen in a place where this game is played: one that was started stays with its
        version, free play goes with its server."""
        here = tuple((await self._enabled.load_packs(where)).values())
        played = game.packs if game is not None else ()
        if not here and not played and not _has_host_extensions():
            self._last.pop(where.server, None)
            return load_shared_systems()
        hashes = (here, played) if game is not None and game.started else (played, here)
        found = await self.load_with_packs(
            *hashes, joined=None if game is None or is_open(game) else played
        )
        self._last[where.server] = found
        return found

    async def explain_error(
        self, error: UserError, path: Path, where: Place, game: Game | None
    ) -> UserError:
        """An error about a command; of one that only the version in the server's menu knows it
        says what is played.
        """
        if game is None or not game.packs or error.code not in OF_A_VERSION:
            return error
        enabled = (await self._enabled.load_packs(where)).get(id := path[0].removesuffix(TABLE))
        known = [
            pack
            for hash in game.packs
            if (pack := await self._load_pack(hash)) is not None and pack.id == id
        ]
        newer = await self._load_pack(enabled) if enabled is not None else None
        if (
            not known
            or newer is None
            or known[-1].home != game.system
            or known[-1].version == enabled
        ):
            return error
        played = known[-1]
        hint = phrase(
            "This game is played with {played}. To move it on to {newer}: `/game settings pack={id}`",
            played=f"{played.title} {played.about.version}",
            newer=f"{newer.title} {newer.about.version}",
            id=id,
        )
        return UserError(error.message, hint=hint, option=error.option, code=error.code)

    def explain_exclusion(self, path: Path, where: Place, game: Game) -> str:
        """Why units of this game are not known to a command: it is one of an extension of
        another game.
        """
        known = self.get_last_seen(where.server)
        pack = known.get(path[0])
        return (
            describe_exclusion(pack, game.system, known) if pack is not None and game.system else ""
        )

    async def load_with_packs(
        self, *hashes: Iterable[str], joined: tuple[str, ...] | None = None
    ) -> VisibleRulesets:
        """The systems of everybody, with these packs: of several versions of one id the last is in
        force. Of extensions those that have `joined` the game, or all (None)."""
        named = tuple(hash for some in hashes for hash in some)
        key = (named, joined)
        shelf = self._shelves.get(key)
        if shelf is None:
            found = {
                hash: pack
                for hash in dict.fromkeys(named)
                if (pack := await self._load_pack(hash)) is not None
            }
            shelf = VisibleRulesets(
                load_shared_systems(), [found[hash] for hash in named if hash in found], joined
            )
            if not found.keys() >= set(named):
                return shelf  # what is missing may be there the next time
            self._shelves[key] = shelf
        return shelf

    async def _load_pack(self, hash: str) -> PackSystem | None:
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
    """The pack of this version in the host's own folders, which no store needs to have."""
    return next((pack for pack in list_host_packs().values() if pack.version == hash), None)
