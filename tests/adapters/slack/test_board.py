"""`/game board` on Slack: one message that follows the game."""

from __future__ import annotations

from tests.adapters.slack.test_true import Table, say, table

__all__ = ["table"]


async def test_the_board_follows_the_game(table: Table) -> None:  # the fixture
    board = await say(table.anna, table.games, "game board")
    assert "Turn 1, Rally" in board.plain
    await table.fire()
    await table.until(lambda: "Last: Cell 1 is eliminated" in board.plain and "Fired: Squad 1" in board.plain)
    assert "Undo" in board.buttons()
