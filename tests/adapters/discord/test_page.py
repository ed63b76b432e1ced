"""docs/discord.md: what it tells people to type is taken, and the buttons of its first game are
those that the bot sends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.ui.typing.command_text import parse_text

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = "".join((DOCS / name).read_text("utf-8") for name in ("discord.md", "discord-servers.md"))
COMMANDS = re.findall(r"`(/[^`]+)`", PAGES)


def labels_of(part: Any) -> Iterator[str]:
    """Yield the labels of all buttons and menus in a part of a message."""
    if isinstance(part, dict):
        for key in ("label", "placeholder"):
            if isinstance(part.get(key), str):
                yield part[key]
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from labels_of(inner)


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_are_taken(command: str) -> None:
    if " " in command or command[1:] in load_shared_registry().top_names:
        assert parse_text(command.removeprefix("/"), load_shared_registry())


def test_the_buttons_of_the_first_game_are_there() -> None:
    """The messages beside the pictures are those that the bot sends today."""
    section = PAGES.partition("## Your first game")[2].partition("\n## ")[0]
    named = re.findall(r"(?<!\*)\*([A-Z][\w ,]+)\*(?!\*)", section)
    assert len(named) == 7
    sent = json.loads((DOCS / "pictures/chat/discord.json").read_text("utf-8"))
    labels = {*labels_of(sent["start"]["body"]), *labels_of(sent["fire"]["body"])}
    assert [name for name in named if name not in labels] == []
