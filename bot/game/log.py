"""A game's log as it is read from the store: some events at a time, so that whoever plays elsewhere is served in
between, or one that was sealed and is open."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence

from bot.game.state import Game, Json
from bot.rules.proof.export_format import SEALED
from bot.stores.records import EventRow, TextRow
from bot.stores.store import Store

BATCH = 250
"""Events that are read at once: a few milliseconds."""
TEXTS = 2_000
"""Events whose texts are read at once; not every event has one."""


async def in_batches(
    store: Store, row: str, after: int = 0, before: int | None = None
) -> AsyncIterator[Sequence[EventRow]]:
    """The events of a game with after < number < before, the first one first."""
    while True:
        rows = await store.events(row, after=after, before=before, limit=BATCH)
        if rows:
            yield rows
        if len(rows) < BATCH:
            return
        after = rows[-1].number


async def texts_in_batches(store: Store, row: str, last: int) -> AsyncIterator[Sequence[TextRow]]:
    """The texts of a game up to an event, by event."""
    for after in range(0, last, TEXTS):
        if rows := await store.texts(row, after=after, before=min(after + TEXTS, last) + 1):
            yield rows


async def read_opened(store: Store, row: str, game: Game, number: int) -> Json | None:
    """The body of event `number` of a game; of a sealed roll that was opened, with what it held. None where there is no
    such event."""
    found = await store.events(row, after=number - 1, before=number + 1) if number > 0 else ()
    if not found:
        return None
    event = found[0].data
    if event["kind"] != "sealed" or number in game.sealed:
        return event
    texts = await store.texts(row, after=number - 1, before=number + 1)
    held = next((text.text for text in texts if text.key == SEALED), None)
    return event if held is None else {**event, "sealed": "", **json.loads(held)}
