"""Hands on Discord: a private message with menus that changes where it is; what all see is in
the channel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adapters.discord.hands_helpers import (
    choices,
)
from tests.adapters.discord.process import running
from tests.adapters.discord.two_sides import gather, press, say
from tests.standins.discord import Channel, DiscordStandIn, Message, Person

pytestmark = pytest.mark.scenes(2)


async def seen(player: Person, where: Channel, words: str) -> Message:
    """A message with these words, now or soon."""
    for _ in range(1_200):
        if found := [one for one in player.sees(where) if words in f"{one.content} {one.text}"]:
            return found[-1]
        await asyncio.sleep(0.05)
    raise AssertionError(f"{words!r} was not seen")


async def test_a_hand_changes_where_it_is_and_all_see_what_was_played(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table = discord.channel("table")
        anna, ben = await gather(discord, table, "US Squad 1..2", "VC Squad 1..2")
        await say(anna, table, "deck make", cards="1..40", name="cup")
        dealt = await say(anna, table, "deck deal", count=3)
        hand = await press(anna, dealt, "Your hand")
        assert hand.ephemeral
        held = choices(hand, "Play")
        assert len(held) == 3
        shown = len([one for one in anna.sees(table) if one.ephemeral])

        await anna.select(hand, "Play", held[1])
        played = await seen(ben, table, f"Anna plays {held[1]}")
        assert not played.ephemeral
        assert "Undo" in played.buttons
        assert (
            choices(hand, "Play")
            == choices(hand, "Discard")
            == choices(hand, "Give")
            == [held[0], held[2]]
        )
        assert len([one for one in anna.sees(table) if one.ephemeral]) == shown

        await bot.kill()
        await bot.start()
        await anna.select(hand, "Give", held[0])
        assert f"Who gets {held[0]}?" in hand.content
        await anna.press(hand, "VC")
        await seen(ben, table, "gives 1 hidden card into VC's hand")
        assert choices(hand, "Play") == [held[2]]
        theirs = await say(ben, table, "hand")
        assert held[0] in choices(theirs, "Play")

        given = await seen(ben, table, "gives 1 hidden card")
        discord.clock.advance(16 * 60)  # hands on show do not follow any more
        asked = await press(anna, given, "Undo")
        await ben.press(asked, "Agree")
        await seen(ben, table, "is undone")
        await ben.select(theirs, "Play", held[0])
        assert "That card is no longer in your hand" in theirs.content, (
            "it went back to whom it came from"
        )
        assert held[0] not in choices(theirs, "Play")
        await until(lambda: "~~" in given.content, "the answer that all saw is struck through")
        await anna.press(hand, "Refresh")
        assert sorted(choices(hand, "Play")) == sorted([held[0], held[2]])


async def test_pages_refresh_and_what_is_theirs_no_more(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, _ = await gather(discord, table, "US Squad 1..2", "VC Squad 1..2")
        await say(anna, table, "deck draw", deck="standard-52", count=30, to="me")
        hand = await say(anna, table, "hand")
        first = choices(hand, "Play")
        assert len(first) == 25
        await anna.press(hand, "More")
        second = choices(hand, "Play")
        assert len(second) == 5
        await anna.select(hand, "Discard", second[0])
        assert choices(hand, "Play") == second[1:]
        await anna.press(hand, "More")
        assert choices(hand, "Play") == first

        discord.clock.advance(16 * 60)  # its token is over: it does not follow what is typed
        await say(anna, table, "deck play", cards="all")
        await anna.select(hand, "Play", first[3])
        assert "That card is no longer in your hand" in hand.content
        assert not choices(hand, "Play")
        await say(anna, table, "deck draw", deck="standard-52", to="me")
        discord.clock.advance(16 * 60)  # its token is over, and a press brings another
        await anna.press(hand, "Refresh")
        assert len(choices(hand, "Play")) == 1

        decks = await say(anna, table, "deck show", deck="standard-52")
        drawn = await press(anna, decks, "Picture")
        assert drawn.ephemeral
        assert list(drawn.files) == ["deck.png"]


async def test_direct_messages_have_hands_and_what_an_own_install_lets_in_has_none(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        anna = discord.stranger("Anna").install()
        group = discord.conversation(anna, discord.stranger("Ben"), discord.stranger("Cy"))
        refused = await say(anna, group, "deck draw", deck="standard-52", count=2, to="me")
        assert refused.ephemeral
        assert "a game needs Grognard on the server" in refused.text
        assert "Add to a server" in refused.buttons
        drawn = await say(anna, group, "deck draw", deck="standard-52", count=2)
        assert not drawn.ephemeral

        ben, table = discord.user("Ben"), discord.channel("table")
        alone = ben.dm()
        await say(ben, alone, "deck draw", deck="standard-52", count=2, to="me")
        hand = await say(ben, alone, "hand")
        held = choices(hand, "Play")
        assert len(held) == 2
        await ben.select(hand, "Play", held[0])
        assert choices(hand, "Play") == held[1:]
        await seen(ben, alone, f"Ben plays {held[0]}")
        assert (
            "empty" in (await say(ben, table, "hand")).text
            or "no game" in (await say(ben, table, "hand")).text.casefold()
        )


async def until(true: Callable[[], object], what: str) -> None:
    """Wait until this is true."""
    for _ in range(1_200):
        if true():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(what)


async def test_a_hand_on_show_follows_what_is_typed_elsewhere(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table = discord.channel("table")
        anna, ben = await gather(discord, table, "US Squad 1..2", "VC Squad 1..2")
        await say(anna, table, "deck make", cards="101..140", name="cup")
        dealt = await say(anna, table, "deck deal", count=3)
        hand, theirs = await press(anna, dealt, "Your hand"), await press(ben, dealt, "Your hand")
        held, shown = choices(hand, "Play"), len([one for one in anna.sees(table) if one.ephemeral])
        await say(anna, table, "deck play", cards=held[0])
        await until(lambda: choices(hand, "Play") == held[1:], "what was played by text is gone")
        other = choices(theirs, "Play")[0]
        await say(ben, table, "deck give", cards=other, to="US")
        await until(
            lambda: choices(hand, "Play") == [*held[1:], other], "what another gave is there"
        )
        await until(lambda: other not in choices(theirs, "Play"), "and with its giver no more")
        assert len([one for one in anna.sees(table) if one.ephemeral]) == shown, (
            "no further message"
        )

        edits = hand.edits
        await say(ben, table, "deck play", cards="all")
        await say(ben, table, "deck draw", deck="cup")
        await until(lambda: not choices(theirs, "Play"), "Ben's hand is empty")
        assert hand.edits == edits, "nobody else's message changes"
        await anna.select(hand, "Discard", held[1])
        assert choices(hand, "Play") == [held[2], other]
        assert hand.edits == edits + 1, "changed once, by the press"

        discord.clock.advance(16 * 60)
        await say(anna, table, "deck play", cards=other)
        await seen(ben, table, f"Anna plays {other}")
        assert choices(hand, "Play") == [held[2], other], "its token is over"
        await anna.press(hand, "Refresh")
        assert choices(hand, "Play") == [held[2]]
        assert bot is not None


async def test_a_question_on_show_stays_until_it_is_answered(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, ben = await gather(discord, table, "US Squad 1..2", "VC Squad 1..2")
        await say(anna, table, "deck make", cards="101..140", name="cup")
        dealt = await say(anna, table, "deck deal", count=3)
        hand = await press(anna, dealt, "Your hand")
        held = choices(hand, "Play")
        await anna.select(hand, "Give", held[0])
        await say(anna, table, "deck play", cards=held[1])
        await seen(ben, table, f"Anna plays {held[1]}")
        assert f"Who gets {held[0]}?" in hand.content
        await anna.press(hand, "Back")
        assert choices(hand, "Play") == [held[0], held[2]]
        await say(anna, table, "deck play", cards=held[2])
        await until(lambda: choices(hand, "Play") == [held[0]], "and is followed again")
