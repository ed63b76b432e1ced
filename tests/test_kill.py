"""A bot that is killed at random moments under load: what was answered is there, once, and explains itself.

Now and then another process keeps the database for two or three seconds: then receipts are shown, and each of them
ends in an answer or in being told that nothing was run. `GROGNARD_KILLS=1000` makes it a long night, with figures.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.app import App
from bot.audit.games import audit
from bot.interface.reply import Reply
from bot.interface.spec import Command, Person, Place
from bot.interface.text import parse_text
from bot.settings import load_settings
from bot.stores.base import Store
from bot.stores.opening import open_store, opened_store
from bot.stores.postgres import PostgresStore
from bot.stores.sqlite import SqliteStore
from tests.fresh import fresh_app
from tests.standins.postgres import PostgresServer

KILLS = int(os.environ.get("GROGNARD_KILLS", "50"))
PATIENCE = 0.05  # seconds after which a receipt is shown
GAMES = 4
COMMANDS = (
    "/roll 2d6",
    '/lnlt fire attackers="squad fp=4" targets="squad morale=5; leader morale=6" adjacent',
    "/game undo",
    '/unit add "Squad {n}" squad US "morale=5"',
    "/roll d20 secret",
    '/lnlt fire attackers="Squad {n}" targets="squad morale=4"',
    "/game redo",
)
MINUTES = 2  # between two lives: whoever was to post an answer has had his time


@dataclass(frozen=True, slots=True)
class Data:
    """Where games are kept, and a folder for what outlives the bot; how it may be kept from writing."""

    folder: Path
    url: str
    locked: Callable[[], AbstractContextManager[None]]


@pytest.fixture(params=["sqlite", "postgres"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Data:
    """Each kind of store in turn."""
    if request.param == "sqlite":
        return Data(tmp_path, f"sqlite:///{tmp_path}/games.db", lambda: locked(tmp_path))
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.new_database()
    return Data(tmp_path, url, lambda: server.locked(url, "games"))


@pytest.mark.slow
@pytest.mark.timeout(120 + 4 * KILLS)
def test_nothing_that_was_answered_is_lost_or_told_twice(data: Data) -> None:
    chance, tmp_path = random.Random(50), data.folder
    for life in range(KILLS):
        process = bot(data, life)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.12)
        with data.locked() if life % 20 == 10 else nullcontext():
            time.sleep(chance.uniform(2, 3) if life % 20 == 10 else 0)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
    assert bot(data, KILLS, "rest").wait(60) == 0, "the last life posts what is left"

    lines = [line.split() for line in (tmp_path / "platform").read_text().splitlines()]
    posted = Counter(request for word, request in lines if word == "post")
    confirmed = [request for word, request in lines if word == "confirmed"]
    assert len(confirmed) > KILLS
    # Killed between posting and storing that, nobody can know: at most one answer of each game and life comes twice.
    assert sum(count - 1 for count in posted.values()) <= KILLS * GAMES
    ended = set(posted) | {request for word, request in lines if word == "told"}
    receipts = {request for word, request in lines if word == "receipt"}
    print(f"{KILLS} kills: {len(posted)} answered, {len(receipts)} receipts, {len(receipts - ended)} without an end")
    assert receipts
    assert receipts <= ended, "whoever saw a receipt was answered, or told that nothing was run"
    seen: set[str] = set()
    for word, request in lines:
        assert not (word == "post" and request in seen), "what was noted as posted is never posted again"
        seen |= {request} if word == "confirmed" else set()
    assert seen <= set(posted)
    asyncio.run(check(data, set(posted)))


async def check(data: Data, posted: set[str]) -> None:
    async with opened_store(load_settings({"DATABASE_URL": data.url})) as store:
        assert not await store.check()
        count, faults = await audit(store)
        assert count == GAMES
        assert faults == [], "chain whole, dice as promised, state equals replay"
        for game in await store.games():
            numbers = [event.number for event in await store.events(game)]
            assert numbers == list(range(1, len(numbers) + 1)), "no event number missing or doubled"
        for request in posted:
            reply = await store.seen(request)
            assert reply is not None, "every answered command was stored"
        committed = {id async for id in requests(store)}
        assert committed == posted, "every stored answer was posted"


async def requests(store: Store) -> AsyncIterator[str]:
    """The ids of all commands whose answers are stored."""
    query = "SELECT id FROM requests"
    if isinstance(store, SqliteStore):
        rows = await store._reader.run(lambda conn: conn.execute(query).fetchall())
    else:
        assert isinstance(store, PostgresStore)
        rows = await store._link.fetch(query)
    for (id,) in rows:
        yield id


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else can write to the database in this block."""
    database = sqlite3.connect(folder / "games.db", isolation_level=None, timeout=20)
    database.execute("BEGIN IMMEDIATE")
    yield
    database.execute("ROLLBACK")
    database.close()


