"""`grognard doctor` and `grognard verify`."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.__main__ import main
from bot.app import App
from bot.rulesets.system import list_builtin_systems
from bot.runtime.settings import Settings
from bot.storage.base import StoreError
from bot.storage.opening import open_store
from bot.storage.sqlite import SqliteStore
from tests.playing import Channel, two_sides


async def play(path: Path) -> str:
    """A short game in a file; its export with the seed revealed."""
    async with await SqliteStore.open(path) as store:
        channel = Channel(App(store))
        await two_sides(channel)
        await channel.do("Anna", "roll 2d6", "lnlt fire attackers=us1 targets=vc1", "fair reveal")
        return (await channel.do("Anna", "game export")).files[0].text


@pytest.fixture
async def database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    await play(tmp_path / "grognard.db")
    return tmp_path / "grognard.db"


def test_a_healthy_house(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--replay"]) == 0
    out = capsys.readouterr().out
    assert "1 game: log, chain, dice and state agree" in out
    assert "FIX" not in out


def test_tables_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The doctor names the folder, without a traceback; so does every command."""
    monkeypatch.setattr("bot.rulesets.system.TABLES", str(tmp_path / "tables"))
    monkeypatch.setattr("bot.cli.doctor.load_shared_systems", list_builtin_systems.__wrapped__)
    assert main(["doctor"]) == 1
    fault = f"FIX   The tables in {tmp_path / 'tables'} cannot be read: No such file or directory."
    assert fault in capsys.readouterr().out


def test_a_game_that_cannot_be_read_is_a_fault(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also for a user who may do everything, as tests may be run."""
    real_access = os.access

    def refuse_lnlt(path: Path, mode: int) -> bool:
        return Path(path).name != "lnlt" and real_access(path, mode)

    monkeypatch.setattr(os, "access", refuse_lnlt)
    assert main(["doctor"]) == 1
    assert re.search(r"FIX   .*lnlt cannot be read", capsys.readouterr().out)


def test_an_sqlite_that_is_too_old(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Said by the doctor, and at the start."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.34.1")
    said = "This Python has SQLite 3.34.1; Grognard needs 3.35 (of 2021) or newer."
    assert main(["doctor"]) == 1
    assert f"FIX   {said}" in capsys.readouterr().out
    with pytest.raises(StoreError, match=re.escape(said)):
        asyncio.run(open_store(Settings()))


def test_a_data_folder_that_cannot_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("GROGNARD_DATA", str(file / "data"))
    assert main(["doctor"]) == 1
    assert f"FIX   data folder {file / 'data'}: {file} is not a folder" in capsys.readouterr().out
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert main(["doctor"]) == 1
    assert f"{tmp_path} is not writable for this user" in capsys.readouterr().out


@pytest.mark.parametrize(("mode", "is_open"), [(0o600, False), (0o640, True), (0o644, True)])
def test_a_file_of_settings_that_others_may_read(
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mode: int,
    is_open: bool,
) -> None:
    folder = database.parent / "started-here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / ".env").write_text("LOG_LEVEL=INFO\n")
    (folder / ".env").chmod(mode)
    assert main(["doctor"]) == int(is_open)
    lines = capsys.readouterr().out.splitlines()
    assert f"ok    settings from {folder}/.env" in lines
    fix = "FIX   .env has tokens in it, and other users can read it. Type: chmod 600 .env"
    assert (fix in lines) == is_open


def test_a_nearly_full_disk_and_files_that_others_may_read(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    database.parent.chmod(0o700)
    database.chmod(0o644)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=5 * 2**20))
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "only 5 MiB are free" in out
    assert f"note  others can read {database}" in out


def test_a_rewritten_die_is_found(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(database) as connection:
        body = connection.execute(
            'SELECT body FROM events WHERE body LIKE \'%"kind":"roll"%\''
        ).fetchone()[0]
        other = body.replace('"value":', '"value":1')
        connection.execute("UPDATE events SET body = ? WHERE body = ?", (other, body))
    connection.close()
    assert main(["doctor"]) == 0, "a quick look does not play the log again"
    assert main(["doctor", "--replay"]) == 1
    assert "FIX   Game" in capsys.readouterr().out


def test_a_setting_to_mend(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "many")
    assert main(["doctor"]) == 1
    assert "FIX   " in capsys.readouterr().out


async def test_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = await play(tmp_path / "games.db")
    file = tmp_path / "game.json"
    file.write_text(text)
    head = json.loads(text)["head"]
    assert main(["verify", str(file), "--head", head[:8]]) == 0
    assert "0 faults" in capsys.readouterr().out
    assert main(["verify", str(file), "--head", "0" * 8]) == 1
    file.write_text(text.replace('"total":', '"total":1', 1))
    assert main(["verify", str(file)]) == 1
    assert main(["verify", str(tmp_path / "none.json")]) == 2
    assert main(["verify", str(file), "--head", "xyz"]) == 2


def test_shared_games_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bot.cli.doctor import CheckupFindings, _check_live
    from bot.runtime.settings import Settings

    found = CheckupFindings()
    _check_live(found, Settings())
    _check_live(found, Settings(live_port=8080))
    _check_live(found, Settings(live_port=8080, public_url="http://games.example.org"))
    _check_live(found, Settings(live_port=8080, public_url="https://games.example.org"))
    before = found.has_faults
    _check_live(found, Settings(live_port=3000, slack_signing_secret="x", slack_bot_token="xoxb-1"))
    assert (before, found.has_faults) == (False, True)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:5] for line in lines] == ["note ", "note ", "note ", "ok   ", "FIX  "]
    assert "give shared games a different port" in lines[-1]


def test_the_health_port_is_one_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    monkeypatch.setenv("HEALTH_PORT", "3000")
    assert main(["doctor"]) == 1
    assert "FIX   HEALTH_PORT 3000 is already in use for another port" in capsys.readouterr().out
    monkeypatch.setenv("HEALTH_PORT", "9090")
    assert main(["doctor"]) == 0
    assert "ok    health and metrics: port 9090 on 127.0.0.1" in capsys.readouterr().out
