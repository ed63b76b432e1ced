"""Buttons of an ended game, an older shot, an undone shot and a replaced card: each says what is
true in a sentence, and does nothing to what is played now.

The kinds come from the list of buttons, so that a new one is pressed here by itself.
"""

from __future__ import annotations

import re

import pytest

from bot.commands.declare import ButtonOf
from bot.commands.dispatch import BUTTONS
from bot.ui.reply.reply import OPEN_FORM, Reply
from tests.playing import Channel, two_sides
from tests.seams.undo_helpers import PLACE, newest

SENTENCE = "That button is from an earlier game."
SHOT = "lnlt fire attackers=us1 targets=vc1 hand=1,6"
DELETES = "delete"
"""The one button that changes the earlier game: its question was asked about that one."""


def actions_of(reply: Reply) -> list[str]:
    """What the buttons and menus of an answer stand for; those that open a form are left out."""
    told = reply.announce or reply
    menus = [entry.action for menu in told.menus for entry in menu.entries]
    actions = [*(button.action for button in told.buttons), *menus]
    return [action for action in actions if not action.startswith(OPEN_FORM)]


async def row_of(channel: Channel) -> str:
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return loaded.row


def list_buttons(of: ButtonOf) -> list[str]:
    return [name for name, button in BUTTONS.items() if button.of is of]


async def press_in_next_game(actions: list[str], channel: Channel) -> dict[str, Reply]:
    """End the game, start another one, and press these buttons; nothing happens there."""
    await channel.do("Anna", "game end confirm")
    await two_sides(channel)
    before = (await row_of(channel), (await channel.game()).number, await channel.content())
    replies = {action: await channel.press("Anna", action) for action in actions}
    after = (await row_of(channel), (await channel.game()).number, await channel.content())
    assert after == before
    return replies


async def test_each_kind_of_button_of_an_earlier_game_says_so() -> None:
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Anna", SHOT)
    shot = (await newest(channel))["number"]
    row = await row_of(channel)
    names = {f"{name}:{row}": name for name in list_buttons(ButtonOf.GAME) if name != DELETES}
    names |= {
        f"{name}:{row}:{shot}": name for name in list_buttons(ButtonOf.EVENT) if name != "sure"
    }
    replies = await press_in_next_game([*names], channel)
    for action, reply in replies.items():
        if not BUTTONS[names[action]].in_earlier_games:
            assert (reply.format_text(), reply.private) == (SENTENCE, True), action


async def test_each_button_that_an_evening_has_shown_is_harmless_in_the_next_game() -> None:
    """Those of the start, a turn card, a shot, its odds, an undo, a request and a sealed roll."""
    channel = await Channel.fresh(place=PLACE)
    start = await channel.do("Anna", 'game start lnlt "Hill 874" sides="US, VC"')
    await channel.do("Anna", "game end confirm")
    await two_sides(channel)
    card = await channel.do("Anna", "game next")
    await channel.do("Anna", "game initiative US")
    odds = await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 odds")
    shot = await channel.do("Anna", SHOT)
    asked = await channel.do("Anna", "game undo")
    undone = await channel.press("Bob", asked.buttons[0].action)
    sealed = await channel.do("Bob", "roll 2d6 secret")
    unit = await channel.do("Anna", "unit show us1")
    shown = (start, card, odds, shot, asked, undone, sealed, unit)
    actions = list(dict.fromkeys(action for reply in shown for action in actions_of(reply)))
    assert len(actions) > 20
    for action, reply in (await press_in_next_game(actions, channel)).items():
        name = action.partition(":")[0]
        is_readable = BUTTONS[name].in_earlier_games or name not in (
            *list_buttons(ButtonOf.GAME),
            *list_buttons(ButtonOf.EVENT),
            "roll",
            "whatif",
            "count",
            "anyway",
        )
        assert is_readable or reply.format_text() == SENTENCE, f"{action}: {reply.format_text()}"


async def test_the_buttons_of_a_replaced_card_act_on_no_later_phase() -> None:
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    card = await channel.do("Anna", "game next")
    await channel.do("Anna", "game initiative US", "game next")
    number = (await channel.game()).number
    turning = [one for one in actions_of(card) if one.partition(":")[0] in ("next", "pass", "done")]
    assert turning
    for action in turning:
        reply = await channel.press("Anna", action)
        assert reply.private
        assert (await channel.game()).number == number, action


@pytest.mark.parametrize("is_last", [True, False])
async def test_the_buttons_of_an_undone_shot_say_that_it_is_undone(*, is_last: bool) -> None:
    """Undo and Agree; whether or not something has happened since."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    shot = await channel.do("Anna", SHOT)
    number = (await newest(channel))["number"]
    asked = await channel.do("Anna", "game undo")
    agree = asked.buttons[0].action
    await channel.press("Bob", agree)
    if not is_last:
        await channel.do("Anna", "unit edit us2 marker=+moved")
    before = (await channel.game()).number
    undo = next(one for one in actions_of(shot) if one.startswith("undo:"))
    for name, action in (("Anna", undo), ("Bob", agree)):
        reply = await channel.press(name, action)
        assert reply.private
        assert re.search(rf"#{number} is (already )?undone", reply.format_text()), (
            reply.format_text()
        )
        assert "Anna asked, Bob agreed" in reply.format_text()
    assert (await channel.game()).number == before