def bot(data: Data, life: int, *words: str) -> subprocess.Popen[str]:
    """This file as a bot of its own, in its so many-th life."""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1]), "DATABASE_URL": data.url}
    command = [sys.executable, __file__, str(data.folder), str(life), *words]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


class Platform:
    """Where answers are posted: one line each in a file that outlives us."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "platform", os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(self, word: str, request: str) -> None:
        os.write(self._file, f"{word} {request}\n".encode())


async def play(app: App, platform: Platform, game: int, life: int) -> None:
    """Two players take turns for ever."""
    chance = random.Random(f"{game} {life}")
    where = Place(f"kill:{game}")
    for number in range(10_000):
        request = f"r-{game}-{life}-{number}"
        text = chance.choice(COMMANDS).format(n=chance.randrange(100))
        who = Person(f"kill:{'ab'[number % 2]}", "ab"[number % 2])
        typed = parse_text(text, app.registry)
        command = Command(typed.spec.path, typed.options, who, where, request, {"token": request})
        running = asyncio.create_task(app.run(command))
        done, _ = await asyncio.wait([running], timeout=PATIENCE)
        if not done and await app.promised(command, time.time() + life * MINUTES * 60 + 600) is None:
            platform.note("receipt", request)
        await tell(app, platform, command, await running)


async def tell(app: App, platform: Platform, command: Command, reply: Reply) -> None:
    """Post an answer, as an adapter does."""
    if reply.outbox or reply.seen:
        await app.kept(command.request_id)
    if reply.outbox:
        platform.note("post", command.request_id)
        await app.delivered(reply)
        platform.note("confirmed", command.request_id)
    elif not reply.seen:
        platform.note("told", command.request_id)
        await app.kept(command.request_id)


async def post_what_is_left(app: App, platform: Platform) -> None:
    for receipt in await app.unanswered("kill:"):
        await tell(app, platform, receipt.command, await app.make_good(receipt))
    while due := await app.due("kill:"):
        for answer in due:
            if answer.amends:  # an earlier message is changed: as often as it may be
                await app.delivered(answer.id)
                continue
            request = str(answer.delivery["token"])
            platform.note("post", request)
            await app.delivered(answer.id)
            platform.note("confirmed", request)


async def warm_up() -> None:
    """What a process reads before its first commands is read by now: the kills fall into the play behind it."""
    app = await fresh_app()
    for text in COMMANDS[:2]:
        await app.run_text(text, Person("warm:a", "a"), Place("warm:1"), text)
    await app.close()


async def main() -> None:
    folder, life, *rest = sys.argv[1:]

    def clock() -> float:
        return time.time() + int(life) * MINUTES * 60

    app = App(await open_store(load_settings(), clock), clock)
    platform = Platform(Path(folder))
    try:
        if rest:
            await post_what_is_left(app, platform)
            return
        await warm_up()
        print("ready", flush=True)
        async with asyncio.timeout(20):  # nobody killed us
            players = [play(app, platform, game, int(life)) for game in range(GAMES)]
            await asyncio.gather(post_what_is_left(app, platform), *players)
    finally:
        await app.close()


if __name__ == "__main__":
    asyncio.run(main())
