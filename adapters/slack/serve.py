"""The life of the Slack adapter: begins, stays connected, ends without losing an answer; and the
slack-bolt app, which says what listener hears what, and whose token answers.

Socket Mode's connection is replaced before it ends, and made anew when it breaks. The library's own
client keeps trying an address that was good once; after a longer outage it would never come back.
"""

import asyncio
import contextlib
import json
import logging
import re
import time
import traceback
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import aiohttp
from aiohttp import web
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.request import SocketModeRequest

from adapters.delivery_loop import create_call_counter
from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.channels import is_still_member
from adapters.slack.http import PATH, create_web_app
from adapters.slack.installation import Installer
from adapters.slack.listeners import Listeners
from adapters.slack.request import PLATFORM, is_valid_payload
from adapters.slack.request_handler import RequestHandler
from adapters.slack.teams import StoreVault, Team, Teams, load_own_team
from adapters.web_server import Door, serve_until_cancelled
from bot.app import App
from bot.commands.games.link import remind_linked_channels
from bot.execution.budgets import make_busy_error
from bot.outbox.receipts import watch
from bot.rules.errors import UserError
from bot.runtime.logs import get_seldom_logger
from bot.runtime.settings import Settings, has_oauth

log = logging.getLogger(__name__)

END_PATIENCE = 8.0
LAST_POSTS = 5.0


async def serve(app: App, settings: Settings) -> None:
    """Serve Slack until cancelled. Raises UserError for what Slack refuses for good."""
    wire = SlackApi(create_call_counter(app, "slack"))
    vault = StoreVault(app, settings.key) if has_oauth(settings) else None
    teams = Teams(vault)
    work = RequestHandler(app, wire, teams)
    listeners = Listeners(work)
    bolt = create_bolt(listeners, teams, wire)
    app.links["slack"] = lambda: "not connected"
    app.executor.members["slack"] = partial(is_still_member, wire, teams)
    try:
        if settings.slack_bot_token:
            teams.add(team := await _load_own_team(wire, settings.slack_bot_token))
            await remind_linked_channels(app.store, f"{PLATFORM}{team.id}")
        if settings.slack_app_token:
            connection = _run_socket_mode(app, bolt, wire, settings)
        else:
            pages = (
                Installer(app, settings, wire, teams, vault).build_routes()
                if vault is not None
                else []
            )
            connection = _run_http_mode(app, bolt, pages, settings)
        owed = watch(app.receipts, PLATFORM, listeners.answer_receipt)
        await _run_until_one_ends(work.posts.outbox.run(), owed, connection)
    finally:
        app.links["slack"] = lambda: "its connection ended"
        await _finish_answers(work)
        await wire.close()


async def _load_own_team(wire: SlackApi, token: str) -> Team:
    """The token's workspace; waits while Slack cannot be reached."""
    wait = 0.5
    while True:
        try:
            return await load_own_team(wire, token)
        except Busy as busy:
            log.warning("Slack cannot be reached: %s", busy)
            await asyncio.sleep(max(wait, busy.seconds))
            wait = min(wait * 2, 30.0)


async def _run_socket_mode(app: App, bolt: AsyncApp, wire: SlackApi, settings: Settings) -> None:
    socket = Socket(
        bolt, wire, settings.slack_app_token, lambda: app.counts.count("reconnect", "slack")
    )
    app.links["slack"] = socket.describe_trouble
    try:
        await socket.run()
    finally:
        await socket.close()


async def _run_http_mode(
    app: App, bolt: AsyncApp, pages: list[web.RouteDef], settings: Settings
) -> None:
    site = create_web_app(bolt, settings.slack_signing_secret, pages)
    at = (settings.slack_host, settings.port)
    hint = "Set PORT to a free one, or SLACK_HOST to an address of this machine."
    listens = partial(app.links.__setitem__, "slack", str)  # nothing is wrong
    told = f"listening on {at[0]}, port {at[1]}, path {PATH}"
    await serve_until_cancelled(
        site, at, hint, told, partial(Door, proxies=settings.proxies), listens
    )


