"""The after-action page of a game: its facts are worked out beside the bot, and kept for the next page."""

from __future__ import annotations

import asyncio
import json

from bot.commands.context import Context
from bot.game.state import Game
from bot.report.facts import FACTS, asked
from bot.report.page import page_of
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase

MOST_EVENTS = 25_000
"""A game with more is no page that a browser would open."""
LONG = 1_000_000
"""Characters of an export from which it is read beside the bot, too: here it would hold everybody up."""
SECONDS = 15.0
"""What the making of a page may take in one go, beside the facts: several times what a long game needs."""


def check_length(game: Game) -> None:
    """Raise UserError for a game that is too long for a page, or a picture of its course."""
    if game.number > MOST_EVENTS:
        raise UserError(
            f"This game is too long for that: it has {game.number:,} events, and {MOST_EVENTS:,} is the most.",
            hint=phrase("`/game export json` has all of it."),
            code="too-many",
        )


def asked_of(export: str) -> dict[int, str]:
    """What has to be worked out for the page of an exported game (as JSON), by event."""
    return asked(json.loads(export))


async def page_text(context: Context, export: str) -> str:
    """The page of an exported game (as JSON). Raises UserError where the worker is too busy."""
    facts = await facts_for(context, export)
    text: str = await context.apart(page_of, export, facts, seconds=SECONDS)
    return text


async def facts_for(context: Context, export: str, number: int = 0) -> dict[int, str]:
    """The facts of an exported game (as JSON), by event; with a number those of one event."""
    if len(export) > LONG:
        asks: dict[int, str] = await context.apart(asked_of, export, seconds=SECONDS)
    else:
        asks = await asyncio.to_thread(asked_of, export)
    return await FACTS.learn(context.apart, {at: ask for at, ask in asks.items() if number in (0, at)})
