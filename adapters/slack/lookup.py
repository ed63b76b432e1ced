"""Whether an answer is in its channel already: Slack has no other way to post something once.

A message of our own carries a mark that only programs see; one posted to a response address cannot, and is known by
its words. Reading a channel takes the scope `channels:history` (`groups:history` for private ones), which the app does
not ask for: where a workspace gives it, nothing comes twice; elsewhere an answer says that it may have.
"""

from __future__ import annotations

import hashlib
from typing import Any

from adapters.slack.calls import Busy, Refused, Wire
from adapters.slack.escape import entities
from adapters.slack.render import LATE, LATE_PERHAPS, PERHAPS, render
from adapters.slack.request import Request
from adapters.slack.teams import Team
from bot.interface.reply.reply import Reply
from bot.outbox.receipts import REFERENCE
from bot.process.settings import DAY

Json = dict[str, Any]

EVENT = "grognard_answer"
MARGIN = 2 * DAY
"""Seconds by which our clock and Slack's may differ: a host's clock may have been set meanwhile. Looking too far back
only means reading more."""
MOST = 999


def mark(request: Request, reply: Reply) -> Json:
    """What a message carries so that it is found again: a hash, for nobody to read."""
    key = hashlib.sha256(f"{request.request_id}/{reply.title}".encode("utf-8", "replace")).hexdigest()[:24]
    return {"event_type": EVENT, "event_payload": {"id": key}}


async def stands(wire: Wire, team: Team, request: Request, reply: Reply, since: float) -> str | None:
    """The timestamp of the answer if it was posted after `since` (Unix seconds), "" if not; None where that cannot be
    known."""
    if reply.private and not request.direct:
        return None
    way: Json = {"ts": request.thread} if request.thread else {}
    method = "conversations.replies" if request.thread else "conversations.history"
    more = {"oldest": f"{since - MARGIN:.6f}", "limit": str(MOST), "include_all_metadata": "true"}
    try:
        found = await wire.request(team.token, method, channel=request.channel, **way, **more)
    except (Busy, Refused):
        return None
    ours = [one for one in found.get("messages") or () if not team.bot_user or one.get("user") == team.bot_user]
    for one in ours:
        if _is_it(one, request, reply):
            return str(one.get("ts") or "?")
    # Two answers without a number may read alike: another one's does not prove that this one is there.
    alike = any(_words(one) == render(reply, team.id).text for one in ours if not one.get("metadata"))
    return None if alike or found.get("has_more") else ""


def _is_it(message: Json, request: Request, reply: Reply) -> bool:
    """Whether the message is surely this answer: by its mark, or by its number and hash (or reference) and title."""
    if (
        request.request_id
        and (message.get("metadata") or {}).get("event_payload") == mark(request, reply)["event_payload"]
    ):
        return True
    if not (reply.footer and reply.footer[0].startswith(("#", REFERENCE))):
        return False
    numbered = entities(" · ".join(reply.footer[:2]))
    return numbered in _words(message) and entities(reply.title) in _words(message)


def _words(message: Json) -> str:
    text = str(message.get("text") or "")
    for remark in (LATE, PERHAPS, LATE_PERHAPS):
        text = text.replace(remark, "", 1)
    return text
