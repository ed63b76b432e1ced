"""The Web API's front door: arguments, token, scope, faults, and Slack's way of saying no."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .settings import Json

if TYPE_CHECKING:
    from .faults import Fault
    from .standin import SlackStandIn
    from .workspace import Channel, Workspace

JSON_ARGUMENTS = ("blocks", "view", "files", "attachments", "metadata", "prompts")


class Refused(Exception):
    """The call is answered with this error; `more` joins the answer's body."""

    def __init__(
        self, error: str, *, status: int = 200, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.headers = headers or {}
        self.more = more

    def answer(self) -> web.Response:
        """The HTTP answer."""
        body = {"ok": False, "error": self.error, **self.more}
        return web.json_response(body, status=self.status, headers=self.headers)


def bad(error: str, faults: list[str]) -> Refused:
    """The refusal that lists what is wrong with blocks or a view."""
    return Refused(
        error,
        errors=faults,
        response_metadata={"messages": [f"[ERROR] {fault}" for fault in faults]},
    )


@dataclass(repr=False)  # they refer to each other: whole, a failure would fill the memory
class Call:
    """One call of a method, its arguments parsed."""

    slack: SlackStandIn
    method: str
    args: Json
    token: str
    request: web.Request
    owner: Workspace | None = None

    @property
    def workspace(self) -> Workspace:
        """Whose bot token it was called with."""
        assert self.owner is not None
        return self.owner

    def needed(self, name: str) -> str:
        """An argument that must be there. Raises Refused."""
        value = self.args.get(name)
        if value in (None, ""):
            raise Refused(
                "invalid_arguments",
                response_metadata={"messages": [f"[ERROR] missing required field: {name}"]},
            )
        return str(value)

    def channel(self, name: str = "channel", *, by_id: bool = False) -> Channel:
        """The channel named, which the bot must know of. Raises Refused.

        A person's id means the direct messages with them, and #name will do, except where only ids
        are taken.
        """
        asked = str(self.args.get(name) or "")
        found = self.workspace.channels.get(asked) if by_id else self.workspace.find_channel(asked)
        if found is None or (found.private and not found.bot_member):
            raise Refused("channel_not_found")
        return found


Method = Callable[[Call], Awaitable[Json]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A method and the scopes of which one must be granted; `token` is bot, app, or none."""

    run: Method
    scopes: tuple[str, ...]
    token: str


METHODS: dict[str, Entry] = {}


def method(name: str, *scopes: str, token: str = "bot") -> Callable[[Method], Method]:
    """Register a method under its Slack name."""

    def register(run: Method) -> Method:
        METHODS[name] = Entry(run, scopes, token)
        return run

    return register


async def serve(slack: SlackStandIn, request: web.Request) -> web.StreamResponse:
    """Answer one call of `/api/METHOD`."""
    name = request.match_info["method"]
    try:
        call = Call(slack, name, await arguments(request), _token(request), request)
        fault = slack.faults.take(name, str(call.args.get("channel", "")))
        call.token = call.token or str(call.args.get("token", ""))
        slack.calls.append(
            (name, {key: value for key, value in call.args.items() if key != "token"})
        )
        if fault is not None and not fault.after:
            await fault.wait()
            fail(fault)
        answer = await _run(call)
        if fault is not None and fault.after:
            await fault.wait()
            fail(fault)
    except Refused as refusal:
        slack.refusals.append((name, refusal.error, refusal.more.get("errors", [])))
        return refusal.answer()
    scopes = {} if call.owner is None else {"X-OAuth-Scopes": ",".join(sorted(call.owner.scopes))}
    return web.json_response({"ok": True, **answer}, headers=scopes)


def fail(fault: Fault) -> None:
    """Raise what the fault asks for, if it asks for an error. Raises Refused."""
    if fault.error is None:
        return
    headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after is not None else {}
    raise Refused(fault.error, status=fault.status, headers=headers)


async def arguments(request: web.Request) -> Json:
    """Arguments from the query, a form or JSON; those that hold JSON as text are read."""
    found: Json = dict(request.query)
    if request.content_type == "application/json":
        found |= await request.json()
    elif request.can_read_body:
        found |= dict(await request.post())
    for name in JSON_ARGUMENTS:
        if isinstance(found.get(name), str):
            try:
                found[name] = json.loads(found[name])
            except ValueError:
                raise Refused("invalid_arguments") from None
    return found


async def _run(call: Call) -> Json:
    entry = METHODS.get(call.method)
    if entry is None:
        raise Refused("unknown_method", req_method=call.method)
    if entry.token == "app":
        if call.token != call.slack.app_token:
            raise Refused(
                "not_allowed_token_type" if call.token.startswith("xoxb-") else _no_token(call)
            )
        return await entry.run(call)
    if entry.token == "bot":
        call.owner = _owner(call)
        granted = call.workspace.scopes
        if entry.scopes and not granted.intersection(entry.scopes):
            raise Refused(
                "missing_scope", needed=entry.scopes[0], provided=",".join(sorted(granted))
            )
    call.slack.pace.check_method(call)
    return await entry.run(call)


def _owner(call: Call) -> Workspace:
    if call.token == call.slack.app_token:
        raise Refused("not_allowed_token_type")
    if call.token in call.slack.revoked:
        raise Refused(call.slack.revoked[call.token])
    for workspace in call.slack.workspaces.values():
        if workspace.bot_token == call.token and call.token:
            return workspace
    raise Refused(_no_token(call))


def _no_token(call: Call) -> str:
    return "invalid_auth" if call.token else "not_authed"


def _token(request: web.Request) -> str:
    kind, _, value = request.headers.get("Authorization", "").partition(" ")
    return value.strip() if kind == "Bearer" else ""
