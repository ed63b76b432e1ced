"""`/me luck`: which rolls count as somebody's own, in which games, and who sees it."""

from __future__ import annotations

import re

from bot.game.luck import ENOUGH
from bot.ui.spec import Place
from tests.commands.pack_helpers import managed
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides

TOO_FEW = "Too few rolls to judge luck"


async def count_rolls(channel: Channel, name: str) -> str:
    """The line of the answer that counts rolls and games."""
    answer = await channel.do(name, "me luck")
    assert answer.private
    found = re.search(r"\d+ rolls? in \d+ games?", answer.format_text())
    return found[0] if found else answer.title


async def test_only_own_rolls_for_ones_own_side_count() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt morale-check units=us2")
    await channel.do("Anna", "lnlt morale-check units=us2 hand=3,4")
    # the game master rolls for the other side
    await channel.do("Anna", "lnlt fire attackers=vc2 targets=us3")
    assert await count_rolls(channel, "Anna") == "1 roll in 1 game"
    assert await count_rolls(channel, "Bob") == "No rolls to judge your luck by yet"
    await channel.do("Bob", "lnlt morale-check units=vc1")
    assert await count_rolls(channel, "Bob") == "1 roll in 1 game"
    asked = await channel.undo_last("Bob")
    await channel.press("Anna", asked.buttons[0].action)
    assert await count_rolls(channel, "Bob") == "No rolls to judge your luck by yet"


async def test_games_of_this_server_count_also_when_they_are_over_or_replaced() -> None:
    app = await fresh_app()
    here = Channel(app, Place("discord:1/10", "discord:1", "one"), "a")
    beside = Channel(app, Place("discord:1/11", "discord:1", "two"), "b")
    elsewhere = Channel(app, Place("discord:2/20", "discord:2", "three"), "c")
    alone = Channel(app, Place("discord:dm/9", owner="console:anna"), "d")
    for channel in (here, beside, elsewhere):
        await two_sides(channel)
        await channel.do("Anna", "lnlt morale-check units=us2")
    await here.do("Anna", "game end confirm", "game start baps Again")
    assert await count_rolls(here, "Anna") == "2 rolls in 2 games"
    assert await count_rolls(elsewhere, "Anna") == "1 roll in 1 game"
    assert await count_rolls(alone, "Anna") == "3 rolls in 3 games"


async def test_a_verdict_takes_enough_rolls_and_is_told_to_others_only_by_share() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    for _ in range(ENOUGH - 1):
        await channel.say("Anna", "unit edit us2 state=good-order")
        await channel.do("Anna", "lnlt morale-check units=us2")
    assert (await channel.do("Anna", "me luck")).title.startswith(TOO_FEW)
    await channel.say("Anna", "unit edit us2 state=good-order")
    await channel.do("Anna", "lnlt morale-check units=us2")
    answer = await channel.do("Anna", "me luck")
    assert "average" in answer.format_text()
    assert TOO_FEW not in answer.title
    (share,) = answer.buttons
    shown = await channel.press("Anna", share.action)
    assert not shown.private
    assert shown.title == answer.title
    assert "Shown by Anna." in shown.format_text()


async def test_a_game_from_a_pack_is_counted_by_that_pack_wherever_one_asks() -> None:
    app = await fresh_app()
    club = Channel(app, Place("discord:1/10", "discord:1", "club"), "a")
    alone = Channel(app, Place("discord:dm/9", owner="console:anna"), "b")
    host = club.who("Host", manager=True)
    await app.press("freepack:hedgerow", host, club.place, "add")
    await managed(club, "pack enable hedgerow")
    await club.do("Anna", "game start hedgerow scenario=lane", "game join Blue")
    await club.do("Anna", "hedgerow attack blue1 red1")
    for channel in (club, alone):
        assert await count_rolls(channel, "Anna") == "1 roll in 1 game"
        assert "Hedgerow, all" in (await channel.do("Anna", "me luck")).format_text()
