"""Plays the examples of a page as a reader would: one after the other, in one channel.

The dice come from a number instead of the machine, and the clock is fixed. So a page stays the same
until the bot answers differently.
"""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import NamedTuple
from unittest.mock import patch

from rich.console import Console

from bot.app import App
from bot.cli.terminal import print_reply
from bot.commands.dispatch import load_shared_registry
from bot.storage.sqlite import TemporaryStore
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from bot.ui.typing.command_writer import CommandReader, write_commands

NOW = 1_795_896_000.0
PLAYER = Person("console:anna", "Anna", manager=True)
CHANNEL = Place("console:page", "console", "page")
WIDTH = 60
"""Columns of the console: so few that lists of units fit on a phone."""
LOG_NUMBER = re.compile(r"^  #\d+( ·|$)")
"""The small print under an answer: its number in the log, which differs for each reader."""


class Answer(NamedTuple):
    """The answer to a command as the console prints it, without its number in the log."""

    title: str
    """The first line without who did what."""
    lines: tuple[str, ...]


def play_examples(commands: Iterable[str], number: int) -> list[Answer]:
    """Return the answer to each command, with the dice that come from a number.

    Raises ValueError if a command is refused.
    """
    with ThreadPoolExecutor(1) as thread:  # a caller may have an event loop of its own
        return thread.submit(_play, list(commands), number).result()


def _play(commands: list[str], number: int) -> list[Answer]:
    with patch("os.urandom", Random(number).randbytes):
        return asyncio.run(_run_all(commands))


async def _run_all(commands: list[str]) -> list[Answer]:
    app = App(await TemporaryStore.make(_get_time), _get_time)
    try:
        return [await _run(app, command, f"{number}") for number, command in enumerate(commands, 1)]
    finally:
        for helper in (app.executor.worker, app.executor.checker, app.executor.pack_checker):
            await helper.close()
        await app.store.close()


async def _run(app: App, command: str, request: str) -> Answer:
    reply = await app.run_text(command, PLAYER, CHANNEL, request)
    if reply.error:
        raise ValueError(f"{command}: {reply.format_text()}")
    lines = _print(reply)
    title = _print(Reply(reply.title, private=reply.private))[0]
    return Answer(title, tuple(line for line in lines if not LOG_NUMBER.match(line)))


def _print(reply: Reply) -> list[str]:
    """Return a reply as the console prints it, without empty lines."""
    text = io.StringIO()
    written = write_commands(reply, CommandReader.CONSOLE, load_shared_registry())
    print_reply(Console(file=text, width=WIDTH), written)
    lines = text.getvalue().replace("\0", "").splitlines()
    return [line.rstrip() for line in lines if line.strip()]


def _get_time() -> float:
    return NOW
