"""docs/pictures/chat: the messages of the evening as they are sent (`discord.json`,
`slack.json`), and pictures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.chat.draw import NAMES, draw_messages
from tools.chat.evening import evening

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER = "pictures/chat"
PICTURES = {
    "start": (
        ("start",),
        "Anna types one line: {start}. Below are the turn, the units and buttons to join a side",
    ),
    "fire": (
        ("odds", "fire"),
        "Anna alone sees the odds: {odds}. She presses Roll it, and all read: {fire}, with each die"
        " and modifier by name",
    ),
    "undo": (
        ("answer", "undo", "refused"),
        "Ben fires back: {answer}. {undo}, with the buttons Agree and Refuse. {refused}",
    ),
    "board": (
        ("board",),
        "The board. {board}. Below are the units of both sides by their state, and buttons",
    ),
}
"""The messages of a picture, and what is to be seen; `{odds}` is the first line of a message."""
PLATFORMS = ("discord", "slack")


@lru_cache(None)
def messages() -> dict[str, str]:
    """The files with the messages of the evening as the bot sends them today, by their addresses
    in docs/.
    """
    return {
        f"{FOLDER}/{platform}.json": json.dumps(evening(platform), ensure_ascii=False, indent=1)
        + "\n"
        for platform in PLATFORMS
    }


def pictures(kept: Mapping[str, str]) -> dict[str, str]:
    """The pictures of messages that are `kept` in such files, by their addresses in docs/."""
    found = {}
    for platform in PLATFORMS:
        shown: dict[str, Any] = json.loads(kept[f"{FOLDER}/{platform}.json"])
        for name, (parts, _) in PICTURES.items():
            found[f"{FOLDER}/{platform}-{name}.svg"] = draw_messages(
                platform,
                [shown[part] for part in parts],
                describe_picture(kept, platform, name),
            )
    return found


def describe_picture(kept: Mapping[str, str], platform: str, name: str) -> str:
    """Return in words what is to be seen in a picture of messages that are `kept`.

    Both platforms have the same evening. The first lines are read from Slack's, which come as text.
    """
    shown: dict[str, Any] = json.loads(kept[f"{FOLDER}/slack.json"])
    lines = {
        part: _name_persons(message["body"]["text"].partition("\n")[0])
        for part, message in shown.items()
    }
    looks = platform.capitalize()
    return f"{PICTURES[name][1].format(**lines)} ({looks})."


def _name_persons(text: str) -> str:
    """Return a text with persons by name in place of their ids."""
    for key, person in NAMES.items():
        text = text.replace(f"<@{key}>", person)
    return text
