"""Helpers of the tests of games in which a side plays itself."""

from __future__ import annotations

from bot.ui.reply.reply import Reply
from bot.verification.check_games import audit_game
from tests.forging import Json
from tests.playing import Channel


def list_answers(reply: Reply) -> dict[str, str]:
    """Return the buttons that answer the question of an order, by label."""
    return {
        button.label: button.action
        for button in reply.buttons
        if button.action.startswith("order:")
    }


async def list_faults(channel: Channel) -> list[str]:
    """Return the faults that `grognard verify` finds in the channel's game."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return await audit_game(channel.app.store, loaded.row)


async def list_bodies(channel: Channel) -> list[Json]:
    """Return the events of the channel's game, oldest first."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    rows = await channel.app.store.load_events(loaded.row, limit=500)
    return [row.data for row in rows]
