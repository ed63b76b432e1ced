"""The Discord process: it logs in, passes interactions on to their handlers, and ends without
losing an answer.

Several processes of one bot take turns to connect, because Discord lets only a few shards identify
at once, and the next ones 5 seconds later.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from typing import Any

import aiohttp
import discord
import discord.gateway
import yarl
from cachetools import LRUCache
from discord.http import Route

from adapters.delivery_loop import create_call_counter
from adapters.discord.calls import BROKEN, USER_AGENT, DiscordApi
from adapters.discord.channel_posts import Posting
from adapters.discord.channels import (
    get_bot_permissions,
    is_member,
    open_thread,
    post_welcome,
    sync_servers,
)
from adapters.discord.delivery import Delivery
from adapters.discord.incoming import (
    DiscordServices,
    answer_completion,
    answer_receipt,
    run_command,
    run_entry,
    run_press,
)
from adapters.discord.registration import ServerCommands, sync_commands
from adapters.discord.request import (
    AUTOCOMPLETE,
    COMMAND,
    COMPONENT,
    FORM,
    PLATFORM,
    DiscordRequest,
    need_open_thread,
    read_payload,
)
from bot.app import App
from bot.commands.games.link import remind_linked_channels
from bot.execution.budgets import make_busy_error
from bot.execution.executor import build_failure_reply
from bot.outbox.receipts import watch
from bot.preferences.adapter_notes import Notes
from bot.rules.errors import UserError
from bot.rules.text.plain import clean_name
from bot.runtime.logs import get_seldom_logger
from bot.runtime.settings import Settings
from bot.ui.reply.reply import build_error_reply

log = logging.getLogger(__name__)

WAITS = (1.0, 2.0, 5.0, 15.0, 60.0)
_CODES = {
    4004: "it does not accept this DISCORD_TOKEN",
    4010: "SHARD_IDS does not fit SHARD_COUNT",
    4011: "the bot is in too many servers for one shard; remove SHARD_COUNT, or raise it",
}


async def serve(app: App, settings: Settings) -> None:
    """Serve Discord until cancelled, then finish the running interactions.

    With DISCORD_PUBLIC_KEY set, interactions come by HTTP, else from the gateway. Raises UserError
    if Discord refuses for good, or if the port is taken.
    """
    client = Grognard(app, settings)
    app.links["discord"] = client.describe_trouble
    app.executor.members["discord"] = partial(is_member, client.http)
    app.executor.threads["discord"] = partial(open_thread, client)
    try:
        await _with_retries("log in to", lambda: client.login(settings.discord_token))
        if settings.discord_public_key:
            from adapters.discord.http import (
                PATH,
                create_web_app,
            )  # 0.09 s of a server that the gateway does without
            from adapters.web_server import Door, serve_until_cancelled

            app.links["discord"] = str  # no gateway that could be gone
            hint = "Set DISCORD_PORT to a free one, or DISCORD_HOST to an address of this machine."
            site = create_web_app(settings.discord_public_key, client.receive)
            host = settings.discord_host
            port = settings.discord_port
            message = f"listening on {host}, port {port}, path {PATH}"
            door = partial(Door, proxies=settings.proxies)
            await serve_until_cancelled(site, (host, port), hint, message, door)
        await _with_retries("connect to", client.connect)
    except discord.LoginFailure:
        hint = "Copy it again: Developer Portal, your application, Bot, Reset Token."
        raise UserError(
            "Discord does not know this DISCORD_TOKEN.", hint=hint, code="token-refused"
        ) from None
    except discord.ConnectionClosed as closed:
        reason = _CODES.get(closed.code, closed.reason or "no reason given")
        sentence = f"Discord closed the connection (code {closed.code}): {reason}."
        raise UserError(sentence, code="connection-closed") from None
    finally:
        app.links["discord"] = lambda: "its connection ended"
        await client.stop()


async def _with_retries(action: str, call: Callable[[], Awaitable[None]]) -> None:
    """Await `call` until it succeeds, with pauses while Discord cannot be reached.

    `action` names the call in the log ("log in to"). Raises discord.HTTPException for a lasting
    refusal.
    """
    for wait in chain(WAITS, repeat(WAITS[-1])):
        try:
            await call()
            return
        except (*BROKEN, discord.GatewayNotFound, discord.HTTPException) as error:
            if isinstance(error, discord.HTTPException):
                is_temporary = error.status >= 500 or error.status == 429
                if not is_temporary:
                    raise
            log.error(
                "cannot %s Discord (%s); next try in %g s", action, type(error).__name__, wait
            )
            await asyncio.sleep(wait)


often = get_seldom_logger(f"{__name__}.often")

REMEMBERED = 5_000
"""Number of interaction ids that are remembered to recognize a second delivery of the same one."""
AT_WORK = 1_500
"""Maximum number of interactions that are handled at once. Further ones are refused as busy, and
beyond twice as many they get no answer at all.
"""
STOP_WITHIN = 10.0
"""Maximum seconds that running interactions get to finish at the end."""


def use_api(base: str) -> None:
    """Point the library at another API than Discord's own: a stand-in or a proxy of the host."""
    url = yarl.URL(base)
    Route.BASE = base.rstrip("/")
    scheme = "wss" if url.scheme == "https" else "ws"
    gateway = yarl.URL.build(scheme=scheme, host=url.host or "", port=url.port, path="/")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = gateway


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("work beside an interaction failed", exc_info=error)


