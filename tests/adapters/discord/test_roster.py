"""The roster on Discord: a private list in a box, with its buttons and cards."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.discord.duel_helpers import duel, press, say
from tests.adapters.discord.process import running
from tests.standins.discord import DiscordStandIn

COMPONENTS_V2 = 1 << 15


async def test_a_list_is_shared_and_added_to_by_its_buttons(tmp_path: Path) -> None:
    """One's own list is private, in a box; Share shows the same to all, Add… opens its form."""
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, anna, ben = await duel(discord)
        listed = await (await anna.slash(table, "unit list")).answer()
        assert listed.ephemeral
        assert listed.flags & COMPONENTS_V2
        assert "us1 Squad 1" in listed.text
        assert list(listed.buttons) == ["Share", "Add…", "Import…"]
        shown = await press(anna, listed, "Share")
        assert not shown.ephemeral
        assert "shows the roster" in shown.text
        assert "Cell 1" in shown.text
        form = await anna.press(listed, "Add…")
        assert form.modal
        await say(ben, table, "unit list")
