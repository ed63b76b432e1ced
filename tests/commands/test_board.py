"""`/game board`: where the game is, by side and state."""

from __future__ import annotations

from bot.commands.board import AFRESH
from tests.playing import Channel, two_sides


async def test_the_board_shows_sides_by_state_and_what_is_to_be_done() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 hand=6,1,1,1")
    board = await channel.do("Anna", "game board")
    assert board.quiet
    assert board.title.startswith("Turn 1, Rally")
    assert "US: Anna" in board.body()
    assert "Fired: Squad 1" in board.body()
    assert {"Undo", "Log"} <= {button.label for button in board.buttons}
    assert [entry.label for entry in board.menus[0].entries][:1] == ["Squad 1"]
    card = await channel.press("Bob", board.menus[0].entries[0].action)
    assert card.title.startswith("Squad 1")
    assert card.private


async def test_only_a_started_game_has_a_board() -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", "game board", "no-game")
    await channel.do("Anna", "roll 2d6")
    await channel.refused("Anna", "game board", "no-game")
    await two_sides(channel)
    await channel.refused("Anna", "game board off", "no-board")


def test_it_is_posted_afresh_before_discord_limits_edits() -> None:
    assert AFRESH < 3600
