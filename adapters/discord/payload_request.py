"""An interaction read from the JSON that Discord sends by HTTP.

That says less than the library knows from the gateway: no server's name, and of a thread not that of its channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.discord.request import EPHEMERAL, MANAGE_SERVER, THREADS, Request
from bot.rules.text.plain import clean_name

_ADMINISTRATOR = 1 << 3
_MIB = 1 << 20


def read_payload(event: Mapping[str, Any]) -> Request:
    """The ask in an interaction. Raises KeyError, TypeError, ValueError, AttributeError for another shape."""
    guild, channel, message = int(event.get("guild_id") or 0), event.get("channel") or {}, event.get("message") or {}
    member = event["member"] if guild else {}
    user = member["user"] if guild else event["user"]
    bits = int(member.get("permissions") or 0)
    thread = channel.get("type") in THREADS
    about = channel.get("thread_metadata") or {}
    return Request(
        id=int(event["id"]),
        token=str(event["token"]),
        application=int(event["application_id"]),
        kind=int(event["type"]),
        channel=int(event.get("channel_id") or channel.get("id") or 0),
        guild=guild,
        user=int(user["id"]),
        name=clean_name(str(member.get("nick") or user.get("global_name") or user["username"])) or "player",
        manager=not guild or bool(bits & (MANAGE_SERVER | _ADMINISTRATOR)),
        allowed=int(event.get("app_permissions") or 0),
        thread=thread,
        file_size=int(event.get("attachment_size_limit") or 10 * _MIB),
        message=int(message.get("id") or 0),
        private_message=bool(int(message.get("flags") or 0) & EPHEMERAL),
        channel_name=clean_name(str(channel.get("name") or "")),
        parent=int(channel.get("parent_id") or 0) if thread else 0,
        shut=bool(about.get("locked") and about.get("archived")),
    )