def _guard_parser(parse: Callable[[Any], None], event: str) -> Callable[[Any], None]:
    """Wrap the library's parser of an event so that it logs errors instead of raising them.

    An error would end the connection, and so interrupt all games.
    """

    def parse_safely(data: Any) -> None:
        try:
            parse(data)
        except Exception as error:
            often.error("could not read the event %s, ignored: %r", event, error)

    return parse_safely


OF_A_MESSAGE = 3
"""Discord's type of a command that was chosen in the menu of a message."""


class Grognard(discord.AutoShardedClient):
    """One process's connection to Discord: all shards, or those of SHARD_IDS. It needs no
    privileged intent.

    The process with the first shard registers our commands.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody speaks here
        if base := os.environ.get("DISCORD_API"):
            use_api(base)
        shards: dict[str, Any] = {"shard_count": settings.shard_count}
        if settings.shard_ids:
            shards["shard_ids"] = list(settings.shard_ids)
        super().__init__(
            intents=discord.Intents(guilds=True),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            allowed_mentions=discord.AllowedMentions.none(),
            http_trace=create_call_counter(app, "discord"),
            **shards,
        )
        parsers = self._connection.parsers
        parsers["INTERACTION_CREATE"] = self.receive_gateway_event
        for event, parse in parsers.items():
            if event != "READY":
                parsers[event] = _guard_parser(parse, event)
        self.app = app
        self._registers = not settings.shard_ids or 0 in settings.shard_ids
        self._turns: IdentifyTurns | None = None
        if settings.shard_ids:
            self._turns = IdentifyTurns(Notes(app.store, "discord"), self._get_identify_limit)
        self.services: DiscordServices
        self._menus: ServerCommands
        self._session: aiohttp.ClientSession
        self._interaction_tasks: set[asyncio.Task[None]] = set()
        self._background_tasks: set[asyncio.Task[None]] = set()
        self._recent_ids = LRUCache[int, None](REMEMBERED)
        self._identified: set[int] = set()
        self._stopping = False

    async def setup_hook(self) -> None:
        """Create the services and start the background tasks, after login and before the first
        event.

        The tasks deliver answers from the outbox, answer the receipts of dead processes, and
        register commands.
        """
        traces = [create_call_counter(self.app, "discord")]
        headers = {"User-Agent": USER_AGENT}
        self._session = aiohttp.ClientSession(headers=headers, trace_configs=traces)
        wire = DiscordApi(self._session)
        assert self.application_id is not None
        self._menus = ServerCommands(self.http, self.application_id, self.app)
        delivery = Delivery(
            wire,
            Posting(self.http, self.app.get_server_registry),
            self.app,
            partial(get_bot_permissions, self),
        )
        self.services = DiscordServices(self.app, wire, delivery, self, self._menus)
        self._start_background_task(delivery.outbox.run())
        self._start_background_task(
            watch(self.app.receipts, PLATFORM, partial(answer_receipt, self.services))
        )
        if self._registers:
            notes = Notes(self.app.store, "discord")
            self._start_background_task(sync_commands(self.http, self.application_id, notes))
            self._start_background_task(self._menus.send_pending_changes())

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until a shard may identify; the library calls this before.

        The library itself paces the shards of one process. Several processes take turns.
        """
        if self._turns is None:
            await super().before_identify_hook(shard_id, initial=initial)
        else:
            await self._turns.wait_for_turn(self.application_id or 0, shard_id or 0)

    async def _get_identify_limit(self) -> int:
        """Return how many shards may identify at once."""
        try:
            _, _, limits = await self.http.get_bot_gateway()
        except (discord.GatewayNotFound, *BROKEN):
            return 1
        return int(limits["max_concurrency"])

    def _start_task(
        self, coroutine: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]]
    ) -> None:
        """Run a coroutine as a task, which is one of `tasks` until it ends. A failure is logged."""
        task = asyncio.create_task(coroutine)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        task.add_done_callback(_log_failure)

    def _start_background_task(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._start_task(coroutine, self._background_tasks)

    def receive_gateway_event(self, event: Any) -> None:
        """Begin to handle an interaction from the gateway, which knows the names of the server and
        of a thread's channel.
        """
        request = read_payload(event)
        guild = self.get_guild(request.guild)
        guild_name = ""
        parent_name = ""
        if guild is not None:
            guild_name = clean_name(guild.name or "")
            parent = guild.get_channel(request.parent)
            if parent is not None:
                parent_name = clean_name(parent.name or "")
        request = replace(request, guild_name=guild_name, parent_name=parent_name)
        self.receive(request, event.get("data") or {})

    def receive(self, request: DiscordRequest, data: Any) -> None:
        """Begin to handle an interaction, unless it was received before or the process is ending.

        If too many are being handled, answer that the bot is busy, or not at all.
        """
        if request.id in self._recent_ids or self._stopping:
            return
        self._recent_ids[request.id] = None
        if len(self._interaction_tasks) < AT_WORK:
            self._start_task(self._handle(request, data), self._interaction_tasks)
            return
        often.warning("more interactions than can be worked on at once")
        if len(self._interaction_tasks) < 2 * AT_WORK and request.kind != AUTOCOMPLETE:
            refusal = build_error_reply(make_busy_error())
            self._start_task(
                self.services.delivery.respond_with(request, refusal), self._interaction_tasks
            )

    async def _handle(self, request: DiscordRequest, data: Any) -> None:
        """Run an interaction, and answer an error with a refusal."""
        try:
            await self._run_interaction(request, data)
            return
        except UserError as error:
            refusal = build_error_reply(error)
        except Exception:
            refusal = build_failure_reply(log, f"interaction {request.id}")
        if request.kind != AUTOCOMPLETE:
            await self.services.delivery.respond_with(request, refusal)

    async def _run_interaction(self, request: DiscordRequest, data: Any) -> None:
        """Run the handler for an interaction's kind. An unknown kind is ignored.

        Raises UserError, among others in a locked thread.
        """
        if request.kind != AUTOCOMPLETE:
            need_open_thread(request)
        is_entry = request.kind == COMMAND and data.get("type") == OF_A_MESSAGE
        handlers = {
            COMMAND: run_entry if is_entry else run_command,
            AUTOCOMPLETE: answer_completion,
            COMPONENT: run_press,
            FORM: run_press,
        }
        handler = handlers.get(request.kind)
        if handler is not None:
            await handler(self.services, request, data)

    # Events of the library

    async def on_shard_connect(self, shard_id: int) -> None:
        """Count a reconnect if the shard had a session before."""
        if shard_id in self._identified:
            self.app.counts.count("reconnect", "discord")
        self._identified.add(shard_id)

    async def on_resumed(self) -> None:
        """Count a reconnect of a shard that resumes its session."""
        self.app.counts.count("reconnect", "discord")

    async def on_ready(self) -> None:
        """Save which servers added or removed the bot while it was not connected."""
        self._start_background_task(sync_servers(self.app, self))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Mark a server as left. Its data is kept for as long as the host has set.

        The library does not call this for an outage of a server.
        """
        await self.app.store.mark_server_left(f"discord:{guild.id}")

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Take a server up, with the data that it may have from before: send its commands, and the
        first time post the welcome.
        """
        await remind_linked_channels(self.app.store, f"discord:{guild.id}")
        await self._menus.handle_join(f"discord:{guild.id}")
        self._start_background_task(
            post_welcome(self.app, Posting(self.http, self.app.get_server_registry), guild)
        )

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Log the exception of a failed event method."""
        log.exception("the event %s failed", event_method)

    def describe_trouble(self) -> str:
        """Describe the problem with the connection, or return "" if every shard is connected."""
        if not self.is_ready():
            return "not connected"
        closed = [str(id) for id, shard in self.shards.items() if shard.is_closed()]
        return f"no connection for shard {', '.join(closed)}" if closed else ""

    async def stop(self) -> None:
        """Accept no further interactions, wait up to STOP_WITHIN seconds for the running ones, and
        disconnect.
        """
        self._stopping = True
        if hasattr(self, "services"):
            await self.services.delivery.outbox.stop()
            self._menus.stop()
        if self._interaction_tasks:
            await asyncio.wait(self._interaction_tasks, timeout=STOP_WITHIN)
        for task in self._background_tasks:
            task.cancel()
        await self.close()

    async def close(self) -> None:
        """Disconnect, and close the session of our own calls."""
        await super().close()
        if hasattr(self, "_session"):
            await self._session.close()


NAME = "identified"
"""The kind of the notes about shards that identified."""
PAUSE = 5.5
"""Seconds between shards that identify. Discord asks for 5; the rest is the time from the note to
the connection.
"""


class IdentifyTurns:
    """The turns of several processes to identify shards, taken through notes in the store."""

    def __init__(
        self,
        notes: Notes,
        at_once: Callable[[], Awaitable[int]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Create the turns of a process. `at_once` returns how many shards may identify together.

        All processes use the clock of `notes`.
        """
        self._notes = notes
        self._at_once = at_once
        self._sleep = sleep

    async def wait_for_turn(self, bot: int, shard: int) -> None:
        """Wait until a shard may identify. If the store fails, wait PAUSE seconds."""
        group = shard % max(1, await self._at_once())
        try:
            await self._take_turn(f"{bot}/{group}")
        except UserError as error:
            log.warning("the turn to identify cannot be looked up: %s", error.message)
            await self._sleep(PAUSE)

    async def _take_turn(self, key: str) -> None:
        """Wait until the pause after the group's previous shard is over, then note this turn.

        If another process takes the turn first, wait for the next one.
        """
        awaited_turn = ""
        while True:
            previous = await self._notes.get(NAME, key) or {}
            time_now = await self._notes.get_time()
            turn = str(previous.get("turn") or "first")
            wait = float(previous.get("at") or 0) + PAUSE - time_now
            if wait > 0 and turn != awaited_turn:
                awaited_turn = turn
                await self._sleep(min(wait, PAUSE))  # longer only if the clock was set back
                continue
            note = {"turn": secrets.token_hex(8), "at": time_now}
            if await self._notes.replace(NAME, key, turn, note):
                return
