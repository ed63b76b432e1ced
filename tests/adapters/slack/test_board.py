"""`/game board` on Slack: one message that follows the game."""

from __future__ import annotations

import pytest

from tests.adapters.slack.duel_helpers import Table, say, table

pytestmark = pytest.mark.scenes(1)

__all__ = ["table"]


async def test_the_board_follows_the_game(table: Table) -> None:  # the fixture
    board = await say(table.anna, table.games, "game board")
    assert "Turn 1, Rally" in board.plain
    await table.fire()
    await table.until(
        lambda: "Last: Cell 1 is eliminated" in board.plain and "Fired: Squad 1" in board.plain
    )
    assert "Undo" in board.buttons()


async def test_it_is_pinned_where_the_app_may_and_unpinned_once_it_has_gone(table: Table) -> None:
    board = await say(table.anna, table.games, "game board")
    await table.until(lambda: board.pinned)
    table.slack.faults.error("pins.add", "missing_scope")
    again = await say(table.anna, table.games, "game board")
    refused = await table.anna.wait_for(table.games, "could not be pinned")
    assert refused.ephemeral_for == table.anna.id
    assert "a workspace admin can install it again" in refused.plain
    await table.until(lambda: board.deleted)
    assert not again.pinned
