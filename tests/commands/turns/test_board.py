"""`/game board`: where the game is, by side and state."""

from __future__ import annotations

from typing import Any

from bot.commands.turns.board import AFRESH
from bot.ui.reply.reply import TAKEN_AWAY
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides


async def test_the_board_shows_sides_by_state_and_what_is_to_be_done() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 hand=6,1,1,1")
    board = await channel.do("Anna", "game board")
    assert board.quiet
    assert board.title.startswith("Turn 1, Rally")
    assert "US: Anna" in board.format_body()
    assert "Fired: Squad 1" in board.format_body()
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


async def followed() -> tuple[Channel, list[float]]:
    """A game with a board that is there, and its clock."""
    clock = [1_000_000.0]
    channel = Channel(await fresh_app(lambda: clock[0]))
    await two_sides(channel)
    await channel.app.answers.mark_delivered(
        await channel.say("Anna", "game board", token="t"), spot={"message": 7}
    )
    await waiting(channel)
    return channel, clock


async def waiting(channel: Channel) -> list[Any]:
    """What is to be posted or changed, which then is."""
    due = await channel.app.answers.claim_due("console:")
    for one in due:
        await channel.app.answers.mark_delivered(one.id)
    return [one for one in due if "/board" in one.about + one.amends]


async def test_it_is_changed_only_when_something_on_it_has_changed() -> None:
    channel, _ = await followed()
    await channel.do(
        "Anna", "roll 2d6", "lnlt-table melee-odds 7 5", "game plan turn=4 text=reinforcements"
    )
    assert await waiting(channel) == []
    await channel.do("Anna", "unit edit us1 state=shaken")
    [change] = await waiting(channel)
    assert "Shaken: Squad 1" in change.reply.format_body()


async def test_a_board_that_was_not_posted_in_time_never_is() -> None:
    """At machine speed boards of turns 3 to 5 came after the story of the end, with live
    buttons.
    """
    channel, clock = await followed()
    for _ in range(12):
        await channel.do("Anna", "game next")
    await channel.do("Anna", "game end confirm")
    clock[0] += 60
    left = await waiting(channel)
    assert [one.reply.title for one in left if not one.amends] == []
    assert any(one.reply.pin == TAKEN_AWAY for one in left)


def test_it_is_posted_afresh_before_discord_limits_edits() -> None:
    assert AFRESH < 3600


async def test_a_board_that_is_a_second_behind_hands_over_the_move_of_who_presses() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game next", "game initiative US")
    board = await channel.do("Anna", "game board")
    [done] = [button.action for button in board.buttons if button.label == "Done"]
    assert "VC" in (await channel.press("Anna", done)).first_line
    twice = await channel.press("Anna", done)
    assert twice.error
    handed_over = await channel.press("Bob", done)
    assert not handed_over.error, handed_over.format_text()
    assert "US" in handed_over.first_line
