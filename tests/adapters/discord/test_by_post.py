"""By post on Discord: a reminder behind a restart with its buttons, in the channel and by direct message."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.adapters.discord.process import Bot, running
from tests.adapters.discord.two_sides import gather, press, say
from tests.standins.discord import Channel, DiscordStandIn, Message


async def hours_later(discord: DiscordStandIn, bot: Bot) -> None:
    """What is laid down is due, and the bot comes back."""
    await bot.kill()
    with sqlite3.connect(bot.data / "grognard.db") as db:
        db.execute("UPDATE due SET at = at - 86400")
    await bot.start()


def struck(discord: DiscordStandIn, channel: Channel, message: Message) -> bool:
    return any(one.id == message.id and "~~" in one.content for one in discord.messages(channel))


@pytest.mark.slow
async def test_a_reminder_with_its_buttons(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table = discord.channel("table")
        anna, ben = await gather(discord, table, "Squad 1..3", "Cell 1..30")
        await say(ben, table, "me ping", interval="4h", quiet="off", zone="Europe/Berlin")
        await say(anna, table, "game initiative", side="US")
        await say(anna, table, "game next")
        await say(anna, table, "game pass")
        await hours_later(discord, bot)
        reminder = await discord.message(table, "waits for you")
        assert reminder.content.partition(", ")[2].startswith("**Hill 875 waits for you** · your go came <t:")
        assert reminder.content.endswith(":R>")
        assert reminder.content.startswith(ben.mention), "who is called comes first"
        assert reminder.pings == {str(ben.id)}
        assert list(reminder.buttons) == ["In 4 hours", "Tomorrow", "Stop"]
        assert (await press(anna, reminder, "Stop")).ephemeral
        snoozed = await press(ben, reminder, "In 4 hours")
        assert snoozed.id == reminder.id
        assert "The next reminder comes <t:" in snoozed.text
        await say(ben, table, "game pass")
        await discord.until(lambda: struck(discord, table, reminder))

        await (await ben.slash(table, "me ping", where="dm")).answer()
        await say(anna, table, "game pass", done=True)
        await hours_later(discord, bot)
        alone = await discord.message(ben.dm(), "waits for you")
        assert alone.pings == set()
        assert alone.buttons["Open the game"]["url"].endswith(f"/{table.id}")
        stopped = await press(ben, alone, "Stop")
        assert "No more reminders of this go." in stopped.text
        mine = await say(ben, table, "me games")
        assert "It is your go in 1 of 1 game" in mine.text
        assert mine.buttons["Open"]["url"].endswith(f"/{table.id}")


@pytest.mark.slow
async def test_who_takes_no_direct_messages_is_reminded_in_the_channel(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table = discord.channel("table")
        anna, ben = await gather(discord, table, "Squad 1..3", "Cell 1..30")
        await (await ben.slash(table, "me ping", {"where": "dm"}, interval="4h", quiet="off")).answer()
        ben.user.refuses_dms = True
        await say(anna, table, "game initiative", side="US")
        await say(anna, table, "game next")
        await say(anna, table, "game pass")
        await hours_later(discord, bot)
        reminder = await discord.message(table, "waits for you")
        assert reminder.pings == {str(ben.id)}
        assert list(reminder.buttons) == ["In 4 hours", "Tomorrow", "Stop"]
        stopped = await press(ben, reminder, "Stop")
        assert "No more reminders of this go." in stopped.text


async def test_orders_are_written_in_a_form_and_opened_for_all(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, ben = await gather(discord, table, "Squad 1..3", "Cell 1..30")
        asked = await anna.slash(table, "order write", text="Squads 3 + 4 advance to H5", command="/roll 2d6")
        own = await asked.answer()
        assert own.ephemeral
        card = await discord.message(table, "Orders for turn 1: US is in, VC is not")
        assert "H5" not in card.text
        assert card.pings == {str(ben.id)}
        until = await say(anna, table, "order deadline", within="2d")
        await discord.until(lambda: ":f>" in card.text)
        assert "H5" in (await press(anna, card, "Mine")).text
        form = await ben.press(card, "Write orders")
        assert (await (await ben.submit_modal(form, {"Text": "Squad 6 falls back"})).answer()).ephemeral
        opened = await discord.message(table, "Orders for turn 1 are open")
        assert "**US:** Squads 3 + 4 advance to H5" in opened.text
        assert opened.pings == {str(anna.id)}
        await discord.until(lambda: all("opened in #" in one.text and not one.buttons for one in (card, until)))
        rolled = await press(anna, opened, "Anna: /roll")
        assert not rolled.ephemeral
        back = await say(ben, table, "log", since="me")
        assert back.ephemeral
        assert back.content.startswith("**Since you left: you lost nothing")
        assert rolled.content.replace("**", "").split(" · ")[0] in back.text, "the first line as it was answered"
