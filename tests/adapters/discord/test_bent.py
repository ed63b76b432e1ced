"""Presses on buttons that we never made: answered kindly or passed over, and the bot plays on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.forms import read_id
from tests.adapters.discord.process import running
from tests.standins.discord import DiscordStandIn
from tests.standins.discord.state import Kind

ODD = [
    "f:",
    "f:zz",
    "f:zz:page:x",
    "f:zz:page:1",
    "f:zz:menu:a",
    "f:zz:fill:99999",
    "g:",
    "g:undo:x",
    "g:undo:",
    "zz",
    "",
]


@pytest.mark.parametrize(
    ("custom_id", "read"),
    [
        ("f:k:odds", ("k", "odds")),
        ("f:k:page:1", ("k", "page")),
        ("f:k:fill:2", ("k", "fill")),
        ("f:k:menu:targets:0", ("k", "menu")),
        ("f:", ("", "")),
        ("f:zz", ("", "")),
        ("f:k:page:x", ("", "")),
        ("f:k:page:-1", ("", "")),
        ("f:k:menu:targets", ("", "")),
        ("f:k:dance", ("", "")),
    ],
)
def test_what_a_forms_id_says(custom_id: str, read: tuple[str, str]) -> None:
    assert read_id(custom_id)[:2] == read


async def test_odd_presses_are_answered_kindly(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        anna, table = discord.user("Anna"), discord.channel("table")
        rolled = await (await anna.slash(table, "roll", dice="2d6")).answer()
        bent: list[dict[str, Any]] = [{"custom_id": odd, "component_type": 2, "id": 1} for odd in ODD]
        bent += [{"custom_id": "f:zz", "component_type": kind, "id": 1, "values": ["x"]} for kind in (3, 99)]
        for data in bent:
            pressed = anna._dispatch(Kind.COMPONENT, table, data, source=rolled)
            answer = await pressed.answer()
            assert answer.ephemeral, data
            assert "Something went wrong" not in answer.text, data
        for data in ({"component_type": 2}, {}):
            anna._dispatch(Kind.COMPONENT, table, data, source=rolled)
        await asyncio.sleep(0.2)
        assert "2d6" in (await (await anna.slash(table, "roll", dice="2d6")).answer()).text
        assert "Traceback" not in bot.log
