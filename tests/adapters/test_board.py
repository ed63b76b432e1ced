"""`/game board` on each platform: one message that follows the game, and ends with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.adapters.evening import Platform, Table, on_each

pytestmark = pytest.mark.scenes(2)


async def duel_with_a_board(e: Table) -> Any:
    """Give Anna and Ben a squad each, and return the board."""
    await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.say("Anna", "game join US")
    await e.say("Ben", "game join VC")
    await e.say("Anna", 'unit add "Squad 1" squad US stats="morale=5 fp=2"')
    await e.say("Ben", 'unit add "Cell 1" squad VC stats="morale=4 fp=1"')
    await e.rest()
    return await e.say("Anna", "game board", says="Log")


@on_each
async def test_the_board_follows_the_game_after_a_restart_too(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        board = await duel_with_a_board(e)
        assert "Turn 1, Rally" in e.words(board)
        assert "Ready: Squad 1" in e.words(board)
        assert "Undo" in e.buttons(board)
        fired = await e.say("Anna", 'lnlt fire "Squad 1" "Cell 1" hand=6,1,5')
        await e.until(
            lambda: "Cell 1 is eliminated" in e.words(board) and "Fired: Squad 1" in e.words(board),
            "the shot on the board",
        )
        await e.restarted()
        request = await e.press("Anna", fired, "Undo", "asks to undo")
        await e.pressed("Ben", request, "Agree")
        await e.until(
            lambda: "Ready: Cell 1" in e.words(board) and "Last:" not in e.words(board),
            "the board as before the shot",
        )


@on_each
async def test_the_end_of_the_game_ends_the_board(platform: Platform, tmp_path: Path) -> None:
    async with platform(tmp_path) as e:
        board = await duel_with_a_board(e)
        await e.typed("Anna", "game end winner=US confirm")
        await e.until(
            lambda: "Hill 875 is over" in e.words(board) and not e.buttons(board), "the board ended"
        )
