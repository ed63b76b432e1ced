"""The data folder and what it holds are for their owner alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.runtime.file_rights import make_file, make_folder, tighten


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    """A machine whose users share everything."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_new_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_file(tmp_path / "a" / "b" / "games.db")
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/games.db")] == [0o700, 0o700, 0o600]


def test_what_was_open_to_others_is_tightened_and_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = tmp_path / "data"
    (data / "inner").mkdir(parents=True, mode=0o755)
    for name in (
        "grognard.db",
        "grognard.db-wal",
        "grognard.db.schema-1.bak",
        "discord-commands.txt",
        "inner/x",
    ):
        (data / name).touch(mode=0o664)
    assert len(tighten(data)) == 7
    assert {mode(path) for path in data.rglob("*") if path.is_file()} == {0o600}
    assert mode(data) == mode(data / "inner") == 0o700
    assert len(caplog.records) == 1
    assert tighten(data) == []
    assert len(caplog.records) == 1


def test_what_is_not_ours_alone_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir(mode=0o755)
    (project / "README.md").touch(mode=0o644)
    monkeypatch.chdir(project)
    assert tighten(project) == [], "the bot was started here"
    assert tighten(tmp_path) == []
    data = project / "data"
    data.mkdir(mode=0o700)
    (data / "link").symlink_to(project / "README.md")
    assert tighten(data) == []
    assert mode(project / "README.md") == 0o644
    assert tighten(project / "missing") == []


def test_an_older_database_stays_usable(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    with sqlite3.connect(data / "old.db") as old:
        old.execute("CREATE TABLE t (x)")
    tighten(data)
    with sqlite3.connect(data / "old.db") as old:
        old.execute("INSERT INTO t VALUES (1)")
