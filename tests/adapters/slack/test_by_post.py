"""By post on Slack: a reminder behind a restart with its buttons, in the channel and by direct message."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import Bot, running
from tests.adapters.slack.test_evening import say
from tests.standins.slack import SlackStandIn


async def hours_later(bot: Bot) -> None:
    """What is laid down is due, and the bot comes back."""
    await bot.kill()
    with sqlite3.connect(bot.data / "grognard.db") as db:
        db.execute("UPDATE due SET at = at - 86400")
    await bot.start()


@pytest.mark.slow
async def test_a_reminder_with_its_buttons(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home) as bot:
        await say(anna, games, "/game", 'start lnlt Hill sides="US, VC"')
        await say(anna, games, "/game", "join US")
        await say(ben, games, "/game", "join VC")
        await say(ben, games, "/grognard", "me ping 4h quiet=off zone=Europe/Berlin")
        await say(anna, games, "/game", "initiative US")
        await say(anna, games, "/game", "next")
        await say(anna, games, "/game", "pass")
        await hours_later(bot)
        reminder = await ben.wait_for(games, "waits for you")
        assert reminder.text.partition(", ")[2].startswith("Hill waits for you · your go came ")
        assert f"<@{ben.id}>" in reminder.text
        assert "^{ago}|" in reminder.everything
        assert (await (await anna.press(reminder, "Stop")).answer()).ephemeral_for == anna.id
        snoozed = await (await ben.press(reminder, "In 4 hours")).answer()
        assert "The next reminder comes" in snoozed.plain

        await say(ben, games, "/game", "pass")
        await say(ben, games, "/grognard", "me ping where=dm")
        await say(anna, games, "/game", "pass done")
        await hours_later(bot)
        alone = await ben.wait_for(ben.im, "waits for you")
        stopped = await (await ben.press(alone, "Stop")).answer()
        assert "No more reminders of this go." in stopped.plain


@pytest.mark.slow
async def test_who_takes_no_direct_messages_is_reminded_in_the_channel(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home) as bot:
        await say(anna, games, "/game", 'start lnlt Hill sides="US, VC"')
        await say(anna, games, "/game", "join US")
        await say(ben, games, "/game", "join VC")
        await say(ben, games, "/grognard", "me ping 4h quiet=off where=dm")
        await say(anna, games, "/game", "initiative US")
        await say(anna, games, "/game", "next")
        await say(anna, games, "/game", "pass")
        socket_slack.faults.error("conversations.open", "cannot_dm_bot")
        await hours_later(bot)
        reminder = await ben.wait_for(games, "waits for you")
        assert f"<@{ben.id}>" in reminder.text
        assert reminder.buttons() == ["In 4 hours", "Tomorrow", "Stop"]


async def test_orders_are_written_in_a_form_and_opened_for_all(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await say(anna, games, "/game", 'start lnlt Hill sides="US, VC"')
        await say(anna, games, "/game", "join US")
        await say(ben, games, "/game", "join VC")
        await anna.slash(games, "/order", 'write "Squads 3 + 4 advance to H5"')
        card = await ben.wait_for(games, "US is in, VC is not")
        assert "H5" not in card.everything
        assert f"<@{ben.id}>" in card.text
        await say(anna, games, "/order", "deadline 2d")
        form = await (await ben.press(card, "Write orders")).modal()
        await ben.submit(form, {"text": {"value": "Squad 6 falls back"}})
        opened = await anna.wait_for(games, "Orders for turn 1 are open")
        assert "*US:* Squads 3 + 4 advance to H5" in opened.everything
        assert f"<@{anna.id}>" in opened.text
        await say(anna, games, "/roll", "2d6 hand=3,4")
        back = await say(ben, games, "/log", "since=me")
        assert back.ephemeral_for == ben.id
        assert back.text.startswith("Since you left: you lost nothing")
        assert "7" in back.everything
