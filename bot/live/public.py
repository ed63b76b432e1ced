"""What may be shown of a game to anybody: its export, without accounts, unpublished seeds, and what is sealed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.audit.export import export_game
from bot.report.page import without_accounts
from bot.stores.records import EventRow, Json
from bot.stores.store import Store

MOST_EVENTS = 20_000
"""A game with more is no longer followed: its page would be too large for a phone."""


async def public_export(store: Store, row: str, events: Sequence[EventRow]) -> Json:
    """The export of the game whose whole log is `events`, which are not empty."""
    seeds, texts, persons = await store.seeds(row), await store.texts(row), await store.persons(row)

    def made() -> Json:
        about: Json = {"name": "", "system": ""}
        for event in events:
            fields = (event.data.get("after") or {}).get("game") or {}
            about |= {key: fields[key] for key in about if key in fields}
        game = str(events[0].data["game"])
        return without_accounts(export_game(game, events, seeds, texts, persons, **about))

    return await asyncio.to_thread(made)
