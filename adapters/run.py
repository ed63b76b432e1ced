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
from collections.abc import Callable, Coroutine, Sequence
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
"""Seconds before a platform that ended is begun again; from the start after it has gone well for
a while.
"""
WENT_WELL = 300.0
AGAIN, TELL_EVERY = 5.0, 60.0
"""Seconds until a database that is away is tried again at a start, and until that is said again."""
FILES = 8_192
SWEEP = 70_000
"""Values made beyond those let go before Python looks for those that hold each other: more than 500
commands hold that are at work at once. A command leaves none, and with less each paid for looking
at the values of all others."""

Serve = Callable[["App"], Coroutine[Any, Any, None]]


def main(words: Sequence[str]) -> int:
    """`grognard run`: until SIGINT or SIGTERM; exit status 0. Raises UserError where no platform
    has its tokens.
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
    """`grognard discord`: the same for Discord alone. Raises UserError naming the setting that
    is missing.
    """
    settings = _load_settings("discord", words)
    return run_platforms(settings, [_prepare_discord(settings)])


def run_slack(words: Sequence[str]) -> int:
    """`grognard slack`: the same for Slack alone. Raises UserError naming the setting that is
    missing.
    """
    settings = _load_settings("slack", words)
    return run_platforms(settings, [_prepare_slack(settings)])


def _load_settings(command: str, words: Sequence[str]) -> Settings:
    if words:
        what = f"{command} takes no arguments: its settings are in the environment or in {get_settings_place()}."
        raise UserError(what, code="bad-arguments")
    gc.disable()  # nothing dies while modules are loaded
    return load_settings()


# Each platform is imported for itself: Discord's library takes 0.5 s, Slack's 0.2 s more, the live
# page's 0.4 s; and settings that are wrong are refused before the app is read, which takes 0.6 s.


def _prepare_discord(settings: Settings) -> Serve:
    need_discord(settings)
    from adapters.discord.serve import serve

    return lambda app: serve(app, settings)


def _prepare_slack(settings: Settings) -> Serve:
    need_slack(settings)
    from adapters.slack.serve import serve

    return lambda app: serve(app, settings)


def run_platforms(settings: Settings, serving: Sequence[Serve]) -> int:
    """Serve until a signal comes, all on one store; the exit status: 1 when the data was taken away
    meanwhile.

    A store that is away at the start is waited for. Raises UserError when one of them cannot go on.
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
    from adapters.web.health import BotMonitor

    lookout = BotMonitor(settings)
    bot = asyncio.create_task(_serve_platforms(settings, serving, lookout))
    looks = [asyncio.create_task(look) for look in lookout.list_tasks()]

    def stop() -> None:
        lookout.note_ending()
        for task in (bot, *looks):
            if not task.cancelling():  # a second signal does not break off what the first one began
                task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    await asyncio.wait([bot, *looks], return_when=asyncio.FIRST_COMPLETED)
    stop()
    await asyncio.wait([bot, *looks])
    for task in (bot, *looks):
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
    return 0 if bot.cancelled() else bot.result()


async def _serve_platforms(
    settings: Settings, serving: Sequence[Serve], lookout: BotMonitor
) -> int:
    """Serve until cancelled, or until the data was taken away: then the exit status is 1."""
    from bot.execution.budgets import Budgets

    app = await _open_app(settings, lookout)
    limit_garbage_collection()
    app.executor.budgets = Budgets(settings.per_minute)
    app.executor.address = settings.address
    try:
        log.info("%s", await app.describe(settings))
        work = [asyncio.create_task(_serve_with_restarts(serve, app)) for serve in serving]
        due = asyncio.create_task(app.due_work.run())
        gone = asyncio.create_task(app.store.watch_for_removal())
        lookout.attach_app(app)
        try:
            await asyncio.wait([*work, gone], return_when=asyncio.FIRST_COMPLETED)
        finally:  # when one cannot go on, the others end in good order
            lookout.note_ending()
            for task in (*work, due):
                task.cancel()
            await asyncio.wait(work)
        for task in work:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error
        if gone.done():
            log.critical(
                "%s Grognard ends, so that a supervisor can start it again.", gone.result()
            )
            return 1
        gone.cancel()
        return 0
    finally:
        await app.close()


async def _open_app(settings: Settings, lookout: BotMonitor) -> App:
    """The app, once its database can be had: machines come up in any order. Raises UserError for
    what a person must mend."""
    from bot.app import App

    begun = time.monotonic()
    told = -TELL_EVERY
    while True:
        now = time.monotonic()
        try:
            app = await App.open(settings, watch=lookout.watch, at_once=True)
        except UserError as error:
            if not error.is_passing:
                raise
            gc.enable()  # what failed leaves something behind each time
            lookout.note_waiting(error.message)
            if now - told >= TELL_EVERY:
                told = now
                log.error("%s; trying again every %g s", error.message.rstrip("."), AGAIN)
            await asyncio.sleep(max(AGAIN / 5, AGAIN - (time.monotonic() - now)))
            continue
        if told > 0:
            log.info("the database is there, after %.0f s", time.monotonic() - begun)
        return app


async def _serve_with_restarts(serve: Serve, app: App) -> None:
    """Serve a platform until cancelled. When it ends for no reason of the host's it is begun anew,
    the others go on.

    Raises UserError for what the host must mend, which is nothing that a database does while it is
    in use.
    """

    tried = 0
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
            tried = 0
        wait = WAITS[min(tried, len(WAITS) - 1)]
        tried += 1
        log.error("reconnecting in %g s", wait)
        await asyncio.sleep(wait)


def limit_garbage_collection() -> None:
    """From here on what is loaded stays, and no collection looks at it again; new values are
    looked at now and then.
    """
    gc.freeze()
    gc.set_threshold(SWEEP, 20, 20)
    gc.enable()


def _raise_file_limit() -> None:
    """Take as many file handles as the host allows: each connection needs one."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
