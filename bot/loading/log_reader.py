"""The log of a game, read from the store in batches, so that other channels are served in between."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence

from bot.game.game_log import LoggedEvent, LoggedText
from bot.game.state import Game, Json
from bot.rules.proof.chain import SEALED
from bot.storage.store import Store

BATCH = 250
"""Events read at once: a few milliseconds."""
TEXTS = 2_000
"""Events whose texts are read at once. Not every event has one."""


async def iterate_events(
    store: Store, row: str, last: int | None = None
) -> AsyncIterator[Sequence[LoggedEvent]]:
    """Yield the events of a game in batches, oldest first, only those up to `last` if given."""
    end_number = last + 1 if last is not None else None
    last_number = 0
    while True:
        events = await store.load_events(row, after=last_number, before=end_number, limit=BATCH)
        if events:
            yield events
        if len(events) < BATCH:
            return
        last_number = events[-1].number


async def iterate_texts(store: Store, row: str, last: int) -> AsyncIterator[Sequence[LoggedText]]:
    """Yield the texts of a game up to the event `last` in batches, in order of events."""
    for start in range(0, last, TEXTS):
        end_number = min(start + TEXTS, last) + 1
        texts = await store.load_texts(row, after=start, before=end_number)
        if texts:
            yield texts


async def load_recent_events(store: Store, row: str, limit: int) -> Iterator[Json]:
    """Load the bodies of the last `limit` events of a game, newest first."""
    events = await store.load_events(row, limit=limit, newest_first=True)
    return (event.data for event in events)


async def load_event_body(store: Store, row: str, game: Game, number: int) -> Json | None:
    """Load the body of event `number` of a game, None if there is no such event.

    The body of an opened sealed roll includes its content.
    """
    if number <= 0:
        return None
    events = await store.load_events(row, after=number - 1, before=number + 1)
    if not events:
        return None
    event = events[0].data
    if event["kind"] != "sealed" or number in game.sealed:
        return event
    texts = await store.load_texts(row, after=number - 1, before=number + 1)
    content = next((text.text for text in texts if text.key == SEALED), None)
    if content is None:
        return event
    return {**event, "sealed": "", **json.loads(content)}
