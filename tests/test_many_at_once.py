"""Many at once: two bots on one database, one request delivered again and again, many players in
one game.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.app import App
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.standins.postgres import PostgresServer

HERE = Place("console:here")
COUNT = 40


async def numbers(store: Store) -> list[int]:
    (game,) = await store.list_games()
    return [event.number for event in await store.load_events(game)]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/games.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


async def opened(url: str) -> Store:
    return await open_store(load_settings({"DATABASE_URL": url}))


@pytest.mark.slow
def test_two_bots_on_one_database_lose_no_update(url: str) -> None:
    asyncio.run(begin(url))
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    bots = [
        subprocess.Popen(
            [sys.executable, __file__, url, name], env=env, stdout=subprocess.PIPE, text=True
        )
        for name in ("a", "b")
    ]
    answered = [line for bot in bots for line in bot.communicate(timeout=60)[0].splitlines()]
    assert [bot.returncode for bot in bots] == [0, 0]
    assert len(answered) == len(set(answered)) == 2 * 2 * COUNT, (
        "every answer has an event number of its own"
    )
    asyncio.run(check(url))


async def begin(url: str) -> None:
    """A game that both can play, without sides."""
    async with await opened(url) as store:
        await App(store).run_text(
            '/game start lnlt "Hill 875"', Person("console:host", "host"), HERE, "start"
        )


async def test_what_is_asked_at_one_bot_lapses_by_a_roll_at_the_other(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who knows that nobody has asked looks for no request; as soon as somebody asks, all know
    it no more.
    """
    async with await opened(url) as first, await opened(url) as second:
        one, other = Channel(App(first)), Channel(App(second), prefix="o")
        await two_sides(one)
        read = first.load_doc
        looked_for = list[str]()

        async def doc(kind: str, key: str) -> Doc | None:
            looked_for.append(kind)
            return await read(kind, key)

        monkeypatch.setattr(first, "load_doc", doc)
        for name in ("Anna", "Anna"):
            await one.do(name, "roll 2d6")
        rolled = await one.do("Bob", 'lnlt fire "Cell 1" "Squad 1" hand=1,6')
        assert "consent" not in looked_for
        number = int(rolled.footer[0].removeprefix("#"))
        asked = await other.undo_last("Bob")
        assert asked.title == f"Bob asks to undo #{number}"
        await one.do("Anna", 'lnlt fire "Squad 1" "Cell 1" hand=1,6')
        assert "consent" in looked_for
        await other.refused("Anna", "game redo", "nothing-to-redo")
        refused = await other.press("Anna", asked.buttons[0].action)
        assert refused.error
        assert (
            await first.load_doc("consent", f"{asked.buttons[0].action.split(':')[1]}:{number}")
        ) is None


async def check(url: str) -> None:
    async with await opened(url) as store:
        assert await numbers(store) == list(range(1, 2 * 2 * COUNT + 2))
        assert await audit_games(store) == (1, [])
        saved = await store.load_game(HERE.key)
        assert saved is not None
        assert {person.name for person in saved.persons} == {"a", "b", "host"}
        added = [
            event.data
            for event in await store.load_events(saved.game.id)
            if event.data["kind"] == "unit"
        ]
        assert len(added) == 2 * COUNT


async def test_one_request_delivered_twenty_times_at_once_rolls_once() -> None:
    app = await fresh_app()
    who = Person("console:anna", "Anna")
    replies = await asyncio.gather(
        *(app.run_text("/roll 6d100", who, HERE, "r1", {"token": "t"}) for _ in range(20))
    )
    assert len({reply.title for reply in replies}) == 1
    assert sum(not reply.seen for reply in replies) == 1, "all others post nothing"
    assert sum(bool(reply.outbox) for reply in replies) == 1
    assert await numbers(app.store) == [1, 2]
    assert (await app.run_text("/roll 6d100", who, HERE, "r1", {"token": "t"})).seen
    await app.close()


async def test_fifty_players_in_one_game_are_answered_in_order_of_arrival(url: str) -> None:
    async with await opened(url) as store:
        app = App(store)
        persons = [Person(f"console:{number}", f"p{number}") for number in range(50)]
        replies = await asyncio.gather(
            *(app.run_text("/roll d6", who, HERE, f"r{who.name}") for who in persons)
        )
        assert [reply.footer[0] for reply in replies] == [f"#{number}" for number in range(2, 52)]
        assert await audit_games(store) == (1, [])


async def main() -> None:
    """Be one of two bots: two players who never wait for each other."""
    url, name = sys.argv[1:]
    app = App(await open_store(load_settings({"DATABASE_URL": url})))
    who = Person(f"console:{name}", name)

    async def play(command: str, kind: str) -> None:
        for number in range(COUNT):
            reply = await app.run_text(
                command.format(name=name, number=number), who, HERE, f"{name}-{kind}-{number}"
            )
            assert not reply.error, reply.format_text()
            print(reply.footer[0])

    try:
        await asyncio.gather(
            play("/roll 3d6", "r"), play('/unit add "{name} {number}" squad US morale=5', "u")
        )
    finally:
        await app.close()


if __name__ == "__main__":
    asyncio.run(main())
