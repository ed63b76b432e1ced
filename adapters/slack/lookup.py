"""Whether an answer stands in its channel already: Slack has no other way to post something once.

A message of our own carries a mark that only programs see; one posted to a response address cannot, and is known by
its words. Reading a channel takes the scope `channels:history` (`groups:history` for private ones), which the app does
not ask for: where a workspace gives it, nothing comes twice; elsewhere an answer says that it may have.
"""

from __future__ import annotations

from typing import Any

from adapters.slack.calls import Busy, Refused, Wire
from adapters.slack.escape import entities
from adapters.slack.render import render
from adapters.slack.request import Request
from adapters.slack.teams import Team
from bot.interface.reply import Reply
from bot.stores.base import tombstone

Json = dict[str, Any]

EVENT = "grognard_answer"
MARGIN = 300.0
"""Seconds by which our clock and Slack's may differ."""
MOST = 200


def mark(request: Request, reply: Reply) -> Json:
    """What a message carries so that it is found again: a hash, for nobody to read."""
    key = tombstone(f"{request.request_id}/{reply.title}")[:24]
    return {"event_type": EVENT, "event_payload": {"id": key}}


async def stands(wire: Wire, team: Team, request: Request, reply: Reply, since: float) -> bool | None:
    """Whether the answer was posted after `since` (Unix seconds); None where that cannot be known."""
    if reply.private and not request.direct:
        return None
    way: Json = {"ts": request.thread} if request.thread else {}
    method = "conversations.replies" if request.thread else "conversations.history"
    more = {"oldest": f"{since - MARGIN:.6f}", "limit": str(MOST), "include_all_metadata": "true"}
    try:
        found = await wire.request(team.token, method, channel=request.channel, **way, **more)
    except (Busy, Refused):
        return None
    if any(_is_it(one, team, request, reply) for one in found.get("messages") or ()):
        return True
    return None if found.get("has_more") else False


def _is_it(message: Json, team: Team, request: Request, reply: Reply) -> bool:
    if team.bot_user and message.get("user") != team.bot_user:
        return False
    if (
        request.request_id
        and (message.get("metadata") or {}).get("event_payload") == mark(request, reply)["event_payload"]
    ):
        return True
    text = str(message.get("text") or "")
    if reply.footer and reply.footer[0].startswith("#"):  # number and hash: no other with this title has them
        return entities(" · ".join(reply.footer[:2])) in text and entities(reply.title) in text
    return text == render(reply, team.id).text
