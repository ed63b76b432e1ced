"""Helpers of tests/commands/packs/test_pack.py, which other tests use as well."""

from __future__ import annotations

import time

from bot.rulesets.packs.archive import zip_content
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.reply import Reply
from tests.packs.conftest import FEW
from tests.playing import Channel


def few(changed: dict[str, str] | None = None) -> str:
    """The smallest pack as the text of its zip, with some files changed."""
    files = {name: text.encode() for name, text in {**FEW, **(changed or {})}.items()}
    return read_file_text(zip_content(files), "few.zip")


async def add(channel: Channel, text: str, name: str = "Host", *, manager: bool = True) -> Reply:
    """What `/pack add` answers to a file."""
    spec = channel.app.find_spec(("pack", "add"))
    who = channel.who(name, manager=manager)
    return await channel.app.run_parsed(
        spec, {"file": text}, who, channel.place, f"add{time.monotonic_ns()}"
    )


async def managed(channel: Channel, line: str) -> Reply:
    """The answer to a line of a manager's, which may not fail."""
    reply = await channel.say("Host", line, manager=True)
    assert not reply.error, reply.format_text()
    return reply
