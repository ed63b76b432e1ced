"""Which systems a server has switched on; asked before each command, so remembered for a moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.interface.registry import Registry
from bot.interface.spec import CommandSpec, Place
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.stores.base import Clock
from bot.stores.store import Store

SETUP_KEPT = 20.0
"""Seconds after which another process's change is seen."""
PACKS_KEPT = 1.0
"""The same of a server with packs: its players see them come and go in the menu."""
MOST = 10_000


class NotManager(UserError):
    """Only whoever manages the server may do this; said in the words of its platform."""

    def __init__(self, what: str, where: Place) -> None:
        platform = where.key.partition(":")[0]
        who = {"discord": "server manager", "slack": "workspace admin"}.get(platform, "server manager")
        super().__init__(f"Only a {who} can {what}.", code="not-manager")


@dataclass(frozen=True, slots=True)
class _Choice:
    systems: frozenset[str] | None = None  # None: all
    packs: Mapping[str, str] = field(default_factory=dict)


_ALL = _Choice()


class Enabled:
    """The choice of each server, as `/setup systems` and `/pack enable` stored it; without one all systems that come
    with the bot are enabled, and no packs."""

    def __init__(self, store: Store, registry: Registry, steady: Clock) -> None:
        self._store, self._registry, self._steady = store, registry, steady
        self.listeners: list[Callable[[str], None]] = []
        """Told the server whose choice has just been stored, by this process."""
        self._setups: dict[str, tuple[float, _Choice]] = {}

    def forget(self, server: str) -> None:
        """Read this server's choice anew: it has just been stored."""
        self._setups.pop(server, None)
        for listener in self.listeners:
            listener(server)

    def renew(self, server: str) -> bool:
        """Read this server's choice anew the next time; whether it was known at all. For what names a pack that is not
        known: another process may have it enabled since."""
        return self._setups.pop(server, None) is not None

    async def check(self, spec: CommandSpec, where: Place) -> None:
        """Raise UserError for a system that is not enabled on this server."""
        if not spec.system or spec.system not in self._registry.games:  # a pack of the server's own is seen or not
            return
        here = await self._here(where)
        enabled = here.systems
        if enabled is not None and spec.system not in (*enabled, *here.packs):
            wider = " ".join(sorted({*enabled, spec.system}))
            raise UserError(
                f"{self._registry.games[spec.system].title} is not enabled here.",
                hint=phrase("A server manager or workspace admin can enable it: `/setup systems {wider}`", wider=wider),
                code="not-enabled",
            )

    async def games(self, where: Place) -> tuple[str, ...]:
        """The systems that are enabled there, in their order."""
        enabled = await self._here(where)
        systems = tuple(game for game in self._registry.games if enabled.systems is None or game in enabled.systems)
        return (*systems, *(id for id in enabled.packs if id not in systems))

    async def packs(self, where: Place) -> Mapping[str, str]:
        """The hash of each pack that is enabled there, by id."""
        return (await self._here(where)).packs

    async def _here(self, where: Place) -> _Choice:
        if not where.server:
            return _ALL
        known = self._setups.get(where.server)
        if known is not None and self._steady() - known[0] <= (PACKS_KEPT if known[1].packs else SETUP_KEPT):
            return known[1]
        doc = await self._store.doc("setup", where.server)
        data = doc.data if doc is not None else {}
        systems = frozenset(data["systems"]) if "systems" in data else None
        if len(self._setups) > MOST:
            self._setups.clear()
        choice = _Choice(systems, dict(sorted((data.get("packs") or {}).items())))
        self._setups[where.server] = (self._steady(), choice)
        return choice
