"""Messages that no longer hold are changed, also where who made that necessary has deleted their
data since.
"""

from __future__ import annotations

import pytest

from bot.storage.base import DAY
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides


async def test_what_was_undone_says_so_although_who_agreed_deletes_their_data_at_once() -> None:
    channel = await Channel.fresh()
    for name, line in (("Bob", "roll d6"), ("Anna", "roll 2d6")):
        await channel.app.answers.mark_delivered(
            await channel.say(name, line, token="t"), spot={"message": name}
        )
    asked = await channel.press("Anna", await channel.under(3, "undo"))
    (agree,) = (button.action for button in asked.buttons if button.action.startswith("consent"))
    await channel.app.answers.mark_delivered(await channel.press("Bob", agree))
    await channel.do("Bob", "privacy delete confirm")
    asking, rolled = await channel.app.answers.claim_due("console:")
    assert (asking.amends.partition("/asked")[1], asking.reply.format_text()) == (
        "/asked",
        "Answered in #4",
    )
    assert (rolled.amends.rpartition("/")[2], rolled.reply.format_text()) == ("3", "Undone in #4")


async def test_what_is_undone_names_who_did_it_where_the_answer_is_no_longer_kept() -> None:
    clock = [1_000_000.0]
    channel = Channel(await fresh_app(lambda: clock[0]))
    await two_sides(channel)
    line = "lnlt fire attackers=us1 targets=vc1 hand=6,5,5"
    await channel.app.answers.mark_delivered(
        await channel.say("Anna", line, token="t"), spot={"message": 1}
    )
    number, clock[0] = (await channel.game()).last, clock[0] + 8 * DAY
    await channel.app.store.sweep(None)
    await channel.say("Anna", "game undo")
    agreed = await channel.say("Bob", "game undo", token="t")
    assert not agreed.error
    (changed,) = [
        one
        for one in await channel.app.answers.claim_due("console:")
        if one.amends.endswith(f"/{number}")
    ]
    assert f"#{number} Anna (US): Squad 1 fires at Cell 1" in str(changed.reply.title)


@pytest.mark.parametrize("pinned", [{}, {"pinned": True}])
async def test_a_board_whose_undo_was_pressed_stays_the_board(pinned: dict[str, bool]) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill" sides="US, VC"', "game join US")
    pressed = {"message": 7}
    posted = pressed | pinned
    await channel.app.answers.mark_delivered(
        await channel.say("Anna", "game board", token="t"), spot=posted
    )
    await channel.do("Anna", "game next")
    undo = await channel.under(3, "undo")
    await channel.app.press(
        undo, channel.who("Anna"), channel.place, "p", {"token": "t", "pressed": pressed}
    )
    changed = [one for one in await channel.app.answers.claim_due("console:") if one.amends]
    found = [
        (one.amends.partition("/")[2][:5], await channel.app.store.load_posted_messages(one.amends))
        for one in changed
    ]
    assert [
        about for about, shown in found if posted in shown.spots.get(channel.place.key, ())
    ] == ["board"]


async def test_a_board_put_further_down_in_the_moment_of_a_new_turn_stays_there() -> None:
    clock = [1_000_000.0]
    channel = Channel(await fresh_app(lambda: clock[0]))
    await channel.do("Anna", 'game start lnlt "Hill" sides="US, VC"', "game join US")
    await channel.app.answers.mark_delivered(
        await channel.say("Anna", "game board", token="t"), spot={"message": 7}
    )
    await channel.do("Anna", "game next", "game next", "game next")
    await channel.say("Anna", "game board", token="t")
    clock[0] += 60
    due = await channel.app.answers.claim_due("console:")
    *_, newest = (one.about for one in due if "/board" in one.about)
    put_away = [one.amends for one in due if one.reply.title == "The board has moved further down"]
    assert len(put_away) == 2, "the first one, and that of the new turn"
    assert newest not in put_away
