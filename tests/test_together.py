"""Many at once: two bots on one file, one request delivered again and again, many players in one game."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from bot.app import App
from bot.audit.games import audit
from bot.interface.spec import Person, Place
from bot.stores.base import Store
from bot.stores.sqlite import SqliteStore, open_sqlite
from tests.fresh import fresh_app

HERE = Place("console:here")
COUNT = 40


async def numbers(store: Store) -> list[int]:
    (game,) = await store.games()
    return [event.number for event in await store.events(game)]


def test_two_bots_on_one_file_lose_no_update(tmp_path: Path) -> None:
    asyncio.run(begin(tmp_path / "games.db"))
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    bots = [
        subprocess.Popen(
            [sys.executable, __file__, str(tmp_path / "games.db"), name], env=env, stdout=subprocess.PIPE, text=True
        )
        for name in ("a", "b")
    ]
    answered = [line for bot in bots for line in bot.communicate(timeout=60)[0].splitlines()]
    assert [bot.returncode for bot in bots] == [0, 0]
    assert len(answered) == len(set(answered)) == 2 * 2 * COUNT, "every answer has an event number of its own"
    asyncio.run(check(tmp_path / "games.db"))


async def begin(path: Path) -> None:
    """A game that both can play, without sides."""
    app = App(await SqliteStore.open(path))
    try:
        await app.run_text('/game start lnlt "Hill 875"', Person("console:host", "host"), HERE, "start")
    finally:
        await app.close()


async def check(path: Path) -> None:
    async with open_sqlite(path) as store:
        assert await numbers(store) == list(range(1, 2 * 2 * COUNT + 2))
        assert await audit(store) == (1, [])
        saved = await store.load_game(HERE.key)
        assert saved is not None
        assert {person.name for person in saved.persons} == {"a", "b", "host"}
        added = [event.data for event in await store.events(saved.game.id) if event.data["kind"] == "unit"]
        assert len(added) == 2 * COUNT


async def test_one_request_delivered_twenty_times_at_once_rolls_once() -> None:
    app = await fresh_app()
    who = Person("console:anna", "Anna")
    replies = await asyncio.gather(*(app.run_text("/roll 6d100", who, HERE, "r1", {"token": "t"}) for _ in range(20)))
    assert len({reply.title for reply in replies}) == 1
    assert sum(not reply.seen for reply in replies) == 1, "all others post nothing"
    assert sum(bool(reply.outbox) for reply in replies) == 1
    assert await numbers(app.store) == [1, 2]
    assert (await app.run_text("/roll 6d100", who, HERE, "r1", {"token": "t"})).seen
    await app.close()


async def test_fifty_players_in_one_game_are_answered_in_order_of_arrival(tmp_path: Path) -> None:
    app = App(await SqliteStore.open(tmp_path / "games.db"))
    try:
        persons = [Person(f"console:{number}", f"p{number}") for number in range(50)]
        replies = await asyncio.gather(*(app.run_text("/roll d6", who, HERE, f"r{who.name}") for who in persons))
        assert [reply.footer[0] for reply in replies] == [f"#{number}" for number in range(2, 52)]
        assert await audit(app.store) == (1, [])
    finally:
        await app.close()


async def main() -> None:
    """Be one of two bots: two players who never wait for each other."""
    path, name = sys.argv[1:]
    app = App(await SqliteStore.open(Path(path)))
    who = Person(f"console:{name}", name)

    async def play(command: str, kind: str) -> None:
        for number in range(COUNT):
            reply = await app.run_text(command.format(name=name, number=number), who, HERE, f"{name}-{kind}-{number}")
            assert not reply.error, reply.text()
            print(reply.footer[0])

    try:
        await asyncio.gather(play("/roll 3d6", "r"), play('/unit add "{name} {number}" squad US morale=5', "u"))
    finally:
        await app.close()


if __name__ == "__main__":
    asyncio.run(main())
