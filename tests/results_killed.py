"""A bot that confirms results and starts return games one after the other, until somebody kills it:
for tests/commands/result/test_result_kills.py.
"""

from __future__ import annotations

import asyncio
import sys

from bot.app import App
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.ui.spec import Person, Place

SERVER = "discord:5"
BEN = Person("discord:2", "Ben")
ACTIONS: tuple[str, ...] = ("confirm", "returngame")


async def press_all(url: str, games: list[str]) -> None:
    """Press *Confirm* and *Play the return game* of each game, with the same requests each time
    that this runs.
    """
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        app = App(store)
        for number, game in enumerate(games):
            room = Place(f"{SERVER}/{number}", SERVER)
            for action in ACTIONS:
                reply = await app.press(f"{action}:{game}", BEN, room, f"{action}-{game}", {})
                assert not reply.error, reply.format_text()
                print(action, game, flush=True)


if __name__ == "__main__":
    asyncio.run(press_all(sys.argv[1], sys.argv[2:]))
