"""A file that somebody made to hold the bot up: it is refused, and the bot's own process hardly
looks at it.
"""

import asyncio
import logging
from time import process_time
from uuid import uuid4

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.macros.macros import LONGEST_FILE
from bot.game.roster_file import MAX_SIZE
from bot.ui.reply.packing import ZIPPED
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, CommandSpec, Person, Place
from tests.playing import Channel

OPENING = '<script type="application/json" id="export">'
PAGE = "<html>" + OPENING * 9_000
"""386 kB, each opening of which was once searched for its end up to the end of the file."""
THERE = Place("discord:8/801", "discord:8", "elsewhere")
MALLORY = Person("discord:666", "Mallory", manager=True)
MOST_SECONDS = 1.0
"""Processor time of the bot's own process, the wait for the checker and four rolls of others
included.
"""

SHAPES = {
    "a page of openings": PAGE,
    "brackets": "[" * 380_000,
    "objects": '{"a":' * 80_000,
    "twice the same key": "{" + '"a":1,' * 60_000 + '"a":1}',
    "line ends": "x" + "\n" * 380_000,
    "blanks": " " * 380_000 + "x",
    "commas": "a," * 190_000,
    "quotes": '"' * 380_000,
    "remarks": "/*" * 190_000,
    "a zip that is none": ZIPPED + "A" * 380_000,
    "a roster of brackets": "- [" + "[" * (MAX_SIZE - 10),
    "a roster of ranges": "name,type\n" + "a 1..40,squad\n" * 390,
    "macros": "a: roll {n=1}d6\n" * (LONGEST_FILE // 20),
}

FILES = [
    spec for spec in load_shared_registry() if any(option.type == "file" for option in spec.options)
]


async def send(channel: Channel, spec: CommandSpec, text: str) -> Reply:
    """Return the answer to a file of Mallory's, who is a stranger to every game and manages a
    server of their own.
    """
    return await channel.app.run(
        Command(spec.path, {"file": text}, MALLORY, THERE, uuid4().hex, spec=spec)
    )


async def test_a_page_of_openings_is_refused_and_nobody_waits_for_it() -> None:
    channel = await Channel.fresh()
    spec = next(spec for spec in FILES if spec.path == ("game", "import"))
    begin = process_time()
    importing = asyncio.create_task(send(channel, spec, PAGE))
    for _ in range(4):
        roll = await channel.say("Anna", "roll 2d6")
        assert not roll.error
    refused = await importing
    assert process_time() - begin < MOST_SECONDS
    assert refused.code == "not-a-log"
    assert "more than one game" in refused.title
    await channel.app.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("spec", FILES, ids=lambda spec: " ".join(spec.path))
async def test_every_command_that_takes_a_file_leaves_a_long_one_to_the_checker(
    spec: CommandSpec, caplog: pytest.LogCaptureFixture
) -> None:
    channel = await Channel.fresh()
    slow = []
    with caplog.at_level(logging.WARNING):
        for shape, text in SHAPES.items():
            begin = process_time()
            reply = await send(channel, spec, text)
            seconds = process_time() - begin
            if reply.code == "our-fault" or seconds > MOST_SECONDS:
                slow.append(f"{shape}: {seconds:.2f} s, {reply.format_text()[:80]}")
    assert not slow, "\n".join(slow)
    assert not caplog.records
    await channel.app.close()
