"""Messages that no longer hold are changed, also where who made that necessary has deleted their data since."""

from __future__ import annotations

from tests.playing import Channel


async def test_what_was_undone_says_so_although_who_agreed_deletes_their_data_at_once() -> None:
    channel = await Channel.fresh()
    for name, line in (("Bob", "roll d6"), ("Anna", "roll 2d6")):
        await channel.app.delivered(await channel.say(name, line, token="t"), spot={"message": name})
    asked = await channel.press("Anna", await channel.under(3, "undo"))
    (agree,) = (button.action for button in asked.buttons if button.action.startswith("consent"))
    await channel.app.delivered(await channel.press("Bob", agree))
    await channel.do("Bob", "privacy delete confirm")
    asking, rolled = await channel.app.due("console:")
    assert (asking.amends.partition("/asked")[1], asking.reply.text()) == ("/asked", "Answered in #4")
    assert (rolled.amends.rpartition("/")[2], rolled.reply.text()) == ("3", "Undone in #4")
