"""Every pack that wants to do harm, sent with `/pack add`: refused in words, while others are
answered.
"""

from __future__ import annotations

import asyncio

import pytest

from bot.rulesets.packs.archive import zip_content
from bot.ui.reply.packing import read_file_text
from tests.commands.pack_helpers import add
from tests.packs.conftest import FEW
from tests.packs.hostile_helpers import FILES
from tests.playing import Channel


@pytest.mark.slow
async def test_hostile_packs_are_refused_in_words_while_others_are_answered() -> None:
    channel = await Channel.fresh()
    rolled, done = 0, False

    async def others() -> None:
        nonlocal rolled
        while not done:
            await channel.do("Ben", "roll 2d6")
            rolled += 1
            await asyncio.sleep(0.05)

    beside = asyncio.create_task(others())
    for name, (changed, said) in FILES.items():
        files = {**FEW, **changed}
        content = {
            file: text if isinstance(text, bytes) else text.encode()
            for file, text in files.items()
            if text is not None
        }
        reply = await add(channel, read_file_text(zip_content(content), "few.zip"))
        assert reply.code == "bad-pack", f"{name}: {reply.format_text()}"
        assert said in reply.format_text(), f"{name}: {reply.format_text()}"
    done = True
    await beside
    assert "No packs here yet" in (await channel.do("Anna", "pack list")).format_text()
    assert rolled > 5
