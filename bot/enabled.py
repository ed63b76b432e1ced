"""Which systems a server has switched on; asked before each command, so remembered for a moment."""

from __future__ import annotations

from bot.interface.registry import Registry
from bot.interface.spec import CommandSpec, Place
from bot.rules.errors import UserError
from bot.rules.phrase import phrase
from bot.stores.base import Clock, Store

SETUP_KEPT = 20.0
"""Seconds after which another process's change is seen."""
MOST = 10_000


class Enabled:
    """The choice of each server, as `/setup systems` stored it; without one everything is enabled."""

    def __init__(self, store: Store, registry: Registry, steady: Clock) -> None:
        self._store, self._registry, self._steady = store, registry, steady
        self._setups: dict[str, tuple[float, frozenset[str] | None]] = {}

    def forget(self, server: str) -> None:
        """Read this server's choice anew: it has just been stored."""
        self._setups.pop(server, None)

    async def check(self, spec: CommandSpec, where: Place) -> None:
        """Raise UserError for a system that is not enabled on this server."""
        if not spec.system:
            return
        enabled = await self._here(where)
        if enabled is not None and spec.system not in enabled:
            wider = " ".join(sorted({*enabled, spec.system}))
            raise UserError(
                f"{self._registry.games[spec.system].title} is not enabled here.",
                hint=phrase("A server manager or workspace admin can enable it: `/setup systems {wider}`", wider=wider),
                code="not-enabled",
            )

    async def games(self, where: Place) -> tuple[str, ...]:
        """The systems that are enabled there, in their order."""
        enabled = await self._here(where)
        return tuple(game for game in self._registry.games if enabled is None or game in enabled)

    async def _here(self, where: Place) -> frozenset[str] | None:
        if not where.server:
            return None
        at, enabled = self._setups.get(where.server, (None, None))
        if at is None or self._steady() - at > SETUP_KEPT:
            doc = await self._store.doc("setup", where.server)
            enabled = frozenset(doc.data["systems"]) if doc is not None else None
            if len(self._setups) > MOST:
                self._setups.clear()
            self._setups[where.server] = (self._steady(), enabled)
        return enabled
