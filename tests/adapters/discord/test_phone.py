"""Played with a thumb: sequences called alone, menus for large rosters, buttons pressed twice or by the wrong one."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

from tests.adapters.discord.process import running
from tests.standins.discord import Channel, DiscordStandIn, Message
from tests.standins.discord import Person as Player


async def say(player: Player, where: Channel, path: str, **options: object) -> Message:
    """The answer to a slash command."""
    return await (await player.slash(where, path, **options)).answer()


async def press(player: Player, message: Message, button: str) -> Message:
    """The answer to a button."""
    return await (await player.press(message, button)).answer()


def menu(message: Message, what: str, part: int = 0) -> str:
    """The custom_id of a menu in a form."""
    return next(name for name in message.selects if name.endswith(f":menu:{what}:{part}"))


async def gather(discord: DiscordStandIn, table: Channel) -> tuple[Player, Player]:
    """A game of two with thirty enemy units."""
    anna, ben = discord.user("Anna"), discord.user("Ben")
    await say(anna, table, "game start", system="lnlt", name="Hill", sides="US, VC")
    await say(anna, table, "game join", side="US")
    await say(ben, table, "game join", side="VC")
    await say(anna, table, "unit add", name="Squad 1..3", type="squad", side="US", stats="morale=5 fp=2")
    await say(ben, table, "unit add", name="Cell 1..30", type="squad", side="VC", stats="morale=5 fp=1")
    return anna, ben


async def test_a_sequence_called_alone_opens_its_form_and_with_anything_rolls(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna = discord.channel("table"), discord.user("Anna")
        for name in ("overrun", "mines", "crash", "stack-check"):
            form = await say(anna, table, f"lnlt {name}")
            assert form.ephemeral
            assert "Nothing more is needed." in form.content
            rolled = await press(anna, form, "Roll it")
            assert not rolled.ephemeral, name
        assert not (await say(anna, table, "lnlt overrun", he=2)).ephemeral


async def test_a_form_outlives_the_process_and_serves_its_owner_once(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table = discord.channel("table")
        anna, _ = await gather(discord, table)
        form = await say(anna, table, "lnlt fire")
        await anna.select(form, menu(form, "attackers"), ["Squad 2"])
        await bot.kill()
        await bot.start()
        await anna.select(form, menu(form, "targets", part=1), ["Cell 27"])  # the second menu, beyond 25
        await anna.select(form, menu(form, "targets"), ["Cell 3"])
        assert 'attackers="Squad 2" targets="Cell 27; Cell 3"' in form.content
        both = await asyncio.gather(*(press(anna, form, "Roll it") for _ in range(2)))
        rolled, again = sorted(both, key=lambda message: message.ephemeral)
        assert not rolled.ephemeral
        assert again.content.replace("*", "") == f"Already done: {rolled.content}".replace("*", "")
        assert "already used" in (await press(anna, form, "Odds")).content

        old = await say(anna, table, "lnlt fire")
        with sqlite3.connect(tmp_path / "grognard.db") as db:
            db.execute("UPDATE docs SET expires = 1 WHERE kind = 'draft'")
        await anna.select(old, menu(old, "attackers"), ["Squad 1"])
        assert "already used, or has expired" in anna.sees(table)[-1].content


async def test_a_stranger_and_a_late_press_change_nothing(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, carl = discord.channel("table"), discord.user("Carl")
        anna, ben = await gather(discord, table)
        shown = "Squad 1 (us1, squad)"  # edited or pasted, the app sends what the choice showed
        fired = await say(anna, table, "lnlt fire", attackers=shown, targets="Cell 1")
        assert not fired.ephemeral
        refused = await press(carl, fired, "Again")
        assert refused.ephemeral
        assert "Join one: `/game join US`" in refused.text
        asked = await press(anna, fired, "Undo")
        assert (await press(carl, asked, "Agree")).ephemeral
        assert (await press(anna, asked, "Agree")).ephemeral
        assert not (await press(ben, asked, "Refuse")).ephemeral
        assert (await press(ben, asked, "Agree")).ephemeral
        assert "Squad 1" in (await say(anna, table, "log", count=3)).text
