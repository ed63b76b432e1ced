"""A bot that is killed at random moments under load: what was answered is there, once, and explains
itself.

Now and then another process keeps the database for two or three seconds: then receipts are shown,
and each of them ends in an answer or in being told that nothing was run. `GROGNARD_KILLS=1000`
makes it a long night, with figures.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from bot.app import App
from bot.rulesets import catalog
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.storage.store import Store
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games
from tests.adapters import nursery
from tests.killed import CAMPAIGN, CUP, GAMES
from tests.standins.postgres import PostgresServer

KILLS = int(os.environ.get("GROGNARD_KILLS", "15"))


@dataclass(frozen=True, slots=True)
class Data:
    """Where games are kept, and a folder for what outlives the bot; how it may be kept from
    writing.
    """

    folder: Path
    url: str
    locked: Callable[[], AbstractContextManager[None]]
    in_use: Callable[[], object] = bool
    """Whether the server is at work for a bot that was killed."""


@pytest.fixture(params=["sqlite", "postgres"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Data:
    """Each kind of store in turn."""
    if request.param == "sqlite":
        return Data(tmp_path, f"sqlite:///{tmp_path}/games.db", lambda: locked(tmp_path))
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.new_database()
    others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    return Data(tmp_path, url, lambda: server.locked(url, "games"), lambda: server.sql(url, others))


@pytest.fixture
def pack_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: Path) -> Iterator[None]:
    """The two packs that are played, for us and for every bot that we begin."""
    folder = tmp_path / "packs"
    folder.mkdir()
    for name in ("three-mills", "salt-road"):
        (folder / name).symlink_to(root / "packs" / name)
    monkeypatch.setenv(catalog.PACKS, str(folder))
    catalog.load_shared_systems.cache_clear()
    yield
    catalog.load_shared_systems.cache_clear()


@pytest.mark.slow
@pytest.mark.timeout(300 + 4 * KILLS)
@pytest.mark.usefixtures("pack_folder")
async def test_nothing_that_was_answered_is_lost_or_told_twice(data: Data) -> None:
    chance, tmp_path = random.Random(50), data.folder
    life = -1
    while (life := life + 1) < KILLS or len(
        said(data, "confirmed")
    ) <= KILLS:  # a slow bot has to live more often
        process = await bot(data, life)
        await _until_ready(data, life)
        await asyncio.sleep(chance.random() * 0.2)
        with data.locked() if life % 10 == 5 else nullcontext():
            await asyncio.sleep(chance.uniform(2, 3) if life % 10 == 5 else 0)
            process.kill()
            await asyncio.wait_for(process.wait(), 60)
    async with asyncio.timeout(60):
        while data.in_use():  # noqa: ASYNC110 -- what it has locked is left out
            await asyncio.sleep(0.05)
    last = await bot(data, life, "rest")
    assert await asyncio.wait_for(last.wait(), 60) == 0, "the last life posts what is left"

    lines = [line.split() for line in (tmp_path / "platform").read_text().splitlines()]
    posted = Counter(request for word, request in lines if word == "post")
    # Killed between posting and storing that, nobody can know: at most one answer of each game and
    # life comes twice.
    assert sum(count - 1 for count in posted.values()) <= life * GAMES
    ended = set(posted) | {request for word, request in lines if word == "told"}
    receipts = {request for word, request in lines if word == "receipt"}
    print(
        f"{life} kills: {len(posted)} answered, {len(receipts)} receipts, {len(receipts - ended)} without an end"
    )
    assert receipts
    assert receipts <= ended, "whoever saw a receipt was answered, or told that nothing was run"
    seen: set[str] = set()
    for word, request in lines:
        assert not (word == "post" and request in seen), (
            "what was noted as posted is never posted again"
        )
        seen |= {request} if word == "confirmed" else set()
    assert seen <= set(posted)
    await check(data, set(posted))


async def check(data: Data, posted: set[str]) -> None:
    async with await open_store(load_settings({"DATABASE_URL": data.url})) as store:
        assert not await store.check()
        games, faults = await audit_games(store)
        assert games == GAMES
        assert faults == [], "chain whole, dice as promised, state equals replay"
        for game in await store.list_games():
            numbers = [event.number for event in await store.load_events(game)]
            assert numbers == list(range(1, len(numbers) + 1)), "no event number missing or doubled"
        for request in posted:
            reply = await store.load_earlier_reply(request)
            assert reply is not None, "every answered command was stored"
        committed = {id async for id in requests(store)}
        assert committed == posted, "every stored answer was posted"
        await open_all(App(store))
        assert (await audit_games(store))[1] == [], "every closed card is the one that its die drew"


async def open_all(app: App) -> None:
    """What was sealed is opened, hands are put back and the seed is published: what was closed
    is computed anew.
    """
    for game in range(GAMES):
        where = Place(f"kill:{game}")
        loaded = await app.games.load_current(where.key)
        assert loaded is not None
        opened = (f"game reveal {number}" for number in loaded.game.sealed)
        for who, line in (
            *product(
                "ab", (*opened, *ENDS.get(game, ("deck return all", "deck return all standard-52")))
            ),
            ("a", "game end confirm" if game in ENDS else "deck shuffle"),
            ("a", "fair reveal"),
        ):
            person = Person(f"kill:{who}", who)
            reply = await app.run_text(f"/{line}", person, where, f"end {game} {who} {line}")
        assert not reply.error, reply.format_text()


ENDS = {CUP: (), CAMPAIGN: ("choose option=stand", "choose option=stand", "hand agree")}
"""What is done at the end in games of packs, before all hands are opened."""


async def requests(store: Store) -> AsyncIterator[str]:
    """The ids of all commands whose answers are stored."""
    for (id,) in await store._ask("SELECT id FROM requests"):
        yield id


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else can write to the database in this block."""
    database = sqlite3.connect(folder / "games.db", isolation_level=None, timeout=20)
    database.execute("BEGIN IMMEDIATE")
    yield
    database.execute("ROLLBACK")
    database.close()


def said(data: Data, word: str) -> list[str]:
    """The requests of which the bots have noted this so far."""
    path = data.folder / "platform"
    lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return [request for what, request in lines if what == word]


def log_of(data: Data, life: int) -> Path:
    """What a bot has written in its so many-th life."""
    return data.folder / f"life-{life}.log"


async def bot(data: Data, life: int, *words: str) -> nursery.Process:
    """A bot of its own, in its so many-th life."""
    env, log = {**os.environ, "DATABASE_URL": data.url}, log_of(data, life)
    return await nursery.start(
        str(data.folder),
        str(life),
        *words,
        cwd=data.folder,
        env=env,
        log=log,
        module="tests.killed",
    )


async def _until_ready(data: Data, life: int) -> None:
    async with asyncio.timeout(60):
        while "ready\n" not in log_of(data, life).read_text():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
