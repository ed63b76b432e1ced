"""What a host reads when a start fails: the last line is one sentence of ours, and no traceback
follows it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app import App
from bot.runtime.settings import Settings
from bot.storage.sqlite import faults
from tests.adapters import nursery
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]


class Start:
    """A start of `grognard run`, without a platform that answers."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self._folder, self._log = folder, folder / "log.txt"
        nobody = f"http://127.0.0.1:{free_port()}/"
        self._environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")
            },
            "DISCORD_TOKEN": "a.b.c",
            "DISCORD_API": nobody,
            "PYTHONPATH": str(ROOT),
            "GROGNARD_DATA": str(folder / "data"),
            **settings,
        }
        self.process: nursery.Process

    async def begin(self) -> None:
        self.process = await nursery.start(
            "run", cwd=self._folder, env=self._environment, log=self._log
        )

    async def end(self) -> int:
        """Wait for the end; return the exit status."""
        return await asyncio.wait_for(self.process.wait(), 60)

    async def until(self, words: str) -> None:
        """Wait until the log has these words."""
        for _ in range(6_000):
            if words in self.log:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(self.log)

    @property
    def log(self) -> str:
        return self._log.read_text()


async def test_a_folder_in_place_of_the_database_is_one_sentence(tmp_path: Path) -> None:
    start = Start(tmp_path, DATABASE_URL=f"sqlite:///{tmp_path}")
    await start.begin()
    assert await start.end() == 2
    hint = f"The host needs to name a file in it: DATABASE_URL=sqlite:///{tmp_path}/games.db"
    assert start.log.splitlines() == [f"The database {tmp_path} is a folder. {hint}"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
async def test_a_folder_without_rights_is_one_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(0o500)
    start = Start(tmp_path)
    await start.begin()
    assert await start.end() == 2
    assert re.fullmatch(
        f"The database {data}/grognard.db cannot be written: .* {data}\\. .*\n", start.log
    )


@pytest.mark.parametrize(
    "name", ["SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_READONLY_DIRECTORY", "SQLITE_PERM"]
)
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_read_only_disk_is_waited_for_and_missing_rights_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    """SQLite does not tell one from the other."""

    def fail(_: Path) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(faults, "create_probe", fail)
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorname = name
    told = faults.build_store_error(error, str(tmp_path / "games.db"), to_host=True)
    assert told.is_passing == (number == errno.EROFS)
    assert ("its disk is read-only" in told.message) == (number == errno.EROFS)
    assert (f"may not write {tmp_path}." in told.message) == (number == errno.EACCES)


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own that may only be read. Skips the test if none can be made."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro,size=20m", "none", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount a small file system: run as root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("folder", [".", "data"])
async def test_a_bot_waits_for_a_read_only_disk(
    tmp_path: Path, read_only_disk: Path, folder: str
) -> None:
    start = Start(tmp_path, GROGNARD_DATA=str(read_only_disk / folder))
    await start.begin()
    await start.until("its disk is read-only; trying again every 5 s")
    await asyncio.to_thread(
        subprocess.run, ["mount", "-o", "remount,rw", str(read_only_disk)], check=True
    )
    await start.until("with games")
    start.process.send_signal(signal.SIGTERM)
    assert await start.end() == 0
    assert "Traceback" not in start.log


async def test_a_start_is_logged_in_one_line(tmp_path: Path) -> None:
    start = Start(tmp_path)
    await start.begin()
    await start.until("with games")
    start.process.send_signal(signal.SIGTERM)
    assert await start.end() == 0
    line = start.log.splitlines()[0]
    database = re.escape(str(tmp_path / "data" / "grognard.db"))
    assert re.search(rf"Grognard [\w.]+, SQLite {database}, 0 servers with games$", line), line


@pytest.mark.parametrize("wait", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
async def test_a_signal_at_any_moment_of_a_start_leaves_no_traceback(
    tmp_path: Path, wait: float
) -> None:
    start = Start(tmp_path, HEALTH_PORT=str(free_port()))
    await start.begin()
    await asyncio.sleep(wait)
    start.process.send_signal(signal.SIGTERM)
    assert await start.end() in (0, -signal.SIGTERM)
    assert "Traceback" not in start.log, start.log


@pytest.mark.parametrize("is_folder", [False, True])
def test_an_open_that_is_cancelled_or_fails_leaves_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_folder: bool
) -> None:
    """Cancelled after any number of turns of the event loop, from before its first step until it
    is open.
    """
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    path = tmp_path if is_folder else tmp_path / "games.db"
    settings = Settings(data=tmp_path, database=path)

    async def open_and_cancel(turns: int) -> bool:
        """Return whether the app had been opened."""
        opening = asyncio.create_task(App.open(settings))
        for _ in range(turns):
            await asyncio.sleep(0)
            if opening.done():
                break
        opening.cancel()
        await asyncio.wait([opening])
        if opening.cancelled() or opening.exception() is not None:
            return False
        await opening.result().close()
        return True

    before = threading.active_count()
    for turns in range(80):
        asyncio.run(open_and_cancel(turns))
    assert asyncio.run(open_and_cancel(100_000)) != is_folder
    for _ in range(3_000):  # a thread may have reported its end just before it ends
        if threading.active_count() <= before:
            break
        time.sleep(0.01)
    assert threading.active_count() <= before
    assert failures == []
