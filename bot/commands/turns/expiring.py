"""Requests that end by themselves: their messages say so, and lose their buttons."""

from __future__ import annotations

from collections.abc import Iterable

from bot.commands.context import Context
from bot.commands.log.amending import settled
from bot.stores.records import DueRow

EXPIRES = "expires"


def expiry(key: str, at: float, topics: Iterable[str], what: str) -> DueRow:
    """When a request ends, which of its messages ask until then, and for what."""
    return DueRow(key, at, EXPIRES, {"topics": list(topics), "what": what})


def expiry_key(game: str, request: str) -> str:
    """Under which key that is stored."""
    return f"{game}/{EXPIRES}-{request}"


def expire(context: Context, row: DueRow) -> None:
    """Nobody can agree any more: the messages that still ask say so."""
    context.drop_due.append((row.key, row.at))
    for topic in row.data["topics"]:
        settled(context, str(topic), "Expired after 24 hours", str(row.data["what"]))
