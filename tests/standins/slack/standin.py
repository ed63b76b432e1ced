"""The stand-in itself: one Slack, on one port of this machine, with one app and any number of
workspaces.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import aiohttp
from aiohttp import web

from . import api, api_chat, api_files, api_history, api_oauth, api_people, api_views, payloads
from .courier import Courier
from .deliveries import EVENT, Delivery
from .echo import echo
from .faults import Faults
from .handle import Handle
from .hooks import Hooks
from .manifest import at, check_manifest
from .messages import Messages, StoredFile
from .pace import Pace
from .settings import USUAL_EVENTS, Json, Limits
from .signed import Answer, SignedRequests
from .sockets import Sockets
from .user import User
from .watch import Clock, Watch
from .workspace import Channel, Workspace

__all__ = ["SlackStandIn", "api_chat", "api_history", "api_people"]


class SlackStandIn:
    """Start one with `await SlackStandIn.start()`, and stop it. `transport` is "socket" or
    "http".
    """

    app_id = "A0STANDIN"
    app_token = "xapp-1-A0STANDIN-standin"
    signing_secret = "standin-signing-secret"
    client_id = "1111.2222"
    client_secret = "standin-client-secret"

    def __init__(self, transport: str = "socket", limits: Limits | None = None) -> None:
        assert transport in ("socket", "http")
        self.transport = transport
        self.limits = limits or Limits()
        self.request_url: str | None = None  # where the app listens in HTTP mode
        self.redirect_uri: str | None = None  # the app's OAuth redirect, when its link names none
        self.commands: set[str] | None = None  # the app's slash commands; None takes any
        self.events = set(USUAL_EVENTS)  # what the app has subscribed to
        self.port = 0
        self.clock = Clock()
        self.watch = Watch()
        self.faults = Faults()
        self.workspaces: dict[str, Workspace] = {}
        self.revoked: dict[str, str] = {}  # dead tokens, and the error they give
        self.calls: list[tuple[str, Json]] = []  # every call of the app, in order
        self.refusals: list[
            tuple[str, str, list[str]]
        ] = []  # what was refused: method, error, details
        self.broken: list[Exception] = []  # the stand-in's own mistakes; stop() raises the first
        self.messages = Messages(self.clock, self.watch)
        self.messages.tell = functools.partial(echo, self)
        self.hooks = Hooks(self)
        self.triggers = api_views.Triggers(self)
        self.uploads = api_files.Uploads(self)
        self.authorize = api_oauth.Authorize(self)
        self.pace = Pace(self)
        self.sockets = Sockets(self)
        self.signed = SignedRequests(self)
        self.courier = Courier(self)
        self._runner: web.AppRunner | None = None

    @classmethod
    async def start(cls, transport: str = "socket", limits: Limits | None = None) -> SlackStandIn:
        """A stand-in that listens on a free port of 127.0.0.1."""
        slack = cls(transport, limits)
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.add_routes(
            [
                web.route("*", "/api/{method}", slack._serve_api),
                web.get("/link/", slack.sockets.handle),
                web.post("/hooks/{team}/{key}", slack.hooks.serve),
                web.post("/upload/v1/{file}", slack.uploads.serve),
                web.get("/files-pri/{file}/{name}", slack.uploads.download),
                web.get("/oauth/v2/authorize", slack.authorize.serve),
            ]
        )
        slack._runner = web.AppRunner(app, shutdown_timeout=0.5, access_log=None)
        await slack._runner.setup()
        site = web.TCPSite(slack._runner, "127.0.0.1", 0)
        await site.start()
        slack.port = slack._runner.addresses[0][1]
        return slack

    async def stop(self) -> None:
        """End everything."""
        self.faults.clear()
        await self.courier.close()
        await self.signed.close()
        await self.sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()
        if self.broken:
            raise self.broken[0]

    # --- where the app finds it

    @property
    def api_url(self) -> str:
        """The Web API's address, for AsyncWebClient(base_url=…)."""
        return f"http://127.0.0.1:{self.port}/api/"

    @property
    def authorize_url(self) -> str:
        """Where a person agrees to install the app."""
        return f"http://127.0.0.1:{self.port}/oauth/v2/authorize"

    def env(
        self, workspace: Workspace | None = None, *, port: int | None = None, oauth: bool = False
    ) -> dict[str, str]:
        """The environment of a bot process: SLACK_API and the tokens of the current transport."""
        found = {"SLACK_API": self.api_url}
        if workspace is not None:
            found["SLACK_BOT_TOKEN"] = workspace.bot_token
        if self.transport == "socket":
            return found | {"SLACK_APP_TOKEN": self.app_token}
        found["SLACK_SIGNING_SECRET"] = self.signing_secret
        if port is not None:
            found["PORT"] = str(port)
        if oauth:
            found |= {"SLACK_CLIENT_ID": self.client_id, "SLACK_CLIENT_SECRET": self.client_secret}
        return found

    def use_manifest(self, manifest: Json) -> None:
        """Make the app as this manifest says: commands, events, scopes. Raises AssertionError if
        Slack would not.
        """
        faults = check_manifest(manifest)
        assert not faults, faults
        socket = at(manifest, "settings.socket_mode_enabled", False)
        assert socket == (self.transport == "socket"), "the manifest is for the other transport"
        commands = at(manifest, "features.slash_commands", [])
        self.commands = {one["command"] for one in commands}
        self.limits.escape = all(one.get("should_escape", False) for one in commands)
        self.events = set(at(manifest, "settings.event_subscriptions.bot_events", []))
        for home in self.workspaces.values():
            home.scopes = set(at(manifest, "oauth_config.scopes.bot", []))

    # --- who and where

    def workspace(
        self, name: str, *, installed: bool = True, scopes: set[str] | None = None
    ) -> Workspace:
        """The workspace with this id, new (with the app in it, unless told otherwise) on first
        use.
        """
        if name not in self.workspaces:
            self.workspaces[name] = Workspace(name, self, f"Workspace {name}")
            if installed:
                self.workspaces[name].install(scopes)
        return self.workspaces[name]

    def person(self, user: str) -> User | None:
        """The person with this id, in any workspace."""
        return next((one for home in self.workspaces.values() if (one := home.person(user))), None)

    def file_as_slack(self, file: StoredFile) -> Json:
        """A file as answers and events show it."""
        url = f"http://127.0.0.1:{self.port}/files-pri/{file.id}/{file.name}"
        body: Json = {
            "id": file.id,
            "name": file.name,
            "title": file.title,
            "size": len(file.data),
            "user": file.owner,
        }
        return body | {
            "mimetype": file.mimetype,
            "mode": "hosted",
            "url_private": url,
            "url_private_download": url,
        }

    # --- the wire

    async def connected(self, count: int = 1, timeout: float = 60.0) -> None:
        """Wait until the app has so many Socket Mode connections."""
        await self.watch.until(
            lambda: len(self.sockets.open) >= count, timeout=timeout, what=f"{count} connections"
        )

    async def reachable(self, timeout: float = 60.0) -> None:
        """Wait until something listens at the request URL."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while loop.time() < end:
            try:
                await self.signed.post(
                    b"ssl_check=1", {"Content-Type": "application/x-www-form-urlencoded"}
                )
            except (TimeoutError, aiohttp.ClientError):
                await asyncio.sleep(0.02)
            else:
                return
        raise AssertionError(f"nothing listens at {self.request_url}")

    async def reconnected(self, timeout: float = 60.0) -> None:
        """Wait for one connection more than there ever were."""
        before = self.sockets.ever
        await self.watch.until(
            lambda: self.sockets.ever > before, timeout=timeout, what="a new connection"
        )

    async def disconnected(self, timeout: float = 60.0) -> None:
        """Wait until the app has no Socket Mode connection, as after it was killed."""
        await self.watch.until(lambda: not self.sockets.open, timeout=timeout, what="no connection")

    def drop_after(self, kind: str, times: int = 1) -> None:
        """Tear the connection right after the next envelope of this kind: it arrives, its
        acknowledgement does not.
        """
        self.sockets.cut_after[kind] = times

    def drop_sockets(self) -> int:
        """Tear all connections without a word; how many there were."""
        return self.sockets.cut()

    async def ask_to_reconnect(self, reason: str = "refresh_requested") -> None:
        """Send `disconnect`: "warning" leaves the connection open for now, the others end it."""
        await self.sockets.ask_to_leave(reason)

    async def send_event(self, workspace: Workspace, inner: Json) -> Delivery:
        """Send any event to the app, if it has subscribed to its type."""
        delivery = Delivery(EVENT, payloads.event(workspace, inner), workspace.id)
        if inner["type"] in self.events:
            await self.courier.deliver(delivery)
        return delivery

    async def deliver_again(
        self, handle: Handle, *, retry: int = 1, reason: str = "timeout"
    ) -> int:
        """The same envelope or request once more, as a repeat; how often it has been
        acknowledged since the first.
        """
        return await self.courier.again(handle.delivery, retry=retry, reason=reason)

    def duplicate(self, kind: str, times: int = 1, *, retry: int = 0) -> None:
        """Deliver the next of this kind (slash_commands, interactive, events_api) twice at once."""
        self.courier.duplicate(kind, times, retry)

    # --- HTTP mode

    @contextlib.contextmanager
    def signing(self, *, secret: str | None = None, age: int = 0) -> Iterator[None]:
        """Sign with another secret, or with a timestamp so many seconds old, for a while."""
        self.signed.secret, self.signed.age = secret, age
        try:
            yield
        finally:
            self.signed.secret, self.signed.age = None, 0

    async def replay(
        self, handle: Handle, *, tamper: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """Post the very bytes and headers of a request once more; `tamper` replaces the body,
        `headers` are added.
        """
        first = handle.delivery.sent[0]
        body = first.body if tamper is None else tamper
        return await self.signed.post(body, first.headers | (headers or {}))

    async def post(
        self, body: bytes, content_type: str = "application/x-www-form-urlencoded", **signing: Any
    ) -> Answer:
        """Post any body, signed (`retry=`, `reason=` as in SignedRequests.headers)."""
        return await self.signed.post(body, self.signed.headers(body, content_type, **signing))

    async def verify_url(self) -> bool:
        """Whether the app answers Slack's url_verification challenge."""
        body = b'{"type":"url_verification","token":"standin-verification-token","challenge":"standin-challenge"}'
        answer = await self.post(body, "application/json")
        return answer.status == 200 and "standin-challenge" in answer.body

    # --- counting

    def count(self, method: str) -> int:
        """How often the app has called this method (or `response_url`)."""
        return sum(name == method for name, _ in self.calls)

    def posted(self, channel: Channel) -> list[str]:
        """The words of the bot's public messages there, in order, deleted ones left out."""
        bot = channel.workspace.bot_user
        shown = [
            one
            for one in self.messages.all
            if one.channel is channel and one.author == bot and not one.deleted
        ]
        return [one.everything for one in shown if one.ephemeral_for is None]

    async def _serve_api(self, request: web.Request) -> web.StreamResponse:
        try:
            return await api.serve(self, request)
        except Exception as mistake:
            self.broken.append(mistake)
            raise
