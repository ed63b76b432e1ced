"""Helpers of the tests of seeks and results: what is said in the thread of a card, and how a
form is kept to be drawn.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.adapters.evening import OnDiscord, OnSlack, Table

CARD = "is looking for an opponent: The Ford at Dawn"


def draw_form(e: Table, form: Any) -> None:
    """Write a form as it can be drawn, if that is asked for."""
    folder = os.environ.get("GROGNARD_DRAWN")
    if folder:
        body = form[1].body if e.platform == "slack" else form.modal
        Path(folder, f"{e.platform}-form.json").write_text(json.dumps(body), "utf-8")


async def find_in_thread(e: Table, card: Any, words: str) -> Any:
    """What the bot has written in the thread of a card, with these words in it."""
    if isinstance(e, OnSlack):
        return await e.people["Carl"].wait_for(e.games, words, thread=card.ts)
    assert isinstance(e, OnDiscord)
    e.table = e.discord.world.channels[card.id]
    return await e.message(words)


async def say_in_thread(e: Table, who: str, line: str, card: Any) -> Any:
    """The answer to what somebody types in the thread of a card. Slack has no commands there."""
    if not isinstance(e, OnSlack):
        return await e.typed(who, line)
    asked = await e.people[who].mention(e.games, line, thread=card.ts)
    answer = await asked.answer()
    assert answer.thread_ts == card.ts
    return answer
