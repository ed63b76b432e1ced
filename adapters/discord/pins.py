"""Messages that are kept at hand: pinned where the bot may, and no longer once something else has taken their place."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import discord

from bot.interface.reply.reply import PINNED, UNPINNED, Reply

log = logging.getLogger(__name__)

REFUSED = Reply(
    "The board could not be pinned",
    ("The bot lacks the permission Pin Messages here; a moderator can grant it. The board works all the same.",),
    private=True,
)
FULL = Reply(
    "The board could not be pinned",
    ("This channel has as many pins as Discord allows. The board works all the same.",),
    private=True,
)
_TOO_MANY = 30003


async def keep(http: discord.http.HTTPClient, reply: Reply, spot: Mapping[str, Any]) -> Reply | None:
    """Pin or unpin the message at `spot` as its reply says; what whoever asked is told where that is refused.

    It is no harm when it fails: the message is there.
    """
    if reply.pin not in (PINNED, UNPINNED) or not spot.get("message"):
        return None
    channel, message = int(spot["channel"]), int(spot["message"])
    try:
        await (http.pin_message if reply.pin == PINNED else http.unpin_message)(channel, message)
    except discord.HTTPException as error:
        log.info("a message in channel %s could not be pinned or unpinned: %s", channel, error)
        return None if reply.pin == UNPINNED else FULL if error.code == _TOO_MANY else _refused(error)
    except OSError as error:
        log.info("could not pin or unpin a message: %s", error)
    return None


def _refused(error: discord.HTTPException) -> Reply | None:
    return REFUSED if isinstance(error, discord.Forbidden) else None
