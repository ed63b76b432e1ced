"""conversations.history and .replies: what stands in a conversation, newest first, for a bot
that is in it.
"""

from __future__ import annotations

from .api import Call, Refused, method
from .messages import Message
from .settings import Json

_SCOPES = ("channels:history", "groups:history", "im:history")


def _page(call: Call, messages: list[Message]) -> Json:
    """Those after `oldest`, as many as asked for; metadata only for whoever asks for it."""
    limit = int(call.args.get("limit") or 100)
    if not 1 <= limit <= 999:
        raise Refused("invalid_limit")
    oldest = float(call.args.get("oldest") or 0)
    found = [one for one in messages if float(one.ts) > oldest]
    shown = [one.as_slack() for one in found[:limit]]
    if str(call.args.get("include_all_metadata", "")).casefold() not in ("true", "1"):
        shown = [{key: value for key, value in one.items() if key != "metadata"} for one in shown]
    return {"messages": shown, "has_more": len(found) > limit}


def _readable(call: Call) -> list[Message]:
    """All that is not ephemeral or deleted there. Raises Refused without the scope, or outside."""
    channel = call.channel(by_id=True)
    needed = f"{'im' if channel.im_with else 'groups' if channel.private else 'channels'}:history"
    if needed not in call.workspace.scopes:
        raise Refused(
            "missing_scope", needed=needed, provided=",".join(sorted(call.workspace.scopes))
        )
    if not channel.bot_member and not channel.im_with:
        raise Refused("not_in_channel")
    there = [one for one in call.slack.messages.all if one.channel is channel]
    return [one for one in reversed(there) if not one.deleted and not one.ephemeral_for]


@method("conversations.history", *_SCOPES)
async def conversations_history(call: Call) -> Json:
    """The conversation itself; answers in threads are not part of it."""
    return _page(call, [one for one in _readable(call) if one.thread_ts in (None, one.ts)])


@method("conversations.replies", *_SCOPES)
async def conversations_replies(call: Call) -> Json:
    """A thread, with the message that began it."""
    ts = call.needed("ts")
    found = [one for one in _readable(call) if ts in (one.ts, one.thread_ts)]
    if not found:
        raise Refused("thread_not_found")
    return _page(call, found)
