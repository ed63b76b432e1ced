"""A bot that plays seeks one after the other, until somebody kills it: for
tests/commands/test_seek_kills.py.
"""

from __future__ import annotations

import asyncio
import sys

from bot.app import App
from bot.commands.seek.open_seeks import SEEK
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.ui.spec import Person, Place

SERVER = "discord:5"
BEN = Person("discord:2", "Ben")


async def play(url: str, ids: list[str]) -> None:
    """Press *Play* of each of these seeks, with the same request each time that this runs."""
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        app = App(store)
        for number, id in enumerate(ids):
            room = Place(f"{SERVER}/{number}", SERVER)
            reply = await app.press(f"seekplay:{id}", BEN, room, f"play-{id}", {})
            assert not reply.error, reply.format_text()
            print(id, flush=True)
        assert not await store.load_docs(SEEK)


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], sys.argv[2:]))
