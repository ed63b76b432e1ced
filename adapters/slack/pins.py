"""Messages that are kept at hand: pinned where the app may, and no longer once something else has taken their place."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from adapters.outbox import not_pinned
from adapters.slack.calls import Busy, Refused, Wire
from bot.interface.reply.reply import PINNED, UNPINNED, Reply
from bot.rules.text.phrase import phrase

log = logging.getLogger(__name__)

_DONE = ("already_pinned", "no_pin", "message_not_found")
_WHY = {
    "missing_scope": "The app lacks the right to pin; a workspace admin can install it again.",
    "not_in_channel": phrase("Invite the app to this channel first: `/invite @grognard`."),
    "too_many_pins": "This channel has as many pins as Slack allows.",
}


async def keep(wire: Wire, token: str, reply: Reply, spot: Mapping[str, Any]) -> Reply | None:
    """Pin or unpin the message at `spot` as its reply says; what whoever asked is told where that is refused.

    It is no harm when it fails: the message is there.
    """
    if reply.pin not in (PINNED, UNPINNED) or not spot.get("ts"):
        return None
    method = "pins.add" if reply.pin == PINNED else "pins.remove"
    try:
        await wire.call(token, method, channel=str(spot["channel"]), timestamp=str(spot["ts"]))
    except Refused as refused:
        log.info("%s in %s: %s", method, spot["channel"], refused)
        if reply.pin == PINNED and refused.error not in _DONE:
            why = _WHY.get(refused.error, "Slack does not let the app pin messages here.")
            return not_pinned(why)
    except Busy as busy:
        log.info("%s in %s: %s", method, spot["channel"], busy)
    return None
