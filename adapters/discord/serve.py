"""The life of the bot on Discord: logs in, takes interactions from the gateway and hands them on,
ends without losing an answer.

Several processes on one bot take turns: Discord lets so many shards identify at once, and the next
5 seconds later."""

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
from adapters.discord.channels import get_bot_permissions, is_member, post_welcome, sync_servers
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
    """Serve Discord until cancelled; then finish what runs. Raises UserError for what Discord
    refuses for good.
    """
    client = Grognard(app, settings)
    app.links["discord"] = client.describe_trouble
    app.executor.members["discord"] = partial(is_member, client.http)
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
            told = f"listening on {host}, port {port}, path {PATH}"
            door = partial(Door, proxies=settings.proxies)
            await serve_until_cancelled(site, (host, port), hint, told, door)
        await _with_retries("connect to", client.connect)
    except discord.LoginFailure:
        hint = "Copy it again: Developer Portal, your application, Bot, Reset Token."
        raise UserError(
            "Discord does not know this DISCORD_TOKEN.", hint=hint, code="token-refused"
        ) from None
    except discord.ConnectionClosed as closed:
        reason = _CODES.get(closed.code, closed.reason or "no reason given")
        what = f"Discord closed the connection (code {closed.code}): {reason}."
        raise UserError(what, code="connection-closed") from None
    finally:
        app.links["discord"] = lambda: "its connection ended"
        await client.stop()


async def _with_retries(what: str, call: Callable[[], Awaitable[None]]) -> None:
    """Do it, and try again while Discord cannot be reached."""
    for wait in chain(WAITS, repeat(WAITS[-1])):
        try:
            await call()
            return
        except (*BROKEN, discord.GatewayNotFound, discord.HTTPException) as error:
            if (
                isinstance(error, discord.HTTPException)
                and error.status < 500
                and error.status != 429
            ):
                raise
            log.error("cannot %s Discord (%s); next try in %g s", what, type(error).__name__, wait)
            await asyncio.sleep(wait)


often = get_seldom_logger(f"{__name__}.often")

REMEMBERED = 5_000
"""Ids of interactions that are kept to know a second delivery of the same one."""
AT_WORK = 1_500
"""How many interactions are worked on at once; what is more is turned away, and far more is left
unanswered.
"""
STOP_WITHIN = 10.0


def use_api(base: str) -> None:
    """Point the library at another API than Discord's own: a stand-in or a proxy on the host's
    side.
    """
    url = yarl.URL(base)
    Route.BASE = base.rstrip("/")
    scheme = "wss" if url.scheme == "https" else "ws"
    gateway = yarl.URL.build(scheme=scheme, host=url.host or "", port=url.port, path="/")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = gateway


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("work beside an interaction failed", exc_info=error)


def _guard_parser(parse: Callable[[Any], None], event: str) -> Callable[[Any], None]:
    """The library's reading of an event, of which none may end the connection: it would take all
    games with it.
    """

    def parse_safely(data: Any) -> None:
        try:
            parse(data)
        except Exception as error:
            often.error("could not read the event %s, ignored: %r", event, error)

    return parse_safely


OF_A_MESSAGE = 3
"""The type of a command that was chosen in the menu of a message."""


