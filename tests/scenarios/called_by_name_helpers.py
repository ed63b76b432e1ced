"""Helpers of tests/scenarios/test_called_by_name.py, which other tests use as well."""

from __future__ import annotations

from bot.ui.reply.reply import Reply
from tests.playing import Channel


async def started(game: str, *units: str) -> Channel:
    """A game of side A (Anna) and side B (Bob) with these units."""
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {game} Farm sides="A, B"', "game join A")
    await channel.do("Bob", "game join B")
    await channel.do("Anna", *units)
    return channel


def labels(reply: Reply) -> list[str]:
    return [one.label for one in reply.buttons]
