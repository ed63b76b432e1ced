"""A real PostgreSQL server of the tests' own, from the machine's binaries, in a temporary folder.

The server refuses to run as root, so it then runs as `nobody`. It listens on a socket in its folder
alone and ends with the tests. Where the machine has no server the tests that need one are skipped,
and say how to get it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from bot.storage.postgres import link
from tests.memory import memory

HOW = "needs a PostgreSQL server: on Debian, apt-get install postgresql"
SECONDS = 20.0
EMPTIED = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid != pg_backend_pid();
    DROP SCHEMA public CASCADE;
    CREATE SCHEMA public;
"""


@cache
def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`; Debian puts it out of the search path."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(
        (
            folder
            for folder in folders
            if (folder / "postgres").exists() and (folder / "initdb").exists()
        ),
        None,
    )


class SetClock:
    """Time that stands still until a test moves it: for whoever calls it, and for a server that
    it rules.
    """

    def __init__(self, now: float = 1_000_000.0) -> None:
        self._file: Path | None = None
        self.now = now

    def __call__(self) -> float:
        return self.now

    @property
    def now(self) -> float:
        """Unix seconds."""
        return self._now

    @now.setter
    def now(self, now: float) -> None:
        self._now = now
        if self._file is not None:
            self._file.write_text(repr(now), "utf-8")

    def rules(self, server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
        """A server takes this for the time from now on: it reads a file for it."""
        self._file = server.folder / "clock"
        self.now = self._now
        self._file.chmod(0o644)
        monkeypatch.setattr(link, "NOW", f"pg_read_file('{self._file}')::float8")


class PostgresServer:
    """A server with a folder of its own, which can be stopped, killed and started again."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self._options = folder, options
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._test, self._given, self._free = "", list[str](), list[str]()
        words = (
            "-D",
            str(self._data),
            "-U",
            "grognard",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "-N",
        )
        self._run("initdb", *words, user=_user(), group=_group())

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def pid(self) -> int:
        """The process whose children do the work; 0 while it does not run."""
        return self._process.pid if self._process is not None else 0

    def url(self, database: str = "postgres") -> str:
        """How to reach a database of the server."""
        return f"postgresql://grognard@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """The address of an empty database: one that an earlier test is done with, as to make one
        takes ten times as long as to empty it, or else a new one."""
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        if test != self._test:
            self._free += self._given
            self._test, self._given = test, []
        if self._free:
            name = self._free.pop()
            self.sql(name, EMPTIED)
        else:
            self._databases += 1
            name = f"games_{self._databases}"
            self._run("createdb", "-h", str(self.folder), "-U", "grognard", name)
        self._given.append(name)
        return self.url(name)

    def sql(self, database: str, statement: str) -> str:
        """Run a statement as the host would, with psql."""
        return self._run(
            "psql", "-h", str(self.folder), "-U", "grognard", "-Atc", statement, database
        )

    @contextmanager
    def locked(self, database: str, table: str) -> Iterator[None]:
        """Nobody else can write to a table in this block; whoever tries waits."""
        words = ["-h", str(self.folder), "-U", "grognard", "-Atq", database]
        psql = subprocess.Popen(
            [str(_binary("psql")), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
        )
        assert psql.stdin is not None
        assert psql.stdout is not None
        psql.stdin.write(f"BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE; SELECT 'locked';\n")
        psql.stdin.flush()
        assert psql.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            psql.communicate("ROLLBACK;\n", timeout=SECONDS)

    def start(self) -> None:
        """Start it and wait until it answers."""
        assert self._process is None
        options = [
            "-D",
            str(self._data),
            "-k",
            str(self.folder),
            "-c",
            "listen_addresses=",
            *self._options,
        ]
        self._process = subprocess.Popen(
            [str(_binary("postgres")), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("ab"),
            user=_user(),
            group=_group(),
        )
        end = time.monotonic() + SECONDS
        while True:
            ready = [str(_binary("pg_isready")), "-q", "-h", str(self.folder)]
            if subprocess.run(ready, check=False, cwd="/").returncode == 0:
                return
            assert time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT breaks all lines at once, as a restart does; SIGKILL is a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(SECONDS)
            self._process = None

    def _run(self, program: str, *words: str, **who: int | None) -> str:
        """What a program prints: as whoever runs the tests, unless `who` it is to be. As another
        user it takes a process as large as this one to start it, which is ten times the work."""
        command, how = (
            [str(_binary(program)), *words],
            {"capture_output": True, "text": True, "cwd": "/"},
        )
        done: subprocess.CompletedProcess[str] = subprocess.run(command, check=False, **how, **who)  # type: ignore[call-overload]
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def postgres_server(*options: str) -> Iterator[PostgresServer]:
    """A running server. Skips the test where the machine has none."""
    if binaries() is None:
        pytest.skip(HOW)
    # short: a socket's path has an upper limit
    folder = Path(tempfile.mkdtemp(prefix="grognard-pg-", dir=memory()))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        server = PostgresServer(folder, *options)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binary(program: str) -> Path:
    folder = binaries()
    assert folder is not None
    return folder / program


def _user() -> int | None:
    """As whom the server runs, where the tests run as root."""
    return pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


def _group() -> int | None:
    return pwd.getpwnam("nobody").pw_gid if os.geteuid() == 0 else None
