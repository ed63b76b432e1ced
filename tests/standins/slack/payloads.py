"""The payloads Slack sends: commands, interactions, events."""

from __future__ import annotations

import html
import re
import time
from typing import TYPE_CHECKING, Any

from .settings import Json
from .workspace import Channel, Workspace, new_id

if TYPE_CHECKING:
    from .messages import Message, StoredFile
    from .person import Person
    from .views import OpenView

VERIFICATION_TOKEN = "standin-verification-token"


def escape(text: str) -> str:
    """Slack's escaping: `&`, `<` and `>` and nothing else."""
    return html.escape(text, quote=False)


def typed(text: str, workspace: Workspace, *, links: bool = True) -> str:
    """What a person typed, as it reaches an app: escaped, with @name and #channel become ids."""
    text = escape(text.replace("<@BOT>", "@grognard"))
    if not links:
        return text
    for user in sorted(workspace.users.values(), key=lambda one: -len(one.name)):
        text = re.sub(rf"@{re.escape(user.name)}\b", f"<@{user.id}>", text)
    text = re.sub(r"@grognard\b", f"<@{workspace.bot_user}>", text)
    for channel in workspace.channels.values():
        if channel.name:
            text = re.sub(rf"#{re.escape(channel.name)}\b", f"<#{channel.id}|{channel.name}>", text)
    return text


def slash(
    user: Person, channel: Channel, command: str, text: str, *, trigger: str, response_url: str
) -> Json:
    """A slash command; all values are strings, as in a form."""
    home = user.workspace
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": home.id,
        "team_domain": home.domain,
        "channel_id": channel.id,
        "channel_name": channel.command_name,
        "user_id": user.id,
        "user_name": user.name.lower(),
        "command": command,
        "text": text,
        "api_app_id": home.slack.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger,
    }


def interaction(user: Person, kind: str, **more: Any) -> Json:
    """What all interactive payloads have in common."""
    home = user.workspace
    return {
        "type": kind,
        "team": {"id": home.id, "domain": home.domain},
        "user": {
            "id": user.id,
            "username": user.name.lower(),
            "name": user.name.lower(),
            "team_id": home.id,
        },
        "api_app_id": home.slack.app_id,
        "token": VERIFICATION_TOKEN,
        "enterprise": None,
        "is_enterprise_install": False,
        **more,
    }


def place(target: Message | OpenView) -> Json:
    """The container of an interaction, with the message or view it stands in."""
    from .views import OpenView

    if isinstance(target, OpenView):
        return {"container": {"type": "view", "view_id": target.id}, "view": target.as_slack()}
    private = target.ephemeral_for is not None
    container: Json = {
        "type": "message",
        "message_ts": target.ts,
        "channel_id": target.channel.id,
        "is_ephemeral": private,
    }
    if target.thread_ts:
        container["thread_ts"] = target.thread_ts
    body: Json = {
        "container": container,
        "channel": {"id": target.channel.id, "name": target.channel.command_name},
    }
    return body if private else body | {"message": target.as_slack()}


def event(workspace: Workspace, inner: Json) -> Json:
    """The wrapper of an event."""
    number = new_id("Ev")
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": workspace.id,
        "api_app_id": workspace.slack.app_id,
        "event": {"event_ts": workspace.slack.clock.stamp(), **inner},
        "type": "event_callback",
        "event_id": number,
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": workspace.id,
                "user_id": workspace.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": f"4-{number}",
    }


def said(kind: str, message: Message, files: list[StoredFile]) -> Json:
    """The event of a person's message: `app_mention` or `message`."""
    body: Json = {
        "type": kind,
        "user": message.author,
        "text": message.text,
        "ts": message.ts,
        "event_ts": message.ts,
        "channel": message.channel.id,
        "team": message.channel.team,
        "client_msg_id": f"msg-{message.ts}",
    }
    if message.thread_ts:
        body["thread_ts"] = message.thread_ts
    if kind == "message":
        body["channel_type"] = message.channel.kind
    if files:
        slack = message.channel.workspace.slack
        body["files"] = [slack.file_as_slack(one) for one in files]
        if kind == "message":
            body["subtype"] = "file_share"
    return body