async def _run_until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends or this is cancelled; then the others are ended."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _finish_answers(work: RequestHandler) -> None:
    """Wait for answers on their way; what takes longer stays in the outbox."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(work.idle.wait(), END_PATIENCE)
    for task in work.background_tasks:
        task.cancel()
    await work.posts.outbox.stop(LAST_POSTS)


NOT_HERE = (
    "Grognard is not installed in this workspace, so it cannot answer here. An admin can add it."
)
ALL = re.compile(".*", re.DOTALL)


def create_bolt(listeners: Listeners, teams: Teams, wire: SlackApi) -> AsyncApp:
    """The bolt app with all listeners. Requests over HTTP are verified before they come here."""

    async def authorize(enterprise_id: str | None, team_id: str | None) -> Any:
        team = await teams.find(team_id or enterprise_id or "")
        if team is None and team_id and enterprise_id:
            team = await teams.find_in_organisation(enterprise_id, team_id)
        if team is None:
            return None
        bot = {"bot_token": team.token, "bot_user_id": team.bot_user, "bot_id": team.bot_id}
        return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, **bot)

    log = logging.getLogger("adapters.slack.bolt")
    log.setLevel(logging.ERROR)  # it warns of variables of the environment, which we read ourselves
    bolt = AsyncApp(
        logger=log,
        name="adapters.slack.app",  # the library sets the level of the logger called so
        client=wire.create_client(),
        signing_secret="",
        authorize=authorize,
        request_verification_enabled=False,
        user_facing_authorize_error_message=NOT_HERE,
    )
    # its DEBUG lines show what people typed
    log.setLevel(max(logging.INFO, logging.getLogger().level))

    @bolt.error
    async def handle_error(error: Exception) -> BoltResponse:
        """Only the library itself raises what the network did: it tells people of a workspace
        without the app.
        """
        if isinstance(error, aiohttp.ClientError | TimeoutError | OSError | SlackApiError):
            log.warning(
                "could not tell somebody that the app is not installed: %s", type(error).__name__
            )
            return BoltResponse(status=200)
        # A form that is none of ours (commands answer for themselves), or a shape that the library
        # did not expect.
        if isinstance(error, UserError) or not _is_own_error(error):
            log.warning("Slack sent something that makes no sense: %r", error)
            return BoltResponse(status=400)
        log.error("a request failed", exc_info=error)
        return BoltResponse(status=500)

    # A listener is matched for everything: what we do not know is acknowledged and left alone.
    bolt.command(ALL)(listeners.on_command)
    bolt.action(ALL)(listeners.on_action)
    bolt.view_submission(ALL)(listeners.forms.on_submit)
    bolt.shortcut(ALL)(listeners.on_shortcut)
    bolt.event("app_home_opened")(listeners.home.on_opened)
    bolt.event("app_mention")(listeners.on_mention)
    bolt.event("message")(listeners.on_message)
    bolt.event("member_joined_channel")(listeners.on_joined)
    bolt.event("app_uninstalled")(listeners.on_uninstalled)
    bolt.event("tokens_revoked")(listeners.on_revoked)
    for listener in bolt._async_listeners:
        listener.auto_acknowledgement = (
            False  # of events: ours say when, so that Slack repeats what was lost
        )
    return bolt


def _is_own_error(error: Exception) -> bool:
    """Return whether it was raised while our own code was at work."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(
        str(frame.f_globals.get("__name__")).startswith(("adapters.", "bot."))
        for frame, _ in frames
    )


often = get_seldom_logger(f"{__name__}.often")

HEARTBEAT = 10.0
MIN_BACKOFF, MAX_BACKOFF = 0.1, 30.0
SETTLED, EAGER = 1.0, 2.0
"""A connection that ends within a second is made anew at most each other second: Slack has let
us in, after all.
"""
CALM = 60.0
"""Seconds that a connection lasts where nothing is wrong: Slack renews one about every hour."""
RENEW_AFTER = 180.0
"""Seconds without a connection after which the HTTP client is replaced, in case the client
itself is broken.
"""
AT_WORK = 1_500
"""How many envelopes are worked on at once. Beyond that a command is turned away; anything else
Slack sends again.
"""
_FATAL = (
    "invalid_auth",
    "not_authed",
    "not_allowed_token_type",
    "account_inactive",
    "token_revoked",
)


