"""A log of any length, read some events at a time: whoever plays elsewhere is served in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

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
