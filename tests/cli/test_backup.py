"""`grognard backup` and `grognard restore` on both stores: a copy while the bot runs, and back to
it only while it does not; when that was last is known to health, figures and doctor."""

# ruff: noqa: ASYNC240
from __future__ import annotations

import asyncio
import re
import sqlite3
import time
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.app import App
from bot.cli.database import back_up_database, restore_database
from bot.monitoring.command_log import Watch
from bot.monitoring.health import COPIED, Health
from bot.monitoring.metrics import Metrics
from bot.rules.errors import UserError
from bot.storage.postgres import PostgresStore
from bot.storage.records import Doc
from bot.storage.sqlite import SqliteStore
from bot.storage.store import Store
from tests.fresh import fresh_store
from tests.playing import Channel
from tests.ports import free_port
from tests.standins.postgres import PostgresServer


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    return tmp_path


async def test_a_copy_of_a_running_bot_brings_that_moment_back(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, copy = home / "data" / "grognard.db", home / "monday.db"
    async with await SqliteStore.open(path) as store:
        channel = Channel(App(store))
        await channel.do("Anna", "roll 2d6")
        assert await grognard(["backup", str(copy)]) == 0, "while the bot runs"
        await channel.do("Anna", "roll 3d6")
        assert await grognard(["restore", str(copy)]) == 2
        assert "is open in another process. Stop the bot first" in capsys.readouterr().err
        assert (await channel.do("Anna", "log")).title, "and goes on"
    assert copy.stat().st_mode & 0o777 == 0o600

    assert await grognard(["restore", str(copy)]) == 0
    out = capsys.readouterr().out
    assert f"{path} now holds 1 game from {copy}." in out
    (kept,) = path.parent.glob("grognard.db.before-*")
    assert f"kept as {kept}" in out
    assert events(path) == 1
    assert events(kept) == 2
    async with await SqliteStore.open(path) as store:
        await Channel(App(store)).do("Anna", "roll 4d6")
    assert await grognard(["doctor", "--replay"]) == 0
    assert path.stat().st_mode & 0o777 == 0o600


async def grognard(words: list[str]) -> int:
    """The exit status of a command, which has a loop of its own."""
    return await asyncio.to_thread(main, words)


def events(path: Path) -> int:
    """Dice events in a database."""
    with sqlite3.connect(path) as connection:
        found = connection.execute(
            'SELECT count(*) FROM events WHERE body LIKE \'%"kind":"roll"%\''
        ).fetchone()[0]
    connection.close()
    return int(found)


async def test_a_database_that_is_missing_is_put_back(home: Path) -> None:
    path, copy = home / "data" / "grognard.db", home / "monday.db"
    async with await SqliteStore.open(path) as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    assert await grognard(["backup", str(copy)]) == 0
    path.unlink()
    assert await grognard(["restore", str(copy)]) == 0
    assert events(path) == 1


async def test_a_copy_goes_to_a_machine_where_no_bot_ran_yet(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, path = home / "monday.db", home / "another" / "machine" / "grognard.db"
    async with await SqliteStore.open(home / "data" / "grognard.db") as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    assert await grognard(["backup", str(copy)]) == 0
    monkeypatch.setenv("GROGNARD_DATA", str(path.parent))
    assert await grognard(["restore", str(copy)]) == 0
    assert events(path) == 1
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_nothing_else_is_taken_for_a_copy_and_nothing_is_written_over(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = home / "data" / "grognard.db", home / "other.db"
    assert await grognard(["backup", str(other)]) == 2
    assert "There is no database" in capsys.readouterr().err
    async with await SqliteStore.open(path) as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    before = path.read_bytes()
    other.write_text("not a database at all, but long enough to look like one" * 20)
    empty = home / "empty.db"
    empty.touch()
    for do, file, code in (
        (restore_database, other, "store-failed"),
        (restore_database, empty, "bad-backup"),
        (restore_database, home / "nowhere.db", "no-such-file"),
        (restore_database, path, "bad-backup"),
        (back_up_database, other, "file-exists"),
        (back_up_database, home / "no" / "folder.db", "file-failed"),
        (back_up_database, other / "below-a-file.db", "file-failed"),
    ):
        with pytest.raises(UserError) as refused:
            await asyncio.to_thread(do, [str(file)])
        assert (refused.value.code, file.name in str(refused.value)) == (code, True), str(
            refused.value
        )
        if code != "file-failed":  # that it failed is written down
            assert path.read_bytes() == before
    assert events(path) == 1
    assert sorted(found.name for found in path.parent.iterdir()) == ["grognard.db"]


async def logged(store: Store) -> int:
    """Dice events of all games."""
    rows = [row for game in await store.list_games() for row in await store.load_events(game)]
    return sum('"kind":"roll"' in row.body for row in rows)


async def test_on_postgresql_a_copy_is_a_file_and_brings_that_moment_back(
    home: Path,
    postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url, copy = postgres.new_database(), home / "monday.db"
    monkeypatch.setenv("DATABASE_URL", url)
    async with await PostgresStore.open(url) as store:
        channel = Channel(App(store))
        await channel.do("Anna", "roll 2d6")
        assert await grognard(["backup", str(copy)]) == 0, "while the bot runs"
        out = capsys.readouterr().out
        assert out == (
            f"{copy} holds 1 game from PostgreSQL at {postgres.folder}. "
            "Keep it private: the seeds of running games are in it.\n"
        )
        await channel.do("Anna", "roll 3d6")
        assert await grognard(["restore", str(copy)]) == 2
        assert (
            "The database is in use by a running bot. Stop every bot first, then restore."
            in capsys.readouterr().err
        )
        assert await logged(store) == 2, "and goes on"
        assert (await channel.do("Anna", "log")).title
    assert copy.stat().st_mode & 0o777 == 0o600
    assert events(copy) == 1
    assert [file.name for file in home.iterdir() if file.is_file()] == ["monday.db"], (
        "nothing half is left"
    )

    assert await grognard(["restore", str(copy)]) == 0
    out = capsys.readouterr().out
    assert f"PostgreSQL at {postgres.folder} now holds 1 game from {copy}." in out
    (kept,) = (home / "data").glob("grognard.before-*.db")
    assert f"kept as {kept}" in out
    assert events(kept) == 2
    async with await PostgresStore.open(url) as store:
        assert await logged(store) == 1
        await Channel(App(store), prefix="u").do("Anna", "roll 4d6")
    assert await grognard(["doctor", "--replay"]) == 0


async def test_a_copy_goes_from_either_store_to_the_other(
    home: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is the same, whatever it is of; on an empty database nothing was there before."""
    of_file, of_server, url = home / "file.db", home / "server.db", postgres.new_database()
    async with await SqliteStore.open(home / "data" / "grognard.db") as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    assert await grognard(["backup", str(of_file)]) == 0
    monkeypatch.setenv("DATABASE_URL", url)
    assert await grognard(["restore", str(of_file)]) == 0
    assert not list((home / "data").glob("grognard.before-*"))
    assert await grognard(["backup", str(of_server)]) == 0
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("GROGNARD_DATA", str(home / "elsewhere"))
    assert await grognard(["restore", str(of_server)]) == 0
    assert await grognard(["doctor", "--replay"]) == 0
    assert events(home / "elsewhere" / "grognard.db") == 1


async def test_with_postgresql_away_a_copy_is_for_later(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://grognard:Zwiebel@127.0.0.1:1/grognard")
    monkeypatch.setattr("bot.storage.postgres.link.SERVER_WAIT_SECONDS", 0.1)
    assert await grognard(["backup", str(home / "new.db")]) == 75
    said = capsys.readouterr()
    assert said.err == (
        "PostgreSQL at 127.0.0.1:1 does not answer (connection refused). Start it, or check DATABASE_URL.\n"
    )
    assert "Zwiebel" not in said.out
    assert not list(home.iterdir())


async def test_a_copy_of_a_server_that_is_away_says_only_that(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://127.0.0.1:{free_port()}/games")
    assert await grognard(["backup", str(home / "monday.db")]) == 75
    said = capsys.readouterr()
    assert said.out == "", "nothing about a copy that was never made"
    assert re.fullmatch(
        r"PostgreSQL at 127\.0\.0\.1:\d+ does not answer \(connection refused\)\. .*\n", said.err
    )


@pytest.mark.parametrize(
    ("hours", "age"),
    [
        (0, "0 hours"),
        (1, "1 hour"),
        (2, "2 hours"),
        (35, "35 hours"),
        (36, "2 days"),
        (60, "2 days"),
    ],
)
async def test_the_age_of_the_last_copy_reads_as_english(
    home: Path, capsys: pytest.CaptureFixture[str], hours: int, age: str
) -> None:
    async with await SqliteStore.open(home / "data" / "grognard.db") as store:
        await store.put_doc(Doc(*COPIED, {"at": time.time() - 3_600 * hours}))
        assert await grognard(["doctor"]) == 0
    assert f"ok    last copy of the games: {age} ago\n" in capsys.readouterr().out


DAYS = 86_400.0


async def test_nights_without_a_copy_are_trouble_after_three_and_known_everywhere(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "data" / "grognard.db"
    async with await SqliteStore.open(path) as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
        assert await grognard(["doctor"]) == 0
        assert (
            "note  the games have never been backed up: run grognard backup FILE"
            in capsys.readouterr().out
        )
        assert await grognard(["backup", str(home / "monday.db")]) == 0
        doc = await store.load_doc(*COPIED)
        assert doc is not None
        at = doc.data["at"]
        now = [at + 10.0]
        metrics = Metrics("1.2.3")
        health = Health(store, Watch(metrics), {"discord": str}, None, lambda: now[0])
        for after, trouble in (
            (10.0, ""),
            (3 * DAYS, ""),
            (3 * DAYS + 4000, "the games have not been backed up for 3 days"),
        ):
            now[0] = at + after
            found = [one for one in (await health.look()).troubles if "clock" not in one]
            assert found == ([trouble] if trouble else [])
            metrics.show_health(health.sight)
            [line] = re.findall(
                r"(?m)^grognard_last_backup_timestamp_seconds (.+)$", metrics.render().decode()
            )
            assert float(line) == at
        assert await grognard(["doctor"]) == 0
        assert "ok    last copy of the games: 0 hours ago" in capsys.readouterr().out
        await store.put_doc(Doc(*COPIED, {"at": at - 5 * DAYS}))
        assert await grognard(["doctor"]) == 1
        assert (
            "FIX   the games have not been backed up for 5 days; systemctl status grognard-backup"
            in capsys.readouterr().out
        )


async def test_a_copy_that_fails_from_the_first_night_on_is_trouble_too(home: Path) -> None:
    store = await fresh_store()
    for data, says in (
        ({"failing": 0.0}, "the games have not been backed up for 4 days"),
        ({"failing": 2 * DAYS}, ""),
        ({"failing": 0.0, "at": 2 * DAYS}, ""),
        ({}, ""),
    ):
        await store.put_doc(Doc(*COPIED, data))
        health = Health(store, Watch(), {"discord": str}, None, lambda: 4 * DAYS)
        assert [one for one in (await health.look()).troubles if "clock" not in one] == (
            [says] if says else []
        )

    path = home / "data" / "grognard.db"
    async with await SqliteStore.open(path) as own:
        await Channel(App(own)).do("Anna", "roll 2d6")
        assert await grognard(["backup", str(home / "no" / "folder.db")]) == 2
        doc = await own.load_doc(*COPIED)
        assert doc is not None
        assert list(doc.data) == ["failing"]
        since = doc.data["failing"]
        assert await grognard(["backup", str(home / "no" / "folder.db")]) == 2
        doc = await own.load_doc(*COPIED)
        assert doc is not None
        assert doc.data["failing"] == since, "the first of them counts"
        assert await grognard(["backup", str(home / "monday.db")]) == 0
        doc = await own.load_doc(*COPIED)
        assert doc is not None
        assert list(doc.data) == ["at"]
