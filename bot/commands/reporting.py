"""The after-action page of a game: its facts are worked out beside the bot, and kept for the next page."""

from __future__ import annotations

import asyncio
import json

from bot.commands.context import Context
from bot.report.facts import asked
from bot.report.known import FACTS
from bot.report.page import page_of

SECONDS = 15.0
"""What the making of a page may take in one go, beside the facts: several times what a long game needs."""


async def page_text(context: Context, export: str) -> str:
    """The page of an exported game (as JSON). Raises UserError where the worker is too busy."""
    asks = await asyncio.to_thread(lambda: asked(json.loads(export)))
    facts = await FACTS.learn(context.apart, asks)
    text: str = await context.apart(page_of, export, facts, seconds=SECONDS)
    return text
