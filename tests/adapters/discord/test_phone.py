"""Played with a thumb: sequences called alone, menus for large rosters, buttons pressed twice or
by the wrong one.
"""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.adapters.discord.two_sides import gather, press, say
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(2)


async def test_a_sequence_called_alone_opens_its_form_and_with_anything_rolls(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna = discord.channel("table"), discord.user("Anna")
        for name in ("overrun", "mines", "crash", "initiative"):
            form = await anna.slash(table, f"lnlt {name}")
            values = {"Who had it last turn": "A"} if name == "initiative" else {}
            rolled = await (await anna.submit_modal(form, values)).answer()
            assert not rolled.ephemeral, (name, rolled.text)
        assert not (await say(anna, table, "lnlt overrun", he=2)).ephemeral


async def test_a_form_outlives_the_process_and_serves_its_owner_once(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table = discord.channel("table")
        anna, _ = await gather(discord, table, "Squad 1..3", "Cell 1..30")
        form = await anna.slash(table, "lnlt fire")
        await bot.kill()
        await bot.start()
        values = {"Who's firing": ["Squad 2"], "Targets": ["Cell 3"], "Other units": "vc27"}
        both = await asyncio.gather(*(anna.submit_modal(form, values) for _ in range(2)))
        rolled, again = sorted(
            [await one.answer() for one in both], key=lambda message: message.ephemeral
        )
        assert not rolled.ephemeral
        done = f"Already done: {rolled.content}".replace("*", "")
        assert again.content.replace("*", "") in (
            done,
            "Error: This form was already used, or has expired.",
        )

        old = await anna.slash(table, "lnlt fire")
        with sqlite3.connect(tmp_path / "grognard.db") as db:
            db.execute("UPDATE docs SET expires = 1 WHERE kind = 'draft'")
        assert (
            "has expired"
            in (
                await (await anna.submit_modal(old, {"Who's firing": ["Squad 1"]})).answer()
            ).content
        )


async def test_a_wrong_name_is_mended_with_one_tap_or_in_the_form(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, _ = await gather(discord, table, "Squad 1..3", "Cell 1..30")
        refused = await say(
            anna,
            table,
            "lnlt fire",
            attackers="Squad 1; Squad 2",
            targets="Cell 55",
            tm=1,
            hand="6,1,3",
        )
        assert refused.ephemeral
        assert "There is no Cell 55. Did you mean Cell 5?" in " ".join(refused.text.split())
        assert list(refused.buttons) == ["Fire at Cell 5", "Fix it"]
        form = await anna.press(refused, "Fix it")
        targets = form.modal["components"][1]
        assert targets["description"].startswith("⚠ There is no Cell 55. Did you mean Cell 5?")
        assert not any(option.get("default") for option in targets["component"]["options"])
        ticks = form.modal["components"][3]["component"]["options"]
        assert [tick["value"] for tick in ticks if tick.get("default")] == [
            "tm=1",
            "?how=hand",
        ], "what was typed is kept"
        fired = await press(anna, refused, "Fire at Cell 5")
        assert not fired.ephemeral
        assert "Cell 5" in fired.content
        late = await (await anna.submit_modal(form, {"Targets": ["Cell 5"]})).answer()
        assert late.ephemeral, "the same draft fires once, from whichever of its copies"


async def test_a_roster_is_pasted_into_a_form(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna = discord.channel("table"), discord.user("Anna")
        await say(anna, table, "game start", system="lnlt", name="Hill", sides="US, VC")
        form = await anna.slash(table, "unit import")
        text = "name,type,side,morale\nSquad 1,squad,US,5\nSquad 2,half-sqad,US,5"
        refused = await (await anna.submit_modal(form, {"Text": text})).answer()
        assert "did you mean half-squad" in refused.text.casefold()
        form = await anna.press(refused, "Fix it")
        assert form.modal["components"][0]["component"]["value"] == text
        added = await (
            await anna.submit_modal(form, {"Text": text.replace("sqad", "squad")})
        ).answer()
        assert not added.content.startswith("Error"), added.text


async def test_a_stranger_and_a_late_press_change_nothing(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, carl = discord.channel("table"), discord.user("Carl")
        anna, ben = await gather(discord, table, "Squad 1..3", "Cell 1..30")
        shown = "Squad 1 (us1, squad)"  # edited or pasted, the app sends what the choice showed
        fired = await say(anna, table, "lnlt fire", attackers=shown, targets="Cell 1")
        assert not fired.ephemeral
        refused = await press(carl, fired, "Again")
        assert refused.ephemeral
        assert "Join one: `/game join side:US`" in refused.text
        asked = await press(anna, fired, "Undo")
        assert (await press(carl, asked, "Agree")).ephemeral
        assert (await press(anna, asked, "Agree")).ephemeral
        await ben.press(asked, "Refuse")
        await discord.until(lambda: "Ben refuses" in asked.content and not asked.buttons)
        assert "Squad 1" in (await say(anna, table, "log", count=3)).text


async def test_an_onlooker_is_asked_to_join_before_the_form_opens(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, carl = discord.channel("table"), discord.user("Carl")
        bare = await (await carl.slash(table, "lnlt fire")).answer()
        assert bare.ephemeral
        assert list(bare.buttons) == ["Start The Ford at Dawn", "Type the units"]
        assert "Start a game" in (await carl.press(bare, "Start The Ford at Dawn")).modal["title"]
        assert "Direct fire" in (await carl.press(bare, "Type the units")).modal["title"]
        await gather(discord, table, "Squad 1..3", "Cell 1..3")
        asked = await (await carl.slash(table, "lnlt fire")).answer()
        assert asked.ephemeral
        assert list(asked.buttons) == ["Join US", "Join VC", "Look at the odds"]
        odds = await carl.press(asked, "Look at the odds")
        assert "Direct fire" in odds.modal["title"]
        joined = await press(carl, asked, "Join VC")
        assert not joined.ephemeral
        assert (await carl.slash(table, "lnlt fire")).modal["components"]
