"""The channel stays true on Discord: what was undone, brought back, opened or settled says so
where it was said.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import Bot, running
from tests.adapters.discord.true_helpers import (
    discord as discord,
)
from tests.adapters.discord.true_helpers import (
    duel,
    fire,
    press,
    say,
)
from tests.adapters.left_over import time_passes, until_nothing_is_left
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(2)

CHANGE = r"PATCH .*/channels/"


@pytest.fixture
async def bot(discord: DiscordStandIn, tmp_path: Path) -> AsyncIterator[Bot]:
    async with running(discord, tmp_path) as process:
        yield process


async def test_what_was_undone_is_struck_through_and_comes_back_with_its_buttons(
    discord: DiscordStandIn, bot: Bot
) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    rolled = await say(anna, table, "roll", dice="2d6", label="ambush")
    first, labels = rolled.content, rolled.buttons
    undone = await press(anna, rolled, "Undo")
    assert "#2 is undone" in undone.content
    await discord.until(lambda: "Undone in #3: ~~" in rolled.content)
    assert "dice stay in the log" in rolled.text
    assert not rolled.buttons
    back = await press(anna, undone, "Redo")
    assert "#2 is back" in back.content
    await discord.until(lambda: rolled.content.startswith(first))
    assert "brought back in #4" in rolled.text
    assert rolled.buttons == labels
    await discord.until(
        lambda: undone.content.startswith("Redone in #4: ~~") and not undone.buttons
    )


async def test_a_request_calls_the_other_side_once_and_becomes_its_answer(
    discord: DiscordStandIn, bot: Bot
) -> None:
    table, anna, ben = await duel(discord)
    fired = await fire(anna, table)
    asked = await press(anna, fired, "Undo")
    assert asked.pings == {str(ben.id)}
    await ben.press(asked, "Agree")
    await discord.until(lambda: "is undone" in asked.content)
    assert "Anna asked, Ben agreed" in asked.content
    assert list(asked.buttons) == ["Redo"]
    await discord.until(lambda: "Undone in #" in fired.content and not fired.buttons)

    again = await press(anna, asked, "Redo")
    assert "asks to redo" in again.content
    await ben.press(again, "Refuse")
    await discord.until(lambda: "Ben refuses to redo" in again.content)
    assert not again.buttons
    assert "Undone in #" in fired.content


async def test_a_request_that_something_overtakes_says_so(
    discord: DiscordStandIn, bot: Bot
) -> None:
    table, anna, ben = await duel(discord)
    fired = await fire(anna, table)
    asked = await press(anna, fired, "Undo")
    await say(ben, table, "unit edit", name="Cell 1", stats="marker=+moved")
    await discord.until(lambda: asked.content.startswith("Too late: #") and not asked.buttons)
    assert fired.buttons, "the result holds"


async def test_only_the_card_of_the_phase_that_is_on_has_its_buttons(
    discord: DiscordStandIn, bot: Bot
) -> None:
    table, anna, ben = await duel(discord)
    start = await discord.message(table, "Anna starts")
    rally = await say(anna, table, "game initiative", side="US")
    await discord.until(lambda: list(start.buttons) == ["Join US", "Join VC", "Proof"])
    first = await press(anna, rally, "Next phase")
    assert list(first.buttons) == ["Fire", "Melee", "Done", "Pass", "Next phase"]
    await discord.until(lambda: not rally.buttons)
    passed = await press(anna, first, "Pass")
    await discord.until(lambda: not first.buttons)
    assert first.content.startswith("**Turn 1, Operations: US goes first**"), "what it said holds"
    await say(anna, table, "game undo")
    await discord.until(lambda: "Undone in #" in passed.content and not passed.buttons)
    await discord.until(
        lambda: list(first.buttons) == ["Fire", "Melee", "Done", "Pass", "Next phase"]
    )
    again = await press(anna, first, "Pass")
    assert "VC to play" in again.content


async def test_a_new_game_that_was_asked_for_is_answered_once(
    discord: DiscordStandIn, bot: Bot
) -> None:
    table, anna, ben = await duel(discord)
    asked = await say(ben, table, "game start", system="baps", name="Farm")
    assert list(asked.buttons) == ["Start it", "Keep playing"]
    await press(anna, asked, "Keep playing")
    await discord.until(
        lambda: not asked.buttons and "Anna keeps the current game: ~~" in asked.content
    )


async def test_an_opened_roll_takes_the_place_of_its_seal(
    discord: DiscordStandIn, bot: Bot
) -> None:
    """Its buttons stand once: in place of the seal, or under the answer to a typed command."""
    table, anna, ben = discord.channel("table"), discord.user("Anna"), discord.user("Ben")
    await say(anna, table, "roll", dice="2d6", label="ambush", secret=True, hand="3,4")
    pressed = await discord.message(table, "Anna makes a sealed roll")
    assert (await press(ben, pressed, "Open it")).ephemeral
    await anna.press(pressed, "Open it")
    await discord.until(
        lambda: "7 for ambush" in pressed.text and list(pressed.buttons) == ["Again", "Undo"]
    )

    await say(anna, table, "roll", dice="2d6", label="mines", secret=True, hand="5,6")
    typed = await discord.message(table, "Anna makes a sealed roll")
    opened = await say(anna, table, "game reveal", event=4)
    assert "11 for mines" in opened.text
    assert list(opened.buttons) == ["Again", "Undo"]
    await discord.until(
        lambda: "11 for mines" in typed.text and "#4, opened by" in typed.text and not typed.buttons
    )
    undone = await press(anna, opened, "Undo")
    await discord.until(
        lambda: all("Undone in #6: ~~11 for mines" in one.content for one in (typed, opened))
    )
    await press(anna, undone, "Redo")
    await discord.until(
        lambda: all(
            "11 for mines" in one.text and "~~" not in one.content for one in (typed, opened)
        )
    )
    assert not typed.buttons

    own = await say(anna, table, "roll", dice="2d6", label="smoke", secret=True, hand="1,1")
    seal = await discord.message(table, "Anna makes a sealed roll")
    await anna.press(own, "Open it")
    await discord.until(lambda: "2 for smoke" in seal.text)


async def test_changes_are_made_after_a_restart_in_linked_channels_too(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    table, other = discord.channel("table"), discord.channel("other")
    greta = discord.user("Greta", manage_guild=True)
    async with running(discord, tmp_path) as bot:
        await say(greta, table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
        code = (await say(greta, table, "game link")).content.split()[-1].strip("*")
        await say(greta, other, "game link", code=code)
        rolled = await say(greta, table, "roll", dice="2d6", label="mortar")
        mirror = await discord.message(other, "mortar")
        await discord.until(lambda: bool(mirror.buttons))
        fault = discord.fail(CHANGE, 503, times=None)
        await press(greta, rolled, "Undo")
        await discord.until(lambda: fault.hits > 0)
        assert "Undone" not in rolled.content + mirror.content
        await bot.kill()
        discord.no_faults()
        time_passes(tmp_path)
        await bot.start()
        await discord.until(
            lambda: "Undone in #" in rolled.content and "Undone in #" in mirror.content
        )
        assert not rolled.buttons
        assert not mirror.buttons


async def test_a_message_that_is_gone_or_too_slow_to_change_stops_nothing(
    discord: DiscordStandIn, bot: Bot, tmp_path: Path
) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    lost = await say(anna, table, "roll", dice="2d6")
    discord.site.posting.delete(lost)
    await say(anna, table, "game undo")
    kept = await say(anna, table, "roll", dice="2d6")
    discord.rate_limit(CHANGE, 0.5)
    await say(anna, table, "game undo")
    await discord.until(lambda: "Undone in #" in kept.content)
    await until_nothing_is_left(tmp_path, 60)


@pytest.mark.slow
async def test_an_opponent_cannot_bury_a_shot_and_a_friend_who_joins_agrees_to_nothing(
    discord: DiscordStandIn, bot: Bot
) -> None:
    """Six ways to block a request, and somebody who joins the other side: Ben's button alone
    takes the shot back.
    """
    table, anna, ben = await duel(discord)
    cora = discord.user("Cora")
    fired = await fire(anna, table)
    asked = await press(anna, fired, "Undo")
    await say(ben, table, "roll", dice="1d6")
    await say(ben, table, "game plan", turn=9, text="x")
    await say(ben, table, "roll", dice="1d6", secret=True)
    await say(ben, table, "order write", text="hold")
    await say(ben, table, "lnlt-table combat hero-creation")
    await say(cora, table, "game join", side="VC")
    assert "Only another side can agree" in (await press(cora, asked, "Agree")).text
    await say(ben, table, "game leave")
    await say(ben, table, "game join", side="VC")
    await press(ben, asked, "Agree")
    await discord.until(
        lambda: "Undone in #" in fired.content and "Anna asked, Ben agreed" in asked.content
    )
