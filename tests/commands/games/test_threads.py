"""A thread plays the game of its channel, unless one was started in it or the channel keeps its
threads apart.
"""

from __future__ import annotations

from bot.storage.journal import command_from_text, command_to_text
from bot.ui.spec import Command, Person, Place
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides

TABLE = Place("discord:5/1", "discord:5", "#table of Club")
THREAD = Place("discord:5/77", "discord:5", "#left flank of Club", parent=TABLE)
POST = Place("discord:5/88", "discord:5", "#a post", parent=Place("discord:5/80", "discord:5"))


async def table() -> tuple[Channel, Channel]:
    """A channel where a game is on, and a thread of it."""
    channel = await Channel.fresh(place=TABLE)
    return channel, Channel(channel.app, THREAD, "u")


async def test_a_thread_plays_its_channels_game_and_says_nothing_about_it() -> None:
    now = 1_000_000.0
    channel = Channel(await fresh_app(lambda: now), TABLE)
    thread = Channel(channel.app, THREAD, "u")
    await two_sides(channel)
    fired = await thread.say("Anna", "lnlt fire attackers=us1 targets=vc1 hand=6,1,6", token="t")
    assert not fired.error, fired.format_text()
    assert "thread" not in fired.format_text()
    assert (await channel.game()).units["cell 1"].state == "eliminated"
    assert await channel.app.games.load_current(THREAD.key) is None
    now += 3600
    (due,) = await channel.app.answers.claim_due("discord:")
    assert due.place == THREAD.key, (
        "the answer comes where it was asked, and in the channel nothing"
    )
    assert "Squad 1" in [
        choice.value
        for choice in await thread.app.complete_option(
            ("unit", "show"), "name", "squ", {}, thread.who("Anna"), THREAD
        )
    ]


async def test_what_is_started_in_a_thread_stays_there() -> None:
    channel, thread = await table()
    await two_sides(channel)
    started = await thread.do("Carl", "game start ucn Flank")
    assert started.title == 'Carl starts "Flank"'
    assert (await thread.game()).name == "Flank"
    assert (await channel.game()).name == "Hill 875"
    await thread.do("Carl", "roll d6")
    assert (await channel.game()).number == (await channel.game()).last
    await thread.do("Carl", "game delete confirm")
    assert "Hill 875" in (await thread.do("Carl", "game status")).title, "once that is gone"


async def test_mere_rolls_in_a_thread_do_not_hide_the_channels_game() -> None:
    channel, thread = await table()
    await thread.do("Anna", "roll d6")
    assert not (await thread.game()).started
    await two_sides(channel)
    assert "Hill 875" in (await thread.do("Bob", "game status")).title


async def test_posts_of_a_forum_play_each_for_themselves() -> None:
    channel = await Channel.fresh(place=POST)
    other = Channel(
        channel.app, Place("discord:5/89", "discord:5", "#another", parent=POST.parent), "v"
    )
    await channel.do("Anna", "game start lnlt One")
    await other.do("Anna", "roll d6")
    assert not (await other.game()).started


async def test_a_setting_keeps_threads_apart() -> None:
    channel, thread = await table()
    await two_sides(channel)
    await thread.refused("Bob", "game settings threads=own", "not-master")
    assert "games of their own" in (await thread.do("Anna", "game settings threads=own")).title
    shown = (await channel.do("Bob", "game settings")).format_text()
    assert "Threads in this channel play: games of their own" in shown
    assert "free play begins" in " ".join((await thread.do("Bob", "roll d6")).footer)
    assert not (await thread.game()).started
    await channel.do("Anna", "game settings threads=channel answers=compact")
    assert "Hill 875" in (await thread.do("Bob", "game status")).title


def test_a_receipt_keeps_the_thread() -> None:
    command = Command(("roll",), {"dice": "d6"}, Person("console:anna", "Anna"), THREAD, "r1")
    assert command_from_text(command_to_text(command)) == command
