"""Share: what one person saw alone, posted for all."""

from __future__ import annotations

from bot.ui.reply.reply import Reply
from tests.playing import Channel, two_sides

FIRE = 'lnlt fire "Squad 1; Squad 2" "Cell 1; Tran" tm=1'


def share(reply: Reply) -> str:
    """What *Share* does."""
    return next(button.action for button in reply.buttons if button.label == "Share")


async def playing() -> Channel:
    """Two sides with their units on the roster."""
    channel = await Channel.fresh()
    await two_sides(channel)
    return channel


async def test_odds_are_shared_as_they_were_seen_once_and_by_nobody_else() -> None:
    channel = await playing()
    odds = await channel.do("Anna", f"{FIRE} odds")
    assert (odds.private, odds.boxed) == (True, True)
    assert (await channel.press("Bob", share(odds))).code == "used-up"
    shown = await channel.press("Anna", share(odds))
    assert (shown.private, shown.boxed, shown.buttons, shown.menus) == (False, False, (), ())
    assert (shown.title, shown.by) == (odds.title, odds.by)
    assert shown.format_body() == [*odds.format_body(), "Shown by Anna."]
    assert (await channel.press("Anna", share(odds))).code == "used-up"
    assert [button.label for button in odds.buttons] == [
        "Roll it",
        "Change…",
        "What if",
        "Picture",
        "Share",
    ]


async def test_what_if_rounds_and_the_odds_of_a_shot_are_shared_too() -> None:
    channel = await playing()
    compared = await channel.do("Anna", f"{FIRE} compare")
    assert (await channel.press("Anna", share(compared))).format_body()[
        :-1
    ] == compared.format_body()
    rounds = await channel.do("Anna", 'lnlt melee "squad fp=2" "squad fp=2" rounds=2')
    assert (await channel.press("Anna", share(rounds))).format_body()[:-1] == rounds.format_body()
    fired = await channel.do("Anna", FIRE)
    then = await channel.press(
        "Bob", next(one.action for one in fired.buttons if one.label == "Odds")
    )
    shown = await channel.press("Bob", share(then))
    assert shown.by == f"the odds when {fired.footer[0]} was fired"
    assert shown.format_body()[-1] == "Shown by Bob."


async def test_a_page_of_the_log_is_shared() -> None:
    channel = await playing()
    log = await channel.do("Anna", "log 2")
    told = await channel.press("Anna", share(log))
    assert not told.private
    assert told.format_body()[:-1] == log.format_body()
