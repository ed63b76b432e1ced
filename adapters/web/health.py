"""Who looks at a running bot: the supervisor, the log's line per command, and the port that says
how the bot is, with a page for figures where those are installed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from aiohttp import web

from adapters.web_server import Door, serve_until_cancelled
from bot.app import App
from bot.monitoring.command_log import Counts, Watch
from bot.monitoring.health import EVERY, PROBE_SECONDS, Health, HealthReport, Supervisor
from bot.runtime.release import get_release
from bot.runtime.settings import Settings

if TYPE_CHECKING:  # an extra
    from bot.monitoring.metrics import Metrics

PLACES = 64
LAG_EVERY = 1.0
STALE = 3 * (EVERY + PROBE_SECONDS)
"""Seconds after which what was seen last says nothing any more."""
MISSING = 'No figures here: pip install "grognard[metrics]" on the host adds them.\n'


class BotMonitor:
    """What sees the bot of these settings, also while it waits for its database; `watch` goes with
    the app, `works` run beside it. Nothing for nobody."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._supervisor = settings, Supervisor()
        self._metrics = _create_metrics() if settings.health_port else None
        self._looks = bool(settings.health_port or self._supervisor)
        watch = Watch(self._metrics)
        self.watch = (
            watch if self._looks or logging.getLogger().isEnabledFor(logging.INFO) else None
        )
        self._health = Health(
            None, watch, {}, settings.database.parent if settings.database is not None else None
        )

    def note_waiting(self, problem: str) -> None:
        """The bot waits for its database."""
        self._health.set_problem(problem)
        self._supervisor.notify(f"STATUS=waiting: {problem}")

    def attach_app(self, app: App) -> None:
        """The bot has its database, and begins to serve."""
        self._health.set_store(app.store, app.links)
        if self._metrics is not None:
            self._metrics.follow(app.executor, app.store)

    def list_tasks(self) -> Sequence[Coroutine[Any, Any, None]]:
        """What goes on from the start, until cancelled."""
        settings = self._settings
        told = self._supervisor
        health = self._health
        if not self._looks:
            return ()
        # a bot that waits for its database is not one that failed to start
        told.notify("READY=1", "STATUS=starting")
        seen: list[Callable[[HealthReport], None]] = []
        if told:
            seen.append(lambda _: told.notify("WATCHDOG=1", f"STATUS={health.describe()}"))
        if self._metrics is not None:
            seen.append(self._metrics.show_health)
        works = [health.run(*seen)]
        if self._metrics is not None:
            works.append(_measure_lag(self._metrics))
        if settings.health_port:
            works.append(
                serve_health(
                    health, self._metrics.render if self._metrics is not None else None, settings
                )
            )
        return works

    def note_ending(self) -> None:
        """The bot begins to end."""
        self._supervisor.notify("STOPPING=1")


async def _measure_lag(counts: Counts) -> None:
    """Look every second how late the event loop comes to its turn."""
    clock = asyncio.get_running_loop().time
    while True:
        due = clock() + LAG_EVERY
        await asyncio.sleep(LAG_EVERY)
        counts.record_duration("lag", max(0.0, clock() - due))


def _create_metrics() -> Metrics | None:
    """The figures, where their library is installed."""
    if find_spec("prometheus_client") is None:
        return None
    from bot.monitoring.metrics import Metrics

    return Metrics(get_release())


async def serve_health(
    health: Health, figures: Callable[[], bytes] | None, settings: Settings
) -> None:
    """Answer until cancelled. Raises UserError where the port is taken."""
    at = (settings.health_host, settings.health_port)
    hint = "Set HEALTH_PORT to a free one."
    site = create_health_app(health, figures)
    told = f"health is at port {at[1]} of {at[0]}"
    await serve_until_cancelled(
        site, at, hint, told, partial(Door, places=PLACES), shutdown_timeout=1.0
    )


def create_health_app(health: Health, figures: Callable[[], bytes] | None) -> web.Application:
    """The pages. Status 200 where all is well, else 503 and what is wrong.

    `/livez` is for who starts the bot again, and red only where that helps; `/readyz` for who sends
    requests here; `/healthz` for people and alarms.
    """

    async def livez(_: web.Request) -> web.StreamResponse:
        return _build_response(_find_stale_problem(health))

    async def healthz(_: web.Request) -> web.StreamResponse:
        return _build_response(
            _find_stale_problem(health) or "\n".join(health.sight.troubles), health.sight.notes
        )

    async def readyz(_: web.Request) -> web.StreamResponse:
        return _build_response(_find_stale_problem(health) or health.sight.unready)

    async def metrics(_: web.Request) -> web.StreamResponse:
        if figures is None:
            return web.Response(status=501, text=MISSING)
        return web.Response(
            body=figures(), headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
        )

    app = web.Application(client_max_size=1024)
    looks = {"/livez": livez, "/readyz": readyz, "/healthz": healthz, "/metrics": metrics}
    app.add_routes([web.get(path, look) for path, look in looks.items()])
    return app


def _find_stale_problem(health: Health) -> str:
    return "nobody has looked for a while" if health.get_age() > STALE else ""


def _build_response(problem: str, notes: Sequence[str] = ()) -> web.Response:
    lines = [problem or "ok", *(f"note: {note}" for note in notes)]
    return web.Response(status=503 if problem else 200, text="".join(f"{line}\n" for line in lines))
