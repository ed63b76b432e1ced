"""Messages change on Discord after a restart, in linked channels,
and if one is gone or too slow to change."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.duel_helpers import (
    discord as discord,
)
from tests.adapters.discord.duel_helpers import (
    duel,
    fire,
    press,
    say,
)
from tests.adapters.discord.process import Bot, running
from tests.adapters.left_over import time_passes, until_nothing_is_left
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(2)

CHANGE = r"PATCH .*/channels/"


@pytest.fixture
async def bot(discord: DiscordStandIn, tmp_path: Path) -> AsyncIterator[Bot]:
    async with running(discord, tmp_path) as process:
        yield process


async def test_a_request_that_something_overtakes_says_so(
    discord: DiscordStandIn, bot: Bot
) -> None:
    table, anna, ben = await duel(discord)
    fired = await fire(anna, table)
    asked = await press(anna, fired, "Undo")
    await say(ben, table, "unit edit", name="Cell 1", stats="marker=+moved")
    await discord.until(lambda: asked.content.startswith("Too late: #") and not asked.buttons)
    assert fired.buttons, "the result holds"


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
