"""What somebody typed before, so that a form can offer it again."""

from __future__ import annotations

from collections.abc import Mapping

from bot.game.loaded import Loaded
from bot.interface.spec import Path
from bot.stores.base import Store

READ_BACK = 200
"""How many events are looked through."""


async def removed_unit(store: Store, loaded: Loaded, called: str) -> str:
    """The name of the unit that was called so, by its name or handle, and was taken off the roster; "" for none."""
    for row in await store.events(loaded.row, limit=READ_BACK, newest_first=True):
        after = row.data.get("after", {}).get("units", {})
        for key, unit in row.data.get("before", {}).get("units", {}).items():
            if unit and after.get(key, unit) is None and called.casefold() in (key, unit["handle"]):
                return str(unit["name"])
    return ""


async def last_inputs(store: Store, loaded: Loaded | None, user: str, path: Path) -> Mapping[str, object]:
    """What this user gave to this command last, as the log of the game has it; {} where they did not."""
    from bot.answers.lent import as_typed

    person = loaded.person_of(user) if loaded is not None else None
    if loaded is None or person is None:
        return {}
    for row in await store.events(loaded.row, limit=READ_BACK, newest_first=True):
        event = row.data
        if event.get("who") == person.person and event.get("command") == " ".join(path):
            return as_typed(event)
    return {}
