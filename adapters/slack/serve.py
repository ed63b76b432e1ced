"""The Slack process: it connects, stays connected, and ends without losing an answer; and the
slack-bolt app, which calls our listeners and finds the token of each workspace.

The Socket Mode connection is replaced before it ends, and opened again when it breaks. The
library's own client keeps trying an address that was valid once, so after a longer outage it would
never connect again.
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
from adapters.slack.channels import is_still_member, open_thread
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
"""Maximum seconds that running requests get to finish at the end."""
LAST_POSTS = 5.0
"""Further seconds for answers from the outbox."""


async def serve(app: App, settings: Settings) -> None:
    """Serve Slack until cancelled, then finish the running requests.

    Uses Socket Mode if there is an app-level token, else HTTP mode. Raises UserError if Slack
    refuses for good, or if the port is taken.
    """
    wire = SlackApi(create_call_counter(app, "slack"))
    vault = StoreVault(app, settings.key) if has_oauth(settings) else None
    teams = Teams(vault)
    work = RequestHandler(app, wire, teams)
    listeners = Listeners(work)
    bolt = create_bolt(listeners, teams, wire)
    app.links["slack"] = lambda: "not connected"
    app.executor.members["slack"] = partial(is_still_member, wire, teams)
    app.executor.threads["slack"] = open_thread
    try:
        if settings.slack_bot_token:
            team = await _load_own_team(wire, settings.slack_bot_token)
            teams.add(team)
            await remind_linked_channels(app.store, f"{PLATFORM}{team.id}")
        if settings.slack_app_token:
            connection = _run_socket_mode(app, bolt, wire, settings)
        else:
            pages: list[web.RouteDef] = []
            if vault is not None:
                pages = Installer(app, settings, wire, teams, vault).build_routes()
            connection = _run_http_mode(app, bolt, pages, settings)
        receipts = watch(app.receipts, PLATFORM, listeners.answer_receipt)
        await _run_until_one_ends(work.posts.outbox.run(), receipts, connection)
    finally:
        app.links["slack"] = lambda: "its connection ended"
        await _finish_answers(work)
        await wire.close()


async def _load_own_team(wire: SlackApi, token: str) -> Team:
    """Load the workspace of a token, and try again while Slack cannot be reached.

    Raises UserError if Slack refuses the token.
    """
    wait = 0.5
    while True:
        try:
            return await load_own_team(wire, token)
        except Busy as busy:
            log.warning("Slack cannot be reached: %s", busy)
            await asyncio.sleep(max(wait, busy.seconds))
            wait = min(wait * 2, 30.0)


async def _run_socket_mode(app: App, bolt: AsyncApp, wire: SlackApi, settings: Settings) -> None:
    """Stay connected to Slack until cancelled. Raises UserError if Slack refuses the token."""
    count_reconnect = partial(app.counts.count, "reconnect", "slack")
    socket = Socket(bolt, wire, settings.slack_app_token, count_reconnect)
    app.links["slack"] = socket.describe_trouble
    try:
        await socket.run()
    finally:
        await socket.close()


async def _run_http_mode(
    app: App, bolt: AsyncApp, pages: list[web.RouteDef], settings: Settings
) -> None:
    """Serve Slack's requests and further `pages` until cancelled. Raises UserError if the port is
    taken.
    """
    site = create_web_app(bolt, settings.slack_signing_secret, pages)
    host = settings.slack_host
    port = settings.port
    hint = "Set PORT to a free one, or SLACK_HOST to an address of this machine."
    message = f"listening on {host}, port {port}, path {PATH}"
    door = partial(Door, proxies=settings.proxies)

    def mark_as_connected() -> None:
        app.links["slack"] = str  # no trouble to describe

    await serve_until_cancelled(site, (host, port), hint, message, door, mark_as_connected)


async def _run_until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Run coroutines until one ends or this is cancelled, then cancel the others.

    Raises the error of the one that ended.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        ended_tasks, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended_tasks:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _finish_answers(work: RequestHandler) -> None:
    """Wait for running requests and outbox answers. What takes too long stays in the outbox.

    Background tasks are cancelled.
    """
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
    """Create the bolt app with all listeners. It does not verify requests, because that is done
    before they reach it.
    """

    async def authorize(enterprise_id: str | None, team_id: str | None) -> Any:
        """Return the token and ids of the bot in a workspace, or None without the app."""
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
        """Log an error of a listener or the library, and return the response to Slack."""
        # Our listeners handle network errors. So this is the library, which tells people in a
        # workspace without the app that it is not installed.
        if isinstance(error, aiohttp.ClientError | TimeoutError | OSError | SlackApiError):
            log.warning(
                "could not tell somebody that the app is not installed: %s", type(error).__name__
            )
            return BoltResponse(status=200)
        # a form that is not ours, or a payload that the library did not expect
        if isinstance(error, UserError) or not _is_own_error(error):
            log.warning("Slack sent something that makes no sense: %r", error)
            return BoltResponse(status=400)
        log.error("a request failed", exc_info=error)
        return BoltResponse(status=500)

    # The listeners match everything, so that unknown requests are acknowledged and ignored.
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
        # our listeners acknowledge events when they are handled, so that Slack repeats lost ones
        listener.auto_acknowledgement = False
    return bolt


def _is_own_error(error: Exception) -> bool:
    """Return whether our own code is in the traceback of an error."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(
        str(frame.f_globals.get("__name__")).startswith(("adapters.", "bot."))
        for frame, _ in frames
    )


