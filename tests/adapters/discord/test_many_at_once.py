"""Many men at once on Discord: the range is completed, the command is short, the form and the
buttons go on from it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.adapters.discord.two_sides import press, say
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(1)


async def test_twelve_random_orders_by_one_short_command(tmp_path: Path) -> None:
    """What is typed: `/baps ra`, then `GI 1` in the option, where the range is offered."""
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna = discord.channel("table"), discord.user("Anna")
        await say(anna, table, "game start", system="baps", name="Village", sides="US, VC")
        await say(anna, table, "game join", side="US")
        await say(anna, table, "unit add", name="GI 1..12", type="soldier", side="US")
        offered = await anna.autocomplete(table, "baps random-order", "unit", "GI 1")
        assert [choice.value for choice in offered][4] == "GI 1..12"
        assert [choice.name for choice in offered][4] == "GI 1..12 (12 units)"
        assert len("/baps ra" + "GI 1") <= 40
        done = await say(
            anna, table, "baps random-order", unit="GI 1..12", hand="2,2,3,4,5,6,7,8,9,10,11,12"
        )
        assert not done.ephemeral
        assert "Anna rolls random orders" in done.text
        dice = await press(anna, done, "Dice")
        assert dice.ephemeral
        assert "12 dice" in dice.text
        form = await anna.press(done, "Change…")
        changed = await (await anna.submit_modal(form, {})).answer()
        assert "random orders" in changed.text
        undone = await press(anna, changed, "Undo")
        assert "undo" in undone.text.casefold()


async def test_a_range_of_units_is_edited_at_once(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna = discord.channel("table"), discord.user("Anna")
        await say(anna, table, "game start", system="lnlt", name="Hill", sides="US, VC")
        await say(
            anna,
            table,
            "unit add",
            name="Squad 1..3",
            type="squad",
            side="US",
            stats="morale=5 fp=2",
        )
        edited = await say(anna, table, "unit edit", name="us1..us3", stats="shaken")
        assert "3 units" in edited.text
