"""Macros on Discord: saved, completed, run with their gaps typed or asked for, the server's for
managers only.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.adapters.discord.two_sides import gather, say
from tests.standins.discord import DiscordStandIn

pytestmark = pytest.mark.scenes(1)


async def test_a_macro_is_saved_completed_and_run_and_a_gap_is_asked_for_with_the_units_that_fit(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, ben = await gather(discord, table, "Squad 1..2", "Cell 1..3")
        saved = await say(anna, table, "macro add", name="h", text="roll {n=1}d10>=8 hand={dice}")
        assert saved.ephemeral
        assert "Macro h is saved" in saved.text
        [name] = await anna.autocomplete(table, "macro run", "name", "")
        assert name.value == "h"
        assert await ben.autocomplete(table, "macro run", "name", "") == []
        rolled = await say(anna, table, "macro run", name="h", values='3 "9,8,2"')
        assert not rolled.ephemeral
        assert "2 successes" in rolled.text

        await say(
            anna,
            table,
            "macro add",
            name="f",
            text="lnlt fire attackers={who} targets={whom} hand={dice=6,1,3}",
        )
        form = await anna.slash(table, "macro run", name="f")
        assert form.modal["title"] == "Macro f"
        shot = await (
            await anna.submit_modal(form, {"Who's firing": ["Squad 2"], "Targets": ["Cell 3"]})
        ).answer()
        assert not shot.ephemeral
        assert "Squad 2" in shot.text
        assert "Cell 3" in shot.text
        half = await anna.slash(table, "macro run", name="f", values="who=us1")
        shot = await (await anna.submit_modal(half, {"Targets": ["Cell 1"]})).answer()
        assert "Squad 1" in shot.text

        odds = await say(
            anna, table, "macro add", name="o", text="lnlt fire attackers={who} targets={whom} odds"
        )
        assert "Macro o is saved" in odds.text
        assert (await say(anna, table, "macro run", name="o", values="us1 vc1")).ephemeral


async def test_the_servers_macros_are_a_managers_and_do_not_ping(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, host = (
            discord.user("Anna"),
            discord.user("Host").permit(discord.guild, manage_guild=True),
        )
        nasty = 'roll 1d6 label="@everyone **now** {who=nobody}" hand=4'
        refused = await say(anna, table, "macro add", name="w", text=nasty, server=True)
        assert refused.ephemeral
        assert "Only a server manager" in refused.text
        await say(host, table, "macro add", name="w", text=nasty, server=True)
        rolled = await say(anna, table, "macro run", name="w", values=f"<@{host.id}>")
        assert not rolled.ephemeral
        assert rolled.pings == set()
        listed = await say(anna, table, "macro list")
        assert listed.ephemeral
        assert "1 of the server's" in listed.text
        assert listed.pings == set()
