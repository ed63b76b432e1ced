"""`/game board` on Discord: one silent message that follows the game, posted afresh with each turn."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.discord.process import running
from tests.adapters.discord.test_true import duel, fire, press, say
from tests.standins.discord import DiscordStandIn

QUIET = 1 << 12


async def test_the_board_follows_the_game_also_behind_a_restart(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table, anna, ben = await duel(discord)
        board = await say(anna, table, "game board")
        assert board.flags & QUIET
        assert "Turn 1, Rally" in board.content
        assert "**US:** Anna\nReady: Squad 1" in board.text
        fired = await fire(anna, table)
        await discord.until(lambda: "Cell 1 is eliminated" in board.text and "Fired: Squad 1" in board.text)
        await bot.kill()
        await bot.start()
        asked = await press(anna, fired, "Undo")
        await ben.press(asked, "Agree")
        await discord.until(lambda: "Ready: Cell 1" in board.text and "Last:" not in board.text, 20)


async def test_with_a_new_turn_it_is_posted_afresh_and_the_old_one_says_so(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna, _ = await duel(discord)
        board = await say(anna, table, "game board")
        for _ in range(2):
            await say(anna, table, "game next")
        assert board.buttons, "the same turn"
        await say(anna, table, "game next")
        await discord.until(lambda: "further down" in board.content and not board.buttons)
        await discord.until(lambda: any("**VC:** Ben" in message.text for message in discord.messages(table)))
        newest = next(message for message in discord.messages(table) if "**VC:** Ben" in message.text)
        assert newest.content.startswith("**Turn 2, Rally")
        assert newest.flags & QUIET
        assert not newest.pings
        card = await anna.slash(table, "game board", off=True)
        assert (await card.answer()).ephemeral
        await discord.until(lambda: "put away" in newest.content and not newest.buttons)


async def test_the_end_of_the_game_ends_the_board(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna, _ = await duel(discord)
        board = await say(anna, table, "game board")
        await say(anna, table, "game end", winner="US", confirm=True)
        await discord.until(lambda: "Hill 875 is over" in board.content and not board.buttons)
