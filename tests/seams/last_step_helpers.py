"""Helpers of tests/seams/test_last_step.py, which other tests use as well."""

from __future__ import annotations

from typing import Any

from bot.ui.reply.reply import Reply
from tests.playing import Channel, two_sides
from tests.seams.undo_helpers import PLACE


async def newest(channel: Channel) -> dict[str, Any]:
    """The last event of the channel's game."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    rows = await channel.app.store.load_events(loaded.row, limit=1, newest_first=True)
    return rows[0].data


OWN_STEPS: dict[str, tuple[str, ...]] = {
    "pass": ("game pass",),
    "next": ("game next",),
    "initiative": ("game initiative US",),
    "unit": ("unit edit us2 marker=+moved",),
    "settings": ("game settings confirm=no",),
    "order": ('order write "hold"',),
    "plan": ('game plan 9 "x"',),
    "leave": ("game leave",),
    "sealed": ("roll 2d6 secret",),
    "deck": ("deck make 1..6 cup",),
    "draw": ("deck make 1..6 cup", "deck draw cup"),
    "cards": ("deck make 1..6 cup", "deck draw cup 2", "deck discard all cup"),
    "sequence": ('lnlt morale-check units="squad morale=5"',),
}
"""Kinds of events, and how Anna causes them."""


async def table() -> Channel:
    """A game of Lock 'n Load in which Anna has edited a unit of hers, the last event."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1 marker=+moved")
    return channel


async def asked_first(channel: Channel, name: str, number: int) -> Reply:
    """The question that `/game undo` asks privately; it names this event, and takes nothing
    back.
    """
    before = (await channel.game()).number
    question = await channel.say(name, "game undo")
    assert question.private
    assert question.title.startswith(f"Undo #{number}, "), question.format_text()
    assert question.buttons[0].label == f"Undo #{number}"
    assert (await channel.game()).number == before
    return question
