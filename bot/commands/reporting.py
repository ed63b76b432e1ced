"""The after-action page of a game: its facts are worked out beside the bot, and kept for the next page."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256

from bot.commands.context import Context
from bot.report.facts import asked, many_facts
from bot.report.page import page_of
from bot.rules.errors import UserError

AT_ONCE = 40
KEPT = 8_000
"""So many events' facts are kept, about a kilobyte each."""
SECONDS = 15.0
"""What the making of a page may take in one go, beside the facts: several times what a long game needs."""
_known: OrderedDict[bytes, str] = OrderedDict()
"""Facts as JSON, by what was asked: the same for every game of this process."""


async def page_text(context: Context, export: str) -> str:
    """The page of an exported game (as JSON). Raises UserError where the worker is too busy."""
    facts = await _facts(context, await asyncio.to_thread(lambda: asked(json.loads(export))))
    text: str = await context.apart(page_of, export, facts, seconds=SECONDS)
    return text


async def _facts(context: Context, asks: dict[int, str]) -> dict[int, str]:
    """The facts of each event, by its number; those that are not known yet come from the worker, some at a time."""
    keys = {number: sha256(ask.encode()).digest() for number, ask in asks.items()}
    missing = {key: asks[number] for number, key in keys.items() if key not in _known}
    found = {key: _known[key] for key in keys.values() if key in _known}
    waiting = list(missing.items())
    for start in range(0, len(waiting), AT_ONCE):
        some = waiting[start : start + AT_ONCE]
        told = await _told(context, [ask for _, ask in some])
        found.update(zip([key for key, _ in some], told, strict=True))
    for key, facts in found.items():
        _known[key] = facts
        _known.move_to_end(key)
    while len(_known) > KEPT:
        _known.popitem(last=False)
    return {number: found[key] for number, key in keys.items()}


async def _told(context: Context, asks: Sequence[str]) -> list[str]:
    try:
        told: list[str] = await context.apart(many_facts, list(asks))
    except UserError:  # one of them takes too long: find out which
        return [await _alone(context, ask) for ask in asks]
    return told


async def _alone(context: Context, ask: str) -> str:
    """The facts of one event; none where they take too long."""
    try:
        told: list[str] = await context.apart(many_facts, [ask])
    except UserError:
        return "{}"
    return told[0]
