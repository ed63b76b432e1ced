"""Moments as answers tell them: each reader sees them in their own clock, plain text has them in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.rules.text.phrase import When


def when(at: float) -> When:
    """A date with its time."""
    return When(_in_utc(at), int(at))


def ago(at: float) -> When:
    """How long ago that was, or how soon it will be, as the platform counts it."""
    return When(_in_utc(at), int(at), ago=True)


def _in_utc(at: float) -> str:
    return datetime.fromtimestamp(int(at), UTC).strftime("%d %b %Y, %H:%M UTC").lstrip("0")
