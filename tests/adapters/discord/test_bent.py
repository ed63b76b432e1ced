"""Presses on buttons that we never made: answered kindly or passed over, and the bot plays on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

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
    "a:form:draft:zz",
    "a:form:event:0123456789abcdef:99",
    "a:form:event:x",
    "a:form:",
    "a:die:zz:1,2",
    "a:count:zz",
    "g:",
    "g:undo:x",
    "g:undo:",
    "zz",
    "",
]


async def test_odd_presses_are_answered_kindly(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        anna, table = discord.user("Anna"), discord.channel("table")
        rolled = await (await anna.slash(table, "roll", dice="2d6")).answer()
        bent: list[dict[str, Any]] = [
            {"custom_id": odd, "component_type": 2, "id": 1} for odd in ODD
        ]
        bent += [
            {"custom_id": "f:zz", "component_type": kind, "id": 1, "values": ["x"]}
            for kind in (3, 99)
        ]
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
