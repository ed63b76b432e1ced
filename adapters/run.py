"""One process for one platform or several: `grognard run` serves every platform whose tokens are
set.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import resource
import signal
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bot.rules.errors import UserError
from bot.runtime.file_rights import keep_files_private, tighten
from bot.runtime.logs import set_up_logging
from bot.runtime.settings import (
    Settings,
    get_settings_place,
    load_settings,
    need_discord,
    need_slack,
)

if TYPE_CHECKING:
    from adapters.web.health import BotMonitor
    from bot.app import App

log = logging.getLogger(__name__)

WAITS = (1.0, 5.0, 15.0, 60.0)
"""Seconds before each further start of a platform that ended. After WENT_WELL seconds of service
they begin again with the first.
"""
WENT_WELL = 300.0
AGAIN, TELL_EVERY = 5.0, 60.0
"""Seconds between attempts to open a database that is not available at a start, and between lines
about it in the log.
"""
FILES = 8_192
"""Number of file handles that the process asks for."""
SWEEP = 70_000
"""Number of new objects after which Python looks for garbage cycles: more than 500 commands hold
that run at the same time. A command leaves no cycles, and with a smaller number each command would
pay for a look at the objects of all others.
"""

Serve = Callable[["App"], Coroutine[Any, Any, None]]


def main(words: Sequence[str]) -> int:
    """Serve every platform with tokens (`grognard run`) until SIGINT or SIGTERM.

    Return the exit status (see `run_platforms`). Raises UserError if no platform has its tokens.
    """
    settings = _load_settings("run", words)
    serving = [_prepare_discord(settings)] if settings.discord_token else []
    if settings.slack_bot_token or settings.slack_client_id:
        serving.append(_prepare_slack(settings))
    if not serving:
        hint = f"Lines in {get_settings_place()}: DISCORD_TOKEN=... or SLACK_BOT_TOKEN=... (see .env.example)"
        raise UserError(
            " ".join(["No platform has its tokens.", *settings.unknown]),
            hint=hint,
            code="bad-settings",
        )
    return run_platforms(settings, serving)


def run_discord(words: Sequence[str]) -> int:
    """Serve Discord alone (`grognard discord`), as `main` does.

    Raises UserError if a setting is missing.
    """
    settings = _load_settings("discord", words)
    return run_platforms(settings, [_prepare_discord(settings)])


def run_slack(words: Sequence[str]) -> int:
    """Serve Slack alone (`grognard slack`), as `main` does.

    Raises UserError if a setting is missing.
    """
    settings = _load_settings("slack", words)
    return run_platforms(settings, [_prepare_slack(settings)])


def _load_settings(command: str, words: Sequence[str]) -> Settings:
    """Load the settings, and switch garbage collection off for the start.

    Raises UserError if the command has arguments, or for wrong settings.
    """
    if words:
        sentence = f"{command} takes no arguments: its settings are in the environment or in {get_settings_place()}."
        raise UserError(sentence, code="bad-arguments")
    gc.disable()  # modules that are loaded leave no garbage
    return load_settings()


# Each platform is imported only if it is served: Discord's library takes 0.5 s, Slack's another
# 0.2 s, and that of the live page 0.4 s. Wrong settings are refused before the app is imported,
# which takes 0.6 s.


def _prepare_discord(settings: Settings) -> Serve:
    """Return the function that serves Discord. Raises UserError if a setting is missing."""
    need_discord(settings)
    from adapters.discord.serve import serve

    return lambda app: serve(app, settings)


def _prepare_slack(settings: Settings) -> Serve:
    """Return the function that serves Slack. Raises UserError if a setting is missing."""
    need_slack(settings)
    from adapters.slack.serve import serve

    return lambda app: serve(app, settings)


def run_platforms(settings: Settings, serving: Sequence[Serve]) -> int:
    """Serve platforms, and the live page if it has a port, with one store until a signal comes.

    Return the exit status: 1 if the database file was removed meanwhile, else 0. A database that is
    not available at the start is waited for. Raises UserError if a platform cannot go on.
    """
    if settings.live_port:
        from adapters.web.pages import serve_shared_games

        serving = [*serving, lambda app: serve_shared_games(app, settings)]
    set_up_logging(settings.log_level, settings.secrets, settings.log_format)
    for line in settings.unknown:
        log.warning("%s", line)
    keep_files_private()
    tighten(settings.data)
    _raise_file_limit()
    return asyncio.run(_run_until_signal(settings, serving))


async def _run_until_signal(settings: Settings, serving: Sequence[Serve]) -> int:
    """Serve the platforms and the monitor until a signal comes or one of them ends. Return the exit
    status, or raise the error of the one that failed.
    """
    from adapters.web.health import BotMonitor

    monitor = BotMonitor(settings)
    bot = asyncio.create_task(_serve_platforms(settings, serving, monitor))
    monitor_tasks = [asyncio.create_task(task) for task in monitor.list_tasks()]

    def stop() -> None:
        """Cancel the bot and the monitor, unless that was done before."""
        monitor.note_ending()
        for task in (bot, *monitor_tasks):
            if not task.cancelling():  # a second signal does not interrupt the end of the tasks
                task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    await asyncio.wait([bot, *monitor_tasks], return_when=asyncio.FIRST_COMPLETED)
    stop()
    await asyncio.wait([bot, *monitor_tasks])
    _raise_first_error([bot, *monitor_tasks])
    return 0 if bot.cancelled() else bot.result()


def _raise_first_error(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Raise the error of the first task that failed, if any. The tasks must have ended."""
    for task in tasks:
        if not task.cancelled():
            error = task.exception()
            if error is not None:
                raise error


