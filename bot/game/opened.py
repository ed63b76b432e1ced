"""What a sealed roll held, once it is open: as good as an event that was never sealed."""

from __future__ import annotations

import json

from bot.game.state import Game, Json
from bot.rules.proof.export_format import SEALED
from bot.stores.store import Store


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
