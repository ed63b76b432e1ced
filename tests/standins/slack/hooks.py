"""Response URLs: five uses in thirty minutes, good even where the bot is no member."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from aiohttp import web

from .api import Refused, fail
from .api_chat import checked
from .messages import Message
from .settings import Json

if TYPE_CHECKING:
    from .standin import SlackStandIn
    from .workspace import Channel


@dataclass
class Hook:
    """One response URL; `message` is the pressed message, None for a slash command."""

    key: str
    channel: Channel
    user: str
    delivery: str
    expires: float
    message: Message | None = None
    uses: int = 0


class Hooks:
    """All response URLs given out."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._hooks: dict[str, Hook] = {}

    def new(
        self, channel: Channel, user: str, delivery: str, message: Message | None = None
    ) -> str:
        """A fresh URL for one interaction."""
        key = uuid4().hex
        expires = self._slack.clock.now() + self._slack.limits.response_url_seconds
        self._hooks[key] = Hook(key, channel, user, delivery, expires, message)
        return f"http://127.0.0.1:{self._slack.port}/hooks/{channel.team}/{key}"

    def of(self, url: str) -> Hook:
        """The hook behind a URL, for a test that counts uses."""
        return self._hooks[url.rsplit("/", 1)[-1]]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one post to a response URL: `ok`, or Slack's error."""
        slack = self._slack
        fault = slack.faults.take("response_url")
        try:
            body = await _body(request)
            slack.calls.append(("response_url", body))
            if fault is not None and not fault.after:
                await fault.wait()
                fail(fault)
            self._use(request.match_info["key"], body)
            if fault is not None and fault.after:
                await fault.wait()
                fail(fault)
        except Refused as refusal:
            slack.refusals.append(("response_url", refusal.error, refusal.more.get("errors", [])))
            return refusal.answer()
        return web.Response(text="ok", content_type="text/html")

    def _use(self, key: str, body: Json) -> None:
        hook = self._hooks.get(key)
        if hook is None or self._slack.clock.now() > hook.expires:
            raise Refused("expired_url", status=404)
        hook.uses += 1
        if hook.uses > self._slack.limits.response_url_uses:
            raise Refused("used_url", status=404)
        if _true(body.get("delete_original")):
            if hook.message is not None:
                self._slack.messages.delete(hook.message)
            if not body.get("text") and not body.get("blocks"):
                return
        try:
            text, blocks = checked(self._slack, body)
        except Refused as refusal:
            refusal.status = 400
            raise
        if _replaces(hook, body):
            assert hook.message is not None
            self._slack.messages.edit(hook.message, text, blocks, delivery=hook.delivery)
            return
        answer(
            self._slack,
            hook.channel,
            hook.user,
            body,
            via="response_url",
            delivery=hook.delivery,
            checked_body=(text, blocks),
        )


def _true(value: object) -> bool:
    return value is True or value == "true"


def _replaces(hook: Hook, body: Json) -> bool:
    """A pressed message is replaced unless the app says otherwise; a slash command has no
    message to replace.
    """
    if hook.message is None or hook.message.deleted:
        return False
    if "replace_original" in body:
        return _true(body["replace_original"])
    return "response_type" not in body and not body.get("delete_original")


def answer(
    slack: SlackStandIn,
    channel: Channel,
    user: str,
    body: Json,
    *,
    via: str,
    delivery: str,
    checked_body: tuple[str, list[Json]],
) -> Message:
    """Post what came over a response URL or in an acknowledgement: private unless `in_channel`."""
    text, blocks = checked_body
    public = body.get("response_type") == "in_channel"
    return slack.messages.post(
        channel,
        channel.workspace.bot_user,
        text,
        blocks=blocks,
        thread_ts=body.get("thread_ts"),
        ephemeral_for=None if public else user,
        via=via,
        delivery=delivery,
    )


async def _body(request: web.Request) -> Json:
    try:
        found = json.loads(await request.text())
    except ValueError:
        raise Refused("invalid_payload", status=400) from None
    if not isinstance(found, dict):
        raise Refused("invalid_payload", status=400)
    return found
