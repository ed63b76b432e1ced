"""Monitoring of a running bot: messages to the supervisor, the log's line for each command, and the
port that reports the bot's health, and its metrics if their library is installed.
"""

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
"""Maximum number of connections to the health port."""
LAG_EVERY = 1.0
"""Seconds between measurements of the event loop's lag."""
STALE = 3 * (EVERY + PROBE_SECONDS)
"""Seconds after which the last health report is too old."""
MISSING = 'No figures here: pip install "grognard[metrics]" on the host switches them on.\n'


class BotMonitor:
    """The monitor of a bot, also while it waits for its database.

    `watch` is passed to the app, and the tasks of `list_tasks` run next to it. Without a health
    port and a supervisor there are no tasks; `watch` is then None unless the log has a line for
    each command.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._supervisor = Supervisor()
        self._metrics = _create_metrics() if settings.health_port else None
        self._is_active = bool(settings.health_port or self._supervisor)
        watch = Watch(self._metrics)
        logs_commands = logging.getLogger().isEnabledFor(logging.INFO)
        self.watch = watch if self._is_active or logs_commands else None
        folder = settings.database.parent if settings.database is not None else None
        self._health = Health(None, watch, {}, folder)

    def note_waiting(self, problem: str) -> None:
        """Report that the bot waits for its database, because of a problem."""
        self._health.set_problem(problem)
        self._supervisor.notify(f"STATUS=waiting: {problem}")

    def attach_app(self, app: App) -> None:
        """Monitor an app that has opened its database and begins to serve."""
        self._health.set_store(app.store, app.links)
        if self._metrics is not None:
            self._metrics.follow(app.executor, app.store)

    def list_tasks(self) -> Sequence[Coroutine[Any, Any, None]]:
        """Tell the supervisor that the bot has started, and return the tasks of the monitor, each
        of which runs until cancelled. Does nothing and returns () if nothing is monitored.
        """
        settings = self._settings
        supervisor = self._supervisor
        metrics = self._metrics
        health = self._health
        if not self._is_active:
            return ()
        # a bot that waits for its database has not failed to start
        supervisor.notify("READY=1", "STATUS=starting")
        listeners: list[Callable[[HealthReport], None]] = []
        if supervisor:
            listeners.append(
                lambda _: supervisor.notify("WATCHDOG=1", f"STATUS={health.describe()}")
            )
        if metrics is not None:
            listeners.append(metrics.show_health)
        tasks = [health.run(*listeners)]
        if metrics is not None:
            tasks.append(_measure_lag(metrics))
        if settings.health_port:
            render_metrics = metrics.render if metrics is not None else None
            tasks.append(serve_health(health, render_metrics, settings))
        return tasks

    def note_ending(self) -> None:
        """Tell the supervisor that the bot is ending."""
        self._supervisor.notify("STOPPING=1")


async def _measure_lag(counts: Counts) -> None:
    """Record every LAG_EVERY seconds how late the event loop resumes a task."""
    clock = asyncio.get_running_loop().time
    while True:
        due = clock() + LAG_EVERY
        await asyncio.sleep(LAG_EVERY)
        counts.record_duration("lag", max(0.0, clock() - due))


def _create_metrics() -> Metrics | None:
    """Create the metrics, or return None if their library is not installed."""
    if find_spec("prometheus_client") is None:
        return None
    from bot.monitoring.metrics import Metrics

    return Metrics(get_release())


async def serve_health(
    health: Health, render_metrics: Callable[[], bytes] | None, settings: Settings
) -> None:
    """Serve the health pages until cancelled. Raises UserError if the port is taken."""
    host = settings.health_host
    port = settings.health_port
    hint = "Set HEALTH_PORT to a free one."
    site = create_health_app(health, render_metrics)
    message = f"health is at port {port} of {host}"
    door = partial(Door, places=PLACES)
    await serve_until_cancelled(site, (host, port), hint, message, door, shutdown_timeout=1.0)


def create_health_app(
    health: Health, render_metrics: Callable[[], bytes] | None
) -> web.Application:
    """Create the health pages. They have status 200 if all is well, else 503 and the problem.

    `/livez` is for a supervisor: it has a problem only if a restart helps. `/readyz` is for a proxy
    that forwards requests to this process. `/healthz` is for people and alarms. `/metrics` has
    status 501 without `render_metrics`.
    """

    async def livez(_: web.Request) -> web.StreamResponse:
        return _build_response(_find_stale_problem(health))

    async def healthz(_: web.Request) -> web.StreamResponse:
        problem = _find_stale_problem(health) or "\n".join(health.sight.troubles)
        return _build_response(problem, health.sight.notes)

    async def readyz(_: web.Request) -> web.StreamResponse:
        return _build_response(_find_stale_problem(health) or health.sight.unready)

    async def metrics(_: web.Request) -> web.StreamResponse:
        if render_metrics is None:
            return web.Response(status=501, text=MISSING)
        headers = {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
        return web.Response(body=render_metrics(), headers=headers)

    app = web.Application(client_max_size=1024)
    handlers = {"/livez": livez, "/readyz": readyz, "/healthz": healthz, "/metrics": metrics}
    app.add_routes([web.get(path, handler) for path, handler in handlers.items()])
    return app


def _find_stale_problem(health: Health) -> str:
    """Return a problem if the last health report is too old, else ""."""
    return "the last check was a while ago" if health.get_age() > STALE else ""


def _build_response(problem: str, notes: Sequence[str] = ()) -> web.Response:
    """Build a page with the problem, or "ok", and notes."""
    lines = [problem or "ok", *(f"note: {note}" for note in notes)]
    return web.Response(status=503 if problem else 200, text="".join(f"{line}\n" for line in lines))