async def _serve_platforms(
    settings: Settings, serving: Sequence[Serve], monitor: BotMonitor
) -> int:
    """Open the app and serve the platforms until cancelled. Return 1 if the database file was
    removed meanwhile, 0 if a platform ended.
    """
    from bot.execution.budgets import Budgets

    app = await _open_app(settings, monitor)
    limit_garbage_collection()
    app.executor.budgets = Budgets(settings.per_minute)
    app.executor.address = settings.address
    try:
        log.info("%s", await app.describe(settings))
        platforms = [asyncio.create_task(_serve_with_restarts(serve, app)) for serve in serving]
        due_work = asyncio.create_task(app.due_work.run())
        removal = asyncio.create_task(app.store.watch_for_removal())
        monitor.attach_app(app)
        try:
            await asyncio.wait([*platforms, removal], return_when=asyncio.FIRST_COMPLETED)
        finally:  # if one cannot go on, the others finish their answers
            monitor.note_ending()
            for task in (*platforms, due_work):
                task.cancel()
            await asyncio.wait(platforms)
        _raise_first_error(platforms)
        if removal.done():
            log.critical(
                "%s Grognard ends, so that a supervisor can start it again.", removal.result()
            )
            return 1
        removal.cancel()
        return 0
    finally:
        await app.close()


async def _open_app(settings: Settings, monitor: BotMonitor) -> App:
    """Open the app, and wait for its database if that is not available yet, because machines start
    in any order.

    Raises UserError for a problem that the host must solve.
    """
    from bot.app import App

    start = time.monotonic()
    last_logged = -TELL_EVERY
    while True:
        attempt_start = time.monotonic()
        try:
            app = await App.open(settings, watch=monitor.watch, at_once=True)
        except UserError as error:
            if not error.is_passing:
                raise
            gc.enable()  # each failed attempt leaves garbage
            monitor.note_waiting(error.message)
            if attempt_start - last_logged >= TELL_EVERY:
                last_logged = attempt_start
                log.error("%s; trying again every %g s", error.message.rstrip("."), AGAIN)
            duration = time.monotonic() - attempt_start
            await asyncio.sleep(max(AGAIN / 5, AGAIN - duration))
            continue
        if last_logged > 0:
            log.info("the database is there, after %.0f s", time.monotonic() - start)
        return app


async def _serve_with_restarts(serve: Serve, app: App) -> None:
    """Serve a platform until cancelled, and start it again whenever it ends or fails.

    Raises UserError for a problem that the host must solve. A problem with the database is not one,
    because it was available at the start.
    """

    attempts = 0
    while True:
        since = time.monotonic()
        try:
            await serve(app)
            log.error("a platform's connection ended")
        except UserError as error:
            if not error.of_store:
                raise
            log.error("a platform waits for the database: %s", error.message)
        except Exception:
            log.exception("a platform's connection ended with an error")
        if time.monotonic() - since > WENT_WELL:
            attempts = 0
        wait = WAITS[min(attempts, len(WAITS) - 1)]
        attempts += 1
        log.error("reconnecting in %g s", wait)
        await asyncio.sleep(wait)


def limit_garbage_collection() -> None:
    """Exclude all objects that exist now from garbage collection, and collect new ones rarely."""
    gc.freeze()
    gc.set_threshold(SWEEP, 20, 20)
    gc.enable()


def _raise_file_limit() -> None:
    """Raise the limit of open files to FILES, or as far as the host allows, because each connection
    needs a file handle. It is never lowered.
    """
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    new_limit = FILES if hard_limit == resource.RLIM_INFINITY else min(FILES, hard_limit)
    if soft_limit != resource.RLIM_INFINITY and soft_limit < new_limit:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard_limit))
