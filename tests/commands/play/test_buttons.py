"""Buttons name their game and what they answer: an old one touches no other game, and agrees to
no later request.
"""

from __future__ import annotations

import pytest

from adapters.discord.render import build_custom_id
from bot.ui.reply.reply import Button, Reply
from tests.playing import Channel, two_sides


def action(reply: Reply, label: str) -> str:
    """What a button under an answer stands for."""
    return next(
        button.action for button in (reply.announce or reply).buttons if button.label == label
    )


async def test_an_undo_button_undoes_nothing_in_the_game_after() -> None:
    """The roll of free play was #2, and so is the unit of the game that came after it."""
    channel = await Channel.fresh()
    rolled = await channel.do("Greta", "roll 2d6")
    await channel.do("Greta", "game start lnlt Two", "unit add Sq squad US morale=5 fp=1")
    refused = await channel.press("Greta", action(rolled, "Undo"))
    assert refused.code == "other-game"
    assert refused.format_text() == "That button is from an earlier game."
    assert list((await channel.game()).units) == ["sq"]


async def test_again_and_undo_of_an_earlier_game_do_nothing_and_its_odds_can_be_read() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    fired = await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1"')
    await channel.do("Anna", "game end confirm", "game start lnlt Two")
    await channel.do("Anna", *(f"unit add S{at} squad US morale=5 fp=1" for at in range(12)))
    number = (await channel.game()).number
    for label, answer in (("Again", fired), ("Undo", fired)):
        assert (await channel.press("Anna", action(answer, label))).code == "other-game"
    looked = await channel.press("Anna", action(fired, "Odds"))
    assert looked.private
    assert not looked.error
    assert (await channel.game()).number == number


async def test_odds_of_an_earlier_game_are_not_rolled_in_the_next() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    odds = await channel.do(
        "Anna", 'lnlt fire attackers="squad morale=5 fp=2" targets="squad morale=4" odds'
    )
    await channel.do("Anna", "game end confirm", "game start lnlt Two")
    assert (await channel.press("Anna", action(odds, "Roll it"))).code == "other-game"
    assert (await channel.game()).number == 1


async def test_agreeing_answers_one_request_and_no_later_one() -> None:
    """World 6786 of the simulator: an old press on Agree, delivered once more, agreed to a later
    request.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 2d6")
    first = await channel.undo_last("Anna")
    await channel.press("Bob", action(first, "Refuse"))
    second = await channel.undo_last("Anna")
    late = await channel.press("Bob", action(first, "Agree"))
    assert late.code == "not-asked"
    assert not (await channel.press("Bob", action(second, "Agree"))).error


@pytest.mark.parametrize(
    "old",
    ["undo:2", "consent:2", "refuse:2", "again:2", "odds:2", "reveal:2", "log:20:2", "claim:"],
)
async def test_buttons_from_before_they_named_their_game_are_refused_kindly(old: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6")
    refused = await channel.press("Anna", old)
    assert refused.code == "old-button"
    assert (
        refused.title == "This button is from before an update and doesn't say which game it's for."
    )
    assert (await channel.game()).last == 2


async def test_the_longest_button_fits_where_discord_takes_a_hundred_characters() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 2d6")
    asked = await channel.do("Anna", "game undo")
    log = await channel.do("Anna", 'log 1 side=US unit="Squad 1"')
    buttons: list[Button] = [*asked.buttons, *log.buttons]
    assert max(len(build_custom_id(button.action)) for button in buttons) < 90
