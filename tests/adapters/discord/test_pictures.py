"""Pictures on Discord: an attachment with its words, behind an answer that is there already."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import Bot, running
from tests.standins.discord import DiscordStandIn, Message

pytestmark = pytest.mark.scenes(1)

PNG = b"\x89PNG\r\n\x1a\n"
DCT = {"unit": "good-order-mmc", "morale": 5, "total": 11}


@pytest.fixture
async def discord() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin:
        yield standin


@pytest.fixture
async def bot(discord: DiscordStandIn, tmp_path: Path) -> AsyncIterator[Bot]:
    async with running(discord, tmp_path) as process:
        yield process


def assert_shows(message: Message, name: str, said: str) -> None:
    [file] = message.attachments
    assert file.name == name
    assert file.data.startswith(PNG)
    assert said in (file.description or "")


async def test_a_lookup_and_odds_are_drawn_on_demand(discord: DiscordStandIn, bot: Bot) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    answer = await (await anna.slash(table, "lnlt-table combat dct", **DCT)).answer()
    assert not answer.attachments
    drawn = await (await anna.press(answer, "Picture")).answer()
    assert_shows(drawn, "dct.png", "Marked: row band 2x Morale")
    assert not drawn.ephemeral
    odds = await (
        await anna.slash(
            table, "lnlt fire", attackers="squad fp=4", targets="squad morale=5", odds=True
        )
    ).answer()
    private = await (await anna.press(odds, "Picture")).answer()
    assert_shows(private, "odds.png", "casualties")
    assert private.ephemeral


async def test_the_picture_comes_behind_the_answer(discord: DiscordStandIn, bot: Bot) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    first = await (await anna.slash(table, "lnlt-table combat dct", **DCT, picture=True)).answer()
    second = await discord.message(table, "as a picture")
    assert "casualties" in first.text
    assert not first.attachments
    assert_shows(second, "dct.png", "Damage check table.")


async def test_where_it_may_not_attach_files_it_says_so(discord: DiscordStandIn, bot: Bot) -> None:
    table, anna = discord.channel("table"), discord.user("Anna")
    discord.permit_bot(table, attach_files=False)
    answer = await (await anna.slash(table, "lnlt-table combat dct", **DCT)).answer()
    drawn = await (await anna.press(answer, "Picture")).answer()
    assert not drawn.attachments
    assert 'lacks the permission "Attach Files"' in drawn.text