often = get_seldom_logger(f"{__name__}.often")

HEARTBEAT = 10.0
MIN_BACKOFF, MAX_BACKOFF = 0.1, 30.0
SETTLED, EAGER = 1.0, 2.0
"""A connection that ends within SETTLED seconds is opened again after at most EAGER seconds,
because Slack did accept it.
"""
CALM = 60.0
"""Seconds after which a connection counts as stable. Slack renews one about every hour."""
RENEW_AFTER = 180.0
"""Seconds without a connection after which the HTTP client is replaced, in case the client
itself is broken.
"""
AT_WORK = 1_500
"""Maximum number of envelopes that are handled at once. Beyond that a command is refused as busy;
Slack sends anything else again.
"""
_FATAL = (
    "invalid_auth",
    "not_authed",
    "not_allowed_token_type",
    "account_inactive",
    "token_revoked",
)


"""Errors of Slack's that make the app-level token useless."""


class Socket:
    """The Socket Mode connections of this process: one, or two after an early end."""

    def __init__(
        self,
        bolt: AsyncApp,
        wire: SlackApi,
        app_token: str,
        on_reconnect: Callable[[], None] = lambda: None,
    ) -> None:
        """Create the connections, closed. `on_reconnect` is called for each one but the first."""
        self._bolt = bolt
        self._wire = wire
        self._token = app_token
        self._on_reconnect = on_reconnect
        self._is_first = True
        self._open: list[aiohttp.ClientWebSocketResponse] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._needs_spare = asyncio.Event()

    async def run(self) -> None:
        """Stay connected until cancelled.

        After a connection has ended early, a second one is opened as a spare: if one of the two
        ends, the other one receives what Slack sends. Raises UserError if Slack refuses the token.
        """
        await _run_until_one_ends(self._stay_connected(), self._stay_connected(is_spare=True))

    async def _stay_connected(self, *, is_spare: bool = False) -> None:
        """Open a connection, and the next one when it ends. A spare is opened only when needed."""
        wait = MIN_BACKOFF
        failing_since: float | None = None
        while True:
            if is_spare:
                await self._needs_spare.wait()
                self._needs_spare.clear()
            since = time.monotonic()
            try:
                socket = await self._connect()
            except (Busy, aiohttp.ClientError, TimeoutError, OSError) as error:
                pause = max(wait, getattr(error, "seconds", 0.0))
                # the text of other errors contains the address, which is secret
                problem = error if isinstance(error, Busy) else type(error).__name__
                log.warning("no connection to Slack (%s); next attempt in %.1f s", problem, pause)
                await asyncio.sleep(pause)
                if failing_since is None:
                    failing_since = since
                failing_since = await self._renew_client_if_failing(failing_since)
                wait = min(wait * 2, MAX_BACKOFF)
                self._needs_spare.set()
                continue
            failing_since = None
            if not self._open:
                log.info("connected to Slack")
            if not self._is_first:
                self._on_reconnect()
            self._is_first = False
            is_ending = asyncio.Event()
            self._spawn(self._read(socket, is_ending))
            await is_ending.wait()
            lasted = time.monotonic() - since
            if lasted < CALM or not self._open:
                self._needs_spare.set()
            wait = MIN_BACKOFF if lasted > SETTLED else min(wait * 2, EAGER)
            if wait > MIN_BACKOFF:
                await asyncio.sleep(wait)

    async def _renew_client_if_failing(self, failing_since: float) -> float:
        """Replace the HTTP client if there was no connection for RENEW_AFTER seconds.

        `failing_since` is in monotonic seconds. Return it, or the time now after a replacement.
        """
        time_now = time.monotonic()
        seconds = time_now - failing_since
        if seconds < RENEW_AFTER or self._open:
            return failing_since
        log.warning("no connection to Slack for %.0f s; trying with a new client", seconds)
        await self._wire.renew()
        return time_now

    def describe_trouble(self) -> str:
        """Describe the problem with the connection, or return "" while there is a connection."""
        return "" if self._open else "not connected"

    async def close(self) -> None:
        """Close the connections. Requests that are being handled go on."""
        for socket in list(self._open):
            await socket.close()

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        """Open a connection.

        Raises UserError if Slack refuses the token for good, Busy if it refuses for another reason
        or cannot be reached, or the errors of aiohttp.
        """
        try:
            answer = await self._wire.call_with_form(self._token, "apps.connections.open")
        except SlackRefused as refused:
            if refused.error in _FATAL:
                sentence = f"Slack refuses SLACK_APP_TOKEN ({refused.error})."
                hint = 'Make an app-level token (xapp-...) with connections:write under "Basic Information".'
                raise UserError(sentence, hint=hint, code="token-refused") from None
            raise Busy(refused.error, 1.0) from None
        return await self._wire.session.ws_connect(
            answer["url"], heartbeat=HEARTBEAT, max_msg_size=0
        )

    async def _read(
        self, socket: aiohttp.ClientWebSocketResponse, is_ending: asyncio.Event
    ) -> None:
        """Handle the messages of a connection until it is closed.

        `is_ending` is set as soon as another connection is needed.
        """
        self._open.append(socket)
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    content = json.loads(message.data)
                    if isinstance(content, dict):
                        self._handle_message(socket, content, is_ending)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            log.info("the connection broke: %s", error)
        finally:
            self._open.remove(socket)
            is_ending.set()

    def _handle_message(
        self,
        socket: aiohttp.ClientWebSocketResponse,
        content: dict[str, Any],
        is_ending: asyncio.Event,
    ) -> None:
        """Begin to handle one message of a connection: a request, or the news that it will end.

        If too many requests are being handled, refuse a command as busy, or leave it unanswered.
        """
        if content.get("type") == "disconnect":
            is_ending.set()  # it can be used until Slack closes it, while the next one is opened
            return
        request = None
        if isinstance(content.get("payload"), dict):
            request = SocketModeRequest.from_dict(content)
        if request is None or not is_valid_payload(request.payload):
            if "payload" in content:
                often.warning("Slack sent something unreadable, ignored: unexpected format")
            return
        if len(self._tasks) < AT_WORK:
            self._spawn(self._handle_request(socket, request))
        elif len(self._tasks) < 2 * AT_WORK:
            often.warning("more envelopes than can be worked on at once")
            if "command" in request.payload:
                refusal = {
                    "envelope_id": request.envelope_id,
                    "payload": {"text": str(make_busy_error())},
                }
                self._spawn(self._send_reply(socket, refusal))

    async def _handle_request(
        self, socket: aiohttp.ClientWebSocketResponse, request: SocketModeRequest
    ) -> None:
        """Pass a request to the bolt app and send its response.

        A request that was not handled is not acknowledged, so that Slack sends it again.
        """
        try:
            response = await run_async_bolt_app(self._bolt, request)
        # raised by the library itself: it answers errors of our listeners
        except (AttributeError, KeyError, TypeError, ValueError) as error:
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
        """Send an answer over `socket`, or over another open connection if that fails."""
        for connection in (socket, *reversed(self._open)):
            try:
                if not connection.closed:
                    await connection.send_str(json.dumps(answer))
                    return
            except (ConnectionError, RuntimeError):
                continue

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine as a task of this connection."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
