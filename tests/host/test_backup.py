"""`grognard backup` and `grognard restore`: a copy while the bot runs, and back to it only while it does not."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.app import App
from bot.host.database import backup, restore
from bot.rules.errors import UserError
from bot.stores.sqlite import open_sqlite
from tests.playing import Channel


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    return tmp_path


async def test_a_copy_of_a_running_bot_brings_that_moment_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, copy = home / "data" / "grognard.db", home / "monday.db"
    async with open_sqlite(path) as store:
        channel = Channel(App(store))
        await channel.do("Anna", "roll 2d6")
        assert main(["backup", str(copy)]) == 0, "while the bot runs"
        await channel.do("Anna", "roll 3d6")
        assert main(["restore", str(copy)]) == 2
        assert "is open in another process. Stop the bot first" in capsys.readouterr().err
        assert (await channel.do("Anna", "log")).title, "and goes on"
    assert copy.stat().st_mode & 0o777 == 0o600

    assert main(["restore", str(copy)]) == 0
    out = capsys.readouterr().out
    assert f"{path} holds 1 game of {copy} now." in out
    (kept,) = path.parent.glob("grognard.db.before-*")
    assert f"kept as {kept}" in out
    assert events(path) == 1
    assert events(kept) == 2
    async with open_sqlite(path) as store:
        await Channel(App(store)).do("Anna", "roll 4d6")
    assert await asyncio.to_thread(main, ["doctor", "--replay"]) == 0
    assert path.stat().st_mode & 0o777 == 0o600


def events(path: Path) -> int:
    """Dice events in a database."""
    with sqlite3.connect(path) as connection:
        found = connection.execute('SELECT count(*) FROM events WHERE body LIKE \'%"kind":"roll"%\'').fetchone()[0]
    connection.close()
    return int(found)


async def test_a_database_that_is_missing_is_put_back(home: Path) -> None:
    path, copy = home / "data" / "grognard.db", home / "monday.db"
    async with open_sqlite(path) as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    assert main(["backup", str(copy)]) == 0
    path.unlink()
    assert main(["restore", str(copy)]) == 0
    assert events(path) == 1


async def test_a_copy_goes_to_a_machine_where_no_bot_ran_yet(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy, path = home / "monday.db", home / "another" / "machine" / "grognard.db"
    async with open_sqlite(home / "data" / "grognard.db") as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    assert main(["backup", str(copy)]) == 0
    monkeypatch.setenv("GROGNARD_DATA", str(path.parent))
    assert main(["restore", str(copy)]) == 0
    assert events(path) == 1
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_nothing_else_is_taken_for_a_copy_and_nothing_is_written_over(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = home / "data" / "grognard.db", home / "other.db"
    assert main(["backup", str(other)]) == 2
    assert "There is no database" in capsys.readouterr().err
    async with open_sqlite(path) as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    before = path.read_bytes()
    other.write_text("not a database at all, but long enough to look like one" * 20)
    empty = home / "empty.db"
    empty.touch()
    for do, file, code in (
        (restore, other, "store-failed"),
        (restore, empty, "bad-backup"),
        (restore, home / "nowhere.db", "no-such-file"),
        (restore, path, "bad-backup"),
        (backup, other, "file-exists"),
        (backup, home / "no" / "folder.db", "file-failed"),
    ):
        with pytest.raises(UserError) as refused:
            do([str(file)])
        assert (refused.value.code, file.name in str(refused.value)) == (code, True), str(refused.value)
    assert path.read_bytes() == before
    assert sorted(found.name for found in path.parent.iterdir()) == ["grognard.db"]