class Grognard(discord.AutoShardedClient):
    """One process's connection: all shards, or those of SHARD_IDS. Needs no privileged intent.

    The process of the first shard tells Discord our commands, or one that takes interactions by
    HTTP.
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
        parsers.update(
            {
                event: _guard_parser(parse, event)
                for event, parse in parsers.items()
                if event != "READY"
            }
        )
        self.app = app
        self._registers = not settings.shard_ids or 0 in settings.shard_ids
        self._turns = (
            IdentifyTurns(Notes(app.store, "discord"), self._get_identify_limit)
            if settings.shard_ids
            else None
        )
        self.work: DiscordServices
        self._menus: ServerCommands
        self._session: aiohttp.ClientSession
        self._at_work: set[asyncio.Task[None]] = set()
        self._beside: set[asyncio.Task[None]] = set()
        self._seen = LRUCache[int, None](REMEMBERED)
        self._identified: set[int] = set()
        self._stopping = False

    async def setup_hook(self) -> None:
        """Made ready after login, before the first event: the calls, and the left-over answers."""
        traces = [create_call_counter(self.app, "discord")]
        headers = {"User-Agent": USER_AGENT}
        self._session = aiohttp.ClientSession(headers=headers, trace_configs=traces)
        wire = DiscordApi(self._session)
        assert self.application_id is not None
        self._menus = ServerCommands(self.http, self.application_id, self.app)
        delivery = Delivery(wire, Posting(self.http), self.app, partial(get_bot_permissions, self))
        self.work = DiscordServices(self.app, wire, delivery, self, self._menus)
        self._start_task(self.work.delivery.outbox.run(), self._beside)
        owed = watch(self.app.receipts, PLATFORM, lambda one: answer_receipt(self.work, one))
        self._start_task(owed, self._beside)
        if self._registers:
            self._start_task(
                sync_commands(self.http, self.application_id, Notes(self.app.store, "discord")),
                self._beside,
            )
            self._start_task(self._menus.send_pending_changes(), self._beside)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Called before a shard identifies. One process sees to the pauses by itself, several
        take turns.
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

    def _start_task(self, work: Coroutine[Any, Any, None], among: set[asyncio.Task[None]]) -> None:
        """Run something; its failure is logged."""
        task = asyncio.create_task(work)
        among.add(task)
        task.add_done_callback(among.discard)
        task.add_done_callback(_log_failure)

    def receive_gateway_event(self, event: Any) -> None:
        """One thing that somebody did, from the gateway: it knows by name the server, and the
        channel of a thread.
        """
        request = read_payload(event)
        guild = self.get_guild(request.guild)
        parent = guild.get_channel(request.parent) if guild is not None else None
        of_server, of_parent = (
            clean_name(there.name or "") if there is not None else "" for there in (guild, parent)
        )
        self.receive(
            replace(request, guild_name=of_server, parent_name=of_parent), event.get("data") or {}
        )

    def receive(self, request: DiscordRequest, data: Any) -> None:
        """See to an interaction; a second delivery of the same one is passed over."""
        if request.id in self._seen or self._stopping:
            return
        self._seen[request.id] = None
        if len(self._at_work) < AT_WORK:
            self._start_task(self._handle(request, data), self._at_work)
            return
        often.warning("more interactions than can be worked on at once")
        if len(self._at_work) < 2 * AT_WORK and request.kind != AUTOCOMPLETE:
            self._start_task(
                self.work.delivery.respond_with(request, build_error_reply(make_busy_error())),
                self._at_work,
            )

    async def _handle(self, request: DiscordRequest, data: Any) -> None:
        try:
            await self._run_interaction(request, data)
            return
        except UserError as error:
            refusal = build_error_reply(error)
        except Exception:
            refusal = build_failure_reply(log, f"interaction {request.id}")
        if request.kind != AUTOCOMPLETE:
            await self.work.delivery.respond_with(request, refusal)

    async def _run_interaction(self, request: DiscordRequest, data: Any) -> None:
        if request.kind != AUTOCOMPLETE:
            need_open_thread(request)
        is_entry = request.kind == COMMAND and data.get("type") == OF_A_MESSAGE
        works = {
            COMMAND: run_entry if is_entry else run_command,
            AUTOCOMPLETE: answer_completion,
            COMPONENT: run_press,
            FORM: run_press,
        }
        if (work := works.get(request.kind)) is not None:
            await work(self.work, request, data)

    # Servers come and go

    async def on_shard_connect(self, shard_id: int) -> None:
        """A shard has a session; not the first one where it had to identify again."""
        if shard_id in self._identified:
            self.app.counts.count("reconnect", "discord")
        self._identified.add(shard_id)

    async def on_resumed(self) -> None:
        """A shard goes on where its connection broke."""
        self.app.counts.count("reconnect", "discord")

    async def on_ready(self) -> None:
        """All servers of this process are known: settle what happened while it was away."""
        self._start_task(sync_servers(self.app, self), self._beside)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed: its data is kept for as long as the host says. An outage does not
        end here.
        """
        await self.app.store.mark_server_left(f"discord:{guild.id}")

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was added (again): what is there stays; the first time it says what it is for."""
        await remind_linked_channels(self.app.store, f"discord:{guild.id}")
        await self._menus.handle_join(f"discord:{guild.id}")
        self._start_task(post_welcome(self.app, Posting(self.http), guild), self._beside)

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """A handler failed: logged whole."""
        log.exception("the event %s failed", event_method)

    def describe_trouble(self) -> str:
        """What is wrong with the connection: "" while every shard has one."""
        if not self.is_ready():
            return "not connected"
        gone = [str(id) for id, shard in self.shards.items() if shard.is_closed()]
        return f"no connection for shard {', '.join(gone)}" if gone else ""

    async def stop(self) -> None:
        """Take nothing new, finish what runs (at most 10 seconds), and hang up."""
        self._stopping = True
        if hasattr(self, "work"):
            await self.work.delivery.outbox.stop()
            self._menus.stop()
        if self._at_work:
            await asyncio.wait(self._at_work, timeout=STOP_WITHIN)
        for task in self._beside:
            task.cancel()
        await self.close()

    async def close(self) -> None:
        """Hang up."""
        await super().close()
        if hasattr(self, "_session"):
            await self._session.close()


NAME = "identified"
PAUSE = 5.5
"""Discord asks for 5 seconds; the rest is for the way from the note to the wire."""


class IdentifyTurns:
    """The right to identify, for one process of several."""

    def __init__(
        self,
        notes: Notes,
        at_once: Callable[[], Awaitable[int]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`at_once` says how many shards may identify together. All processes go by the clock of
        `notes`.
        """
        self._notes = notes
        self._at_once = at_once
        self._sleep = sleep

    async def wait_for_turn(self, bot: int, shard: int) -> None:
        """Return when this shard may identify, at once. Without the store: in so many seconds."""
        group = shard % max(1, await self._at_once())
        try:
            await self._take_turn(f"{bot}/{group}")
        except UserError as error:
            log.warning("the turn to identify cannot be looked up: %s", error.message)
            await self._sleep(PAUSE)

    async def _take_turn(self, key: str) -> None:
        waited = ""
        while True:
            last = await self._notes.get(NAME, key) or {}
            now = await self._notes.get_time()
            turn = str(last.get("turn") or "first")
            left = float(last.get("at") or 0) + PAUSE - now
            if left > 0 and turn != waited:
                waited = turn
                await self._sleep(min(left, PAUSE))  # longer: the clock was set back
                continue
            if await self._notes.replace(
                NAME, key, turn, {"turn": secrets.token_hex(8), "at": now}
            ):
                return