class Socket:
    """The Socket Mode connection of this process."""

    def __init__(
        self,
        bolt: AsyncApp,
        wire: SlackApi,
        app_token: str,
        again: Callable[[], None] = lambda: None,
    ) -> None:
        """`again` hears of each connection but the first."""
        self._bolt = bolt
        self._wire = wire
        self._token = app_token
        self._again = again
        self._is_first = True
        self._open: list[aiohttp.ClientWebSocketResponse] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._shaken = asyncio.Event()

    async def run(self) -> None:
        """Stay connected until cancelled. Raises UserError when Slack refuses the app's token. Once
        a connection has ended early, there is a second one beside: whatever ends one of the two,
        nothing that is sent meets none."""
        await _run_until_one_ends(self._stay_connected(), self._stay_connected(is_spare=True))

    async def _stay_connected(self, *, is_spare: bool = False) -> None:
        wait = MIN_BACKOFF
        failing_since: float | None = None
        while True:
            if is_spare:
                await self._shaken.wait()
                self._shaken.clear()
            since = time.monotonic()
            try:
                socket = await self._connect()
            except (Busy, aiohttp.ClientError, TimeoutError, OSError) as error:
                pause = max(wait, getattr(error, "seconds", 0.0))
                # its own words hold the address
                what = error if isinstance(error, Busy) else type(error).__name__
                log.warning("no connection to Slack (%s); next attempt in %.1f s", what, pause)
                await asyncio.sleep(pause)
                now = time.monotonic()
                failing_since = since if failing_since is None else failing_since
                if now - failing_since >= RENEW_AFTER and not self._open:
                    log.warning(
                        "no connection to Slack for %.0f s; trying with a new client",
                        now - failing_since,
                    )
                    await self._wire.renew()
                    failing_since = now
                wait = min(wait * 2, MAX_BACKOFF)
                self._shaken.set()
                continue
            failing_since = None
            if not self._open:
                log.info("connected to Slack")
            if not self._is_first:
                self._again()
            self._is_first = False
            leaving = asyncio.Event()
            self._spawn(self._read(socket, leaving))
            await leaving.wait()
            lasted = time.monotonic() - since
            if lasted < CALM or not self._open:
                self._shaken.set()
            wait = MIN_BACKOFF if lasted > SETTLED else min(wait * 2, EAGER)
            if wait > MIN_BACKOFF:
                await asyncio.sleep(wait)

    def describe_trouble(self) -> str:
        """What is wrong with the connection: "" while there is one."""
        return "" if self._open else "not connected"

    async def close(self) -> None:
        """End the connections; what is being worked on goes on."""
        for socket in list(self._open):
            await socket.close()

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        try:
            found = await self._wire.call_with_form(self._token, "apps.connections.open")
        except SlackRefused as refused:
            if refused.error in _FATAL:
                what = f"Slack refuses SLACK_APP_TOKEN ({refused.error})."
                hint = 'Make an app-level token (xapp-...) with connections:write under "Basic Information".'
                raise UserError(what, hint=hint, code="token-refused") from None
            raise Busy(refused.error, 1.0) from None
        return await self._wire.session.ws_connect(
            found["url"], heartbeat=HEARTBEAT, max_msg_size=0
        )

    async def _read(self, socket: aiohttp.ClientWebSocketResponse, leaving: asyncio.Event) -> None:
        """Take what comes until the connection ends; `leaving` is set as soon as another one is
        needed.
        """
        self._open.append(socket)
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    said = json.loads(message.data)
                    if isinstance(said, dict):
                        self._handle_message(socket, said, leaving)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            log.info("the connection broke: %s", error)
        finally:
            self._open.remove(socket)
            leaving.set()

    def _handle_message(
        self, socket: aiohttp.ClientWebSocketResponse, said: dict[str, Any], leaving: asyncio.Event
    ) -> None:
        if said.get("type") == "disconnect":
            leaving.set()  # this connection goes on until Slack closes it, while the next one is made
            return
        request = (
            SocketModeRequest.from_dict(said) if isinstance(said.get("payload"), dict) else None
        )
        if request is None or not is_valid_payload(request.payload):
            if "payload" in said:
                often.warning("Slack sent something unreadable, ignored: it has another shape")
            return
        if len(self._tasks) < AT_WORK:
            self._spawn(self._handle_request(socket, request))
        elif len(self._tasks) < 2 * AT_WORK:
            often.warning("more envelopes than can be worked on at once")
            if "command" in request.payload:
                refused = {
                    "envelope_id": request.envelope_id,
                    "payload": {"text": str(make_busy_error())},
                }
                self._spawn(self._send_reply(socket, refused))

    async def _handle_request(
        self, socket: aiohttp.ClientWebSocketResponse, request: SocketModeRequest
    ) -> None:
        try:
            response = await run_async_bolt_app(self._bolt, request)
        except (
            AttributeError,
            KeyError,
            TypeError,
            ValueError,
        ) as error:  # the library's; ours are answered in it
            often.warning("Slack sent something unreadable, ignored: %r", error)
            return
        if response.status != 200:
            log.warning("an envelope was not taken: %s %s", response.status, response.body[:200])
            return
        answer: dict[str, Any] = {"envelope_id": request.envelope_id}
        if response.body:
            is_json = response.headers.get("content-type", [""])[0].startswith("application/json")
            answer["payload"] = json.loads(response.body) if is_json else {"text": response.body}
        await self._send_reply(socket, answer)

    async def _send_reply(
        self, socket: aiohttp.ClientWebSocketResponse, answer: dict[str, Any]
    ) -> None:
        for way in (socket, *reversed(self._open)):
            try:
                if not way.closed:
                    await way.send_str(json.dumps(answer))
                    return
            except (ConnectionError, RuntimeError):
                continue

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
