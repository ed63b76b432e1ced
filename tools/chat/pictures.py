"""docs/pictures/chat: the messages of the evening as they are sent (`discord.json`,
`slack.json`), and pictures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.chat.draw import draw_messages
from tools.chat.evening import evening

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER = "pictures/chat"
PICTURES = {
    "start": (
        ("start",),
        "One line starts a scenario: sides, units, the promise of dice, and buttons to join",
    ),
    "fire": (
        ("odds", "fire"),
        "Anna asks for the odds of a shot, which she alone sees, and presses Roll it: who is hit, every die and"
        " modifier by name, and buttons to go on",
    ),
    "undo": (
        ("answer", "undo", "refused"),
        "Ben fires back and asks to undo it; dice were rolled, so Anna is asked, and refuses",
    ),
    "board": (("board",), "The board: who is to play, and how the units of both sides are"),
}
"""The messages of a picture, and what it shows."""
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
        for name, (parts, title) in PICTURES.items():
            found[f"{FOLDER}/{platform}-{name}.svg"] = draw_messages(
                platform, [shown[part] for part in parts], title
            )
    return found
