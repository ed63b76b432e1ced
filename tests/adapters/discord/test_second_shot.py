"""The second shot on Discord: what its menus and its keypad have there alone, and the menu of a
message.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.adapters.discord.two_sides import gather, say
from tests.standins.discord import Channel, DiscordStandIn, Person
from tests.standins.taps import DiscordThumb

pytestmark = pytest.mark.scenes(1)

MENU = "Same shot, other target"


async def six_of_the_vc(discord: DiscordStandIn, table: Channel) -> tuple[Person, Person]:
    """Anna with four US squads, Ben with six of the VC that no shot eliminates."""
    return await gather(discord, table, "US Squad 1..4", "VC Squad 1..6", morale=12)


async def test_ones_own_dice_have_their_keys_in_rows_and_large_ones_a_menu(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, _ = await six_of_the_vc(discord, table)
        thumb = DiscordThumb(anna)
        keypad = await say(anna, table, "lnlt fire", attackers="us3", targets="vc5", hand="6")
        assert [len(row["components"]) for row in keypad.components] == [3, 3, 1]

        twenty = await say(anna, table, "roll", dice="2d20", hand="7,?")
        rolled = await (await thumb.select(twenty, "What the d20 shows", "20")).answer()
        assert "27" in rolled.content
        assert thumb.spent() == (2, 0)


async def test_the_menu_of_a_message_does_what_its_buttons_do(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, _ = await six_of_the_vc(discord, table)
        fired = await say(anna, table, "lnlt fire", attackers="us3", targets="vc5", hand="1,6")
        typing = await anna.select(fired, MENU, "Type another…")
        assert typing.modal["title"].startswith("Change the shot of #")
        odds = await (await anna.menu(fired, "Odds of this")).answer()
        assert odds.ephemeral
        assert "was fired" in odds.text
        assert "\u25c0" in odds.text
        asked = await (await anna.menu(fired, "Undo this")).answer()
        assert "is undone" in asked.text or "asks to undo" in asked.text
        nothing = await (await anna.menu(odds, "Undo this")).answer()
        assert nothing.ephemeral
        assert "has no roll to undo" in nothing.text
