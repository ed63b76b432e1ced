"""Who looks at a running bot: the health port, the supervisor, and the log's line per command."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from bot.process.settings import Settings

if TYPE_CHECKING:
    from bot.app import App
    from bot.sight.health import Sight
    from bot.sight.metrics import Metrics
    from bot.sight.watching import Watch


class Lookout:
    """What sees the bot of these settings; `watch` goes with the app, `works` run beside it. Nothing for nobody."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._told = bool(os.environ.get("NOTIFY_SOCKET"))
        self._metrics = _metrics() if settings.health_port else None
        self.watch = self._watch()

    def _watch(self) -> Watch | None:
        if not (self._settings.health_port or self._told or logging.getLogger().isEnabledFor(logging.INFO)):
            return None
        from bot.sight.watching import Watch

        return Watch(self._metrics)

    def works(self, app: App) -> Sequence[Coroutine[Any, Any, None]]:
        """What goes on beside the platforms, until cancelled."""
        if self.watch is None or not (self._settings.health_port or self._told):
            return ()
        from bot.sight.health import Health
        from bot.sight.supervisor import Supervisor

        folder = self._settings.database.parent if self._settings.database is not None else None
        health = Health(app.store, self.watch, app.links, folder)
        told = Supervisor()
        told.tell("READY=1", "STATUS=starting")
        seen: list[Callable[[Sight], None]] = []
        if told:
            seen.append(lambda _: told.tell("WATCHDOG=1", f"STATUS={health.text()}"))
        if self._metrics is not None:
            self._metrics.follow(app.handling)
            seen.append(self._metrics.seen)
        works = [health.run(*seen)]
        if self._settings.health_port:
            from adapters.web.health import serve

            works.append(serve(health, self._metrics.text if self._metrics is not None else None, self._settings))
        return works

    def ending(self) -> None:
        """The bot begins to end."""
        if self._told:
            from bot.sight.supervisor import Supervisor

            Supervisor().tell("STOPPING=1")


def _metrics() -> Metrics | None:
    """The figures, where their library is installed."""
    from importlib.util import find_spec

    if find_spec("prometheus_client") is None:
        return None
    from bot.process.release import release
    from bot.sight.metrics import Metrics

    return Metrics(release())
