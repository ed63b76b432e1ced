"""A bot that does not look by itself whether its database is there until a file beside that lets
it: whoever asks before it ends is answered, on a slow machine too."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot import __main__
from bot.storage.sqlite import SqliteStore

LET = "may-look"


def process() -> None:
    """As `python -m bot`, in the folder of its data."""
    gone = SqliteStore.watch_for_removal

    async def later(store: SqliteStore) -> str:
        while not Path(LET).exists():  # noqa: ASYNC110, ASYNC240 -- nobody tells us
            await asyncio.sleep(0.05)
        return await gone(store)

    SqliteStore.watch_for_removal = later  # type: ignore[method-assign, assignment]
    __main__.process()
