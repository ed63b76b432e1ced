"""Tables and rosters that are pasted or sent on Discord: the answer says what was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.pasted import ROSTERS, TABLES
from tests.standins.discord import DiscordStandIn

pytestmark = [pytest.mark.scenes(1), pytest.mark.slow]


def plain(text: str) -> str:
    """Return a text without the signs that Markdown needs."""
    return text.replace("\\", "")


async def test_tables_and_rosters_are_read_as_they_are_sent(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord:
        host = discord.user("Host", manage_guild=True)
        table = discord.channel("table")
        async with running(discord, tmp_path):
            for sent in TABLES:
                file = (sent.name, sent.text.encode())
                review = await (await host.slash(table, "pack add", file=file)).answer()
                assert review.ephemeral
                for part in sent.answers:
                    assert part in plain(review.text), review.text
            lost = TABLES[0].text.replace("\n", " ")
            answer = await (await host.slash(table, "pack add", text=lost)).answer()
            assert "its line breaks have been lost" in answer.text
            await (await host.slash(table, "game start", system="lnlt")).answer()
            for roster in ROSTERS:
                file = (roster.name, roster.text.encode())
                answer = await (await host.slash(table, "unit import", file=file)).answer()
                for part in roster.answers:
                    assert part in plain(answer.text), answer.text
