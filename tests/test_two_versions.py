"""Two versions at once, as in an update process by process: the older one goes on, and nothing is
lost or doubled.

An older checkout plays on one database with this one. A newer one, with a further step of the
schema, brings the database up to date in the middle of this one's traffic; once it has, none that
is older starts on it again.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.app import App
from bot.runtime.settings import load_settings
from bot.storage.base import StoreError
from bot.storage.opening import open_store
from bot.storage.postgres import schema as on_postgres
from bot.storage.postgres.link import PostgresLink
from bot.storage.sqlite import schema as on_sqlite
from bot.storage.store import Store
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games
from tests.standins.postgres import PostgresServer

pytestmark = pytest.mark.sample(1)

OLDER = {"today": "HEAD"}
"""Nothing has been released yet, and unreleased builds wrote other formats: so the older checkout is
this commit in a process of its own. The first release takes its place.
"""
EACH = 40
HERE = Place("console:here")
STEP = """
ALTER TABLE games ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE bindings ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE shown ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE docs ADD COLUMN note TEXT NOT NULL DEFAULT '';
CREATE TABLE more (id TEXT PRIMARY KEY);
"""
"""A step that only adds: what two versions may share."""
FUNCTIONS = {4: "c23e2738bf4ae7a7"}
PLAYER = """
import asyncio, sys
from bot.app import App
from bot.ui.spec import Person, Place
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store

async def main():
    app = App(await open_store(load_settings({"DATABASE_URL": sys.argv[1]})))
    who = Person("console:old", "old")
    try:
        for number in range(int(sys.argv[2])):
            request = f"old-{number}"
            reply = await app.run_text("/roll 3d6", who, Place("console:here"), request, {"token": request})
            assert not reply.error, reply.text()
            await getattr(app, "answers", app).mark_delivered(reply)
            print(reply.footer[0], flush=True)
    finally:
        await app.close()

asyncio.run(main())
"""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/games.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture(scope="module", params=[*OLDER.values()], ids=[*OLDER])
def older(
    request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """An older checkout. Skips the test where there is no history, as in a release."""
    folder = tmp_path_factory.mktemp("older")
    packed = subprocess.run(
        ["git", "archive", request.param, "bot", "tables"],
        cwd=root,
        check=False,
        capture_output=True,
    )
    if packed.returncode:
        pytest.skip("needs the history of the project: git clone without --depth")
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder


async def play(app: App, count: int, name: str = "new") -> list[str]:
    """Roll one after another and post each answer; their numbers."""
    numbers = []
    for number in range(count):
        request = f"{name}-{number}"
        reply = await app.run_text(
            "/roll 3d6", Person(f"console:{name}", name), HERE, request, {"token": request}
        )
        assert not reply.error, reply.format_text()
        await app.answers.mark_delivered(reply)
        numbers.append(reply.footer[0])
    return numbers


async def check(store: Store, answered: list[str], count: int) -> None:
    """Every answer has an event of its own, the log is whole, and nothing is on its way any
    more.
    """
    assert len(answered) == len(set(answered)) == count
    assert await audit_games(store) == (1, [])
    (game,) = await store.list_games()
    assert [event.number for event in await store.load_events(game)] == list(range(1, count + 2))
    assert await store.count_waiting_answers("console:", 0.0) == (0, 0)
    assert not await store.check()


@pytest.mark.slow_sample(1)
@pytest.mark.slow
async def test_an_older_checkout_plays_on_while_this_one_joins_it(older: Path, url: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(older), "PYTHONDONTWRITEBYTECODE": "1"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PLAYER, url, str(3 * EACH), cwd=older, env=env, stdout=-1, stderr=-1
    )
    assert process.stdout is not None
    begun = await process.stdout.readline()
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        own = await play(App(store), EACH)
        told, trouble = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == 0, trouble.decode()
        theirs = (begun + told).decode().split("\n")[:-1]
        await check(store, [*own, *theirs], 4 * EACH)


async def to_the_next_version(url: str) -> int:
    """Bring the database up to date as a newer release would; its schema version."""
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        with closing(sqlite3.connect(path, isolation_level=None, timeout=20)) as conn:
            on_sqlite.migrate(conn, path, (*on_sqlite.MIGRATIONS, STEP))
        return on_sqlite.get_newest_version() + 1
    link = await PostgresLink.open(url)
    await link.run(
        lambda connection: on_postgres.migrate(connection, (*on_postgres.MIGRATIONS, STEP))
    )
    await link.close()
    return on_postgres.get_newest_version() + 1


async def test_a_newer_version_that_only_adds_leaves_the_older_one_at_work(url: str) -> None:
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        app = App(store)
        await play(app, 5, "before")
        during = [asyncio.create_task(play(app, EACH, name)) for name in ("a", "b")]
        await asyncio.sleep(0.05)
        version = await to_the_next_version(url)
        answered = [number for numbers in await asyncio.gather(*during) for number in numbers]
        after = await play(app, 5, "after")
        await check(
            store, [*answered, *after, *(f"#{number}" for number in range(2, 7))], 2 * EACH + 10
        )
    with pytest.raises(StoreError, match=f"newer Grognard.*schema {version}"):
        async with await open_store(load_settings({"DATABASE_URL": url})):
            pass


def test_the_functions_in_the_server_change_only_with_a_step() -> None:
    """They are carried out anew behind a step alone: a change without one would reach no
    database that is there.
    """
    text = (Path(on_postgres.__file__).parent / "runner.sql").read_bytes()
    digest = hashlib.sha256(text).hexdigest()[:16]
    assert FUNCTIONS[on_postgres.get_newest_version()] == digest, (
        "add a step (an empty one will do), and its digest here"
    )
