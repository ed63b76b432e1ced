"""`/game board` on Discord: posted anew with each turn, pinned, and no longer than a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.discord.duel_helpers import duel, say
from tests.adapters.discord.process import running
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(2)

QUIET, COMPONENTS_V2 = 1 << 12, 1 << 15


async def test_with_a_new_turn_it_is_posted_afresh_and_the_old_one_goes(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna, _ = await duel(discord)
        board = await say(anna, table, "game board")
        for _ in range(2):
            await say(anna, table, "game next")
        assert board.buttons, "the same turn"
        await say(anna, table, "game next")
        await discord.until(lambda: board.deleted)
        await discord.until(
            lambda: any(
                "Turn 2, Rally" in one.text and "**VC:** Ben" in one.text
                for one in discord.messages(table)
            )
        )
        newest = next(
            one for one in discord.messages(table) if "**VC:** Ben" in one.text and not one.deleted
        )
        assert "### **Turn 2, Rally" in newest.text
        assert newest.flags & QUIET
        assert not newest.pings
        card = await anna.slash(table, "game board", off=True)
        assert (await card.answer()).ephemeral
        await discord.until(lambda: "taken down" in newest.text and not newest.buttons)


async def test_it_is_pinned_where_the_bot_may_and_unpinned_once_it_has_gone(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna, _ = await duel(discord)
        asked = await anna.slash(table, "game board")
        board = await asked.answer()
        refused = await discord.message(table, "could not be pinned")
        assert refused.ephemeral
        assert "Pin Messages" in refused.text
        board = await say(anna, table, "game board")
        remarks = [one for one in anna.sees(table) if "could not be pinned" in one.text]
        assert len(remarks) == 1, "once in a channel"
        assert not board.pinned
        assert not any("/pins/" in call.path for call in discord.site.calls), (
            "the interaction said that it may not"
        )
        discord.permit_bot(table, pin_messages=True)
        again = await say(anna, table, "game board")
        await discord.until(lambda: again.pinned and board.deleted)
        assert not any(
            "/pins/" in call.path and call.method == "DELETE" for call in discord.site.calls
        )
        for _ in range(3):
            await say(anna, table, "game next")
        await discord.until(lambda: again.deleted)
        await discord.until(
            lambda: (
                sum(message.pinned and not message.deleted for message in discord.messages(table))
                == 1
            )
        )
        await say(anna, table, "game end", winner="US", confirm=True)
        await discord.until(
            lambda: not any(one.pinned and not one.deleted for one in discord.messages(table))
        )


async def test_a_board_of_many_units_keeps_within_what_a_message_holds(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna, _ = await duel(discord)
        for number in range(4):
            name = f"{chr(65 + number) * 25} 1..40"
            await say(anna, table, "unit add", name=name, type="squad", side="US", stats="morale=5")
        board = await say(anna, table, "game board")
        assert "and 61 more" in board.text
        assert len(board.text) < 4_000
