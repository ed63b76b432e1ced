"""An installed release: its commands take on the settings and the user of the service, and say
so.
"""

from __future__ import annotations

import ast
import asyncio
import ctypes
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from bot.__main__ import COMMANDS, OF_SERVICE
from bot.app import App
from bot.rules.errors import UserError
from bot.runtime import service as service_module
from bot.runtime import settings as settings_module
from bot.runtime.service import Service, enter_service, find_service
from bot.runtime.settings import SettingsError
from bot.storage.postgres import PostgresStore
from bot.storage.sqlite import SqliteStore
from bot.storage.sqlite.schema import migrate
from tests.conftest import SETTINGS
from tests.playing import Channel
from tests.ports import free_port
from tests.standins.postgres import PostgresServer

pytestmark = pytest.mark.scenes(12)

PARTS = ("bot", "adapters", "tables", "deploy")
OF_CONSOLE = {"play", "try"}
"""The console has settings of its own, whoever types in it."""
SECRET = "nobody-may-see-this"


@dataclass(frozen=True, slots=True)
class Host:
    """A disk on which deploy/install.sh has installed a release, and what is typed there."""

    disk: Path

    @property
    def settings(self) -> Path:
        """The file that systemd gives to the service."""
        return self.disk / "etc/grognard.env"

    @property
    def data(self) -> Path:
        """The folder of the service's games."""
        return self.disk / "var/lib/grognard"

    def grognard(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Type a command in a folder with settings of somebody else."""
        cleared = {*SETTINGS, "DATABASE_URL", "GROGNARD_DATA", "PYTHONPATH"}
        kept = {name: value for name, value in os.environ.items() if name not in cleared}
        return subprocess.run(
            [self.disk / "usr/local/bin/grognard", *words],
            cwd=self.disk / "home", env={**kept, **environ}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The disk: a release with this interpreter's libraries, whose service runs as the user of
    the tests.
    """
    disk = tmp_path_factory.mktemp("disk")
    release = disk / "opt/grognard/releases/1"
    for part in PARTS:
        shutil.copytree(root / part, release / part, ignore=shutil.ignore_patterns("__pycache__"))
    python = release / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (disk / "opt/grognard/current").symlink_to("releases/1")
    for folder in ("etc/systemd/system", "usr/local/bin", "home", "var/lib/grognard"):
        (disk / folder).mkdir(parents=True)
    (disk / "usr/local/bin/grognard").symlink_to(disk / "opt/grognard/current/deploy/grognard")
    unit = (root / "deploy/grognard.service").read_text()
    assert "User=grognard\n" in unit
    user = pwd.getpwuid(os.geteuid()).pw_name
    (disk / "etc/systemd/system/grognard.service").write_text(
        unit.replace("User=grognard\n", f"User={user}\n")
    )
    (disk / "home/.env").write_text("DATABASE_URL=sqlite:///of-somebody-else.db\nHEALTH_PORT=1\n")
    return disk


@pytest.fixture
def host(installed: Path) -> Iterator[Host]:
    host = Host(installed)
    host.data.chmod(0o700)
    yield host
    host.settings.unlink(missing_ok=True)
    shutil.rmtree(host.data)
    host.data.mkdir()


def new_file(path: Path) -> Path:
    """Create an empty database of ours."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, path)
    return path


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "words",
    [
        ("doctor",),
        ("backup", "monday.db"),
        ("restore", "../copy.db"),
        ("copy", "sqlite:///old.db"),
        ("publish", "Hill", "site"),
        ("rerun", "--all"),
        ("health",),
    ],
)
def test_each_command_is_about_the_database_of_the_service(
    host: Host, postgres: PostgresServer, words: tuple[str, ...]
) -> None:
    """That database is not there: each command fails and says so, and none falls back on a file."""
    server = f"PostgreSQL at {postgres.folder}"
    url = f"postgresql://grognard:{SECRET}@/no-such-database?host={postgres.folder}"
    check_failure(host, words, url, server, status=1 if words[0] in ("doctor", "health") else 2)


@pytest.mark.slow
@pytest.mark.parametrize("words", [("doctor",), ("backup", "monday.db")])
def test_a_database_that_is_away_is_named(host: Host, words: tuple[str, ...]) -> None:
    port = free_port()
    url = f"postgresql://grognard:{SECRET}@127.0.0.1:{port}/grognard"
    check_failure(
        host,
        words,
        url,
        f"PostgreSQL at 127.0.0.1:{port}",
        status=1 if words[0] == "doctor" else 75,
    )


def check_failure(
    host: Host, words: tuple[str, ...], url: str, server: str, *, status: int
) -> None:
    """Check that a command fails at this server, keeps its password, and leaves the files of
    before alone.
    """
    port = free_port()
    host.settings.write_text(f"DATABASE_URL={url}\nHEALTH_PORT={port}\n")
    host.settings.chmod(0o644)
    new_file(host.data / "old.db")
    copy = new_file(host.disk / "copy.db")
    before = host.data / "grognard.db"
    before.write_text("a file from before PostgreSQL")
    done = host.grognard(*words)
    copy.unlink()
    text = done.stdout + done.stderr
    assert done.returncode == status, text
    assert done.stderr.startswith(f"settings from {host.settings}\n")
    assert (f"port {port} of 127.0.0.1" if words == ("health",) else server) in text
    if words[0] == "doctor":
        assert f"FIX   {host.settings} has tokens in it, and other users can read it" in text
    assert SECRET not in text
    assert "Traceback" not in text
    assert before.read_text() == "a file from before PostgreSQL"


async def count_rolls(url: str) -> int:
    """The dice events of a PostgreSQL database."""
    async with await PostgresStore.open(url) as store:
        rows = [row for game in await store.list_games() for row in await store.load_events(game)]
    return sum('"kind":"roll"' in row.body for row in rows)


@pytest.mark.slow
async def test_backup_and_restore_on_postgresql_as_the_page_has_them(
    host: Host, postgres: PostgresServer
) -> None:
    url = postgres.new_database()
    host.settings.write_text(f"DATABASE_URL={url}\n")
    host.settings.chmod(0o640)
    copy = host.data / "grognard-monday.db"
    async with await PostgresStore.open(url) as store:
        channel = Channel(App(store))
        await channel.do("Anna", "roll 2d6")
        made = await asyncio.to_thread(host.grognard, "backup", str(copy))
        assert made.returncode == 0, made.stderr
        assert made.stdout.startswith(f"{copy} holds 1 game from PostgreSQL at ")
        await channel.do("Anna", "roll 3d6")
        refused = await asyncio.to_thread(host.grognard, "restore", str(copy))
        assert refused.returncode == 2, refused.stdout
        assert "Stop every bot first" in refused.stderr
    assert await count_rolls(url) == 2
    put_back = await asyncio.to_thread(host.grognard, "restore", str(copy))
    assert put_back.returncode == 0, put_back.stderr
    assert put_back.stdout.startswith("PostgreSQL at ")
    assert await count_rolls(url) == 1
    doctor = await asyncio.to_thread(host.grognard, "doctor", "--replay")
    assert doctor.returncode == 0, doctor.stdout
    assert "ok    PostgreSQL at " in doctor.stdout
    assert not (host.data / "grognard.db").exists()


async def test_sqlite_is_in_the_folder_of_the_unit(host: Host) -> None:
    host.settings.write_text("DISCORD_TOKEN=a.b.c\n")
    async with await SqliteStore.open(host.data / "grognard.db") as store:
        await Channel(App(store)).do("Anna", "roll 2d6")
    done = await asyncio.to_thread(host.grognard, "backup", "monday.db")
    assert done.returncode == 0, done.stderr
    assert f"holds 1 game from {host.data / 'grognard.db'}" in done.stdout
    assert (host.disk / "home/monday.db").exists(), "a file is named from where you are"
    (host.disk / "home/monday.db").unlink()


def test_the_environment_wins_and_is_named(host: Host) -> None:
    host.settings.write_text("HEALTH_PORT=9\nLOG_LEVEL=INFO\nLOG_FORMAT=json\n")
    done = host.grognard("health", HEALTH_PORT="7", LOG_LEVEL="INFO")
    assert done.stderr == f"settings from {host.settings}, HEALTH_PORT from the environment\n"
    assert "port 7 of 127.0.0.1" in done.stdout


def test_hints_name_the_file_of_the_service(host: Host) -> None:
    host.settings.write_text("LOG_LEVEL=LOUD\n")
    assert f"Put this line in {host.settings}: LOG_LEVEL=INFO" in host.grognard("doctor").stdout
    host.settings.write_text("LOG_LEVEL=INFO\n")
    assert f"Put this line in {host.settings}: HEALTH_PORT=9090" in host.grognard("health").stderr
    assert f"Lines in {host.settings}: DISCORD_TOKEN=..." in host.grognard("run").stderr


def test_what_systemd_gave_already_is_not_said_again(host: Host) -> None:
    host.settings.write_text("HEALTH_PORT=9\n")
    assert host.grognard("health", HEALTH_PORT="9", GROGNARD_DATA=str(host.data)).stderr == ""


def test_other_commands_need_no_settings(host: Host) -> None:
    for words in (("roll", "2d6"), ("doctor", "--help"), ("--version",)):
        done = host.grognard(*words)
        assert (done.returncode, done.stderr) == (0, ""), words


def test_settings_that_are_not_there(host: Host) -> None:
    done = host.grognard("doctor")
    assert done.returncode == 2
    assert done.stderr == (
        f"{host.settings} is missing, so the service cannot start. "
        "sudo sh deploy/install.sh creates it.\n"
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (f"export DISCORD_TOKEN={SECRET}", 'systemd does not understand "export"'),
        (
            f"DISCORD_TOKEN={SECRET} # mine",
            "systemd reads a comment after a value as part of the value",
        ),
        (f"DISCORD_TOKEN={SECRET}\\", "a backslash at the end joins this line to the next"),
        (SECRET, "is not a setting: write NAME=value"),
    ],
)
def test_a_line_that_systemd_reads_otherwise_is_named_and_not_shown(
    host: Host, line: str, problem: str
) -> None:
    host.settings.write_text(f"# mine\n{line}\n")
    done = host.grognard("doctor")
    assert done.returncode == 2
    assert f"{host.settings} line 2" in done.stderr
    assert problem in done.stderr
    assert SECRET not in done.stderr + done.stdout


PR_CAPBSET_DROP = 24
"""Of Linux's prctl: a capability that no later program of this process is given."""
COMMANDS_WITH_FILES = [
    ("doctor",),
    ("run",),
    ("rerun", "--all"),
    ("backup", "monday.db"),
    ("restore", "LOCKED/monday.db"),
    ("copy", "sqlite:///old.db", "sqlite:////dev/shm/grognard-never-made.db"),
    ("copy", "LOCKED/settings.env", "sqlite:///new.db"),
    ("publish", "Hill", "site"),
]


def obey_rights() -> None:
    """Have the program that this process becomes obey the rights of files, though it is root's.

    It is never given CAP_DAC_OVERRIDE (1) and CAP_DAC_READ_SEARCH (2).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


@pytest.mark.slow_sample(3)
@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("words", COMMANDS_WITH_FILES)
def test_a_folder_that_this_user_may_not_look_into_gets_a_sentence(
    root: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Python's own questions about such a path raise.

    The folder is somebody else's. The command stays root's, so that it can read the code
    wherever the tests run, even in a folder that only root may look into.
    """
    locked = tmp_path / "locked"
    (locked / "data").mkdir(parents=True)
    locked.chmod(0o700)
    os.chown(locked, 65534, 65534)
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    done = subprocess.run(
        [sys.executable, "-m", "bot", *(word.replace("LOCKED", str(locked)) for word in words)],
        cwd=root, env={**kept, "DISCORD_TOKEN": "a.b.c", "GROGNARD_DATA": str(locked / "data")},
        capture_output=True, text=True, timeout=60, check=False, preexec_fn=obey_rights,
    )  # fmt: skip
    text = done.stdout + done.stderr
    assert "Traceback" not in text, text
    assert done.returncode in (1, 2), text
    assert str(locked) in text
    last_line = text.rstrip().splitlines()[-1]
    assert last_line.startswith(("FIX ", "note ")) == (words == ("doctor",)), last_line


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service of this user; the environment and the settings' file are put back after the
    test.
    """
    monkeypatch.setattr(settings_module, "_env_file", settings_module.get_env_file())
    monkeypatch.setattr(settings_module, "_settings_place", settings_module.get_settings_place())
    monkeypatch.setattr(os, "environ", os.environ.copy())
    settings = tmp_path / "grognard.env"
    settings.write_text("DISCORD_TOKEN=a.b.c\n")
    return Service(settings, tmp_path, tmp_path / "data", pwd.getpwuid(os.geteuid()).pw_name)


def test_somebody_else_is_told_to_use_sudo(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    with pytest.raises(UserError) as refused:
        enter_service(service, "doctor --replay")
    assert str(refused.value).endswith(". sudo grognard doctor --replay")


def test_a_user_that_is_not_there_is_named(service: Service) -> None:
    missing = Service(service.settings, service.folder, service.data, "no-such-user")
    with pytest.raises(
        UserError, match="The service runs as the user no-such-user, but there is no such user"
    ):
        enter_service(missing, "doctor")


def test_a_service_whose_settings_root_alone_may_read_has_them_from_systemd(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> str:
        raise PermissionError

    monkeypatch.setattr(Path, "read_text", refuse)
    enter_service(service, "run")
    assert (
        f"settings from the environment: {service.user} cannot read {service.settings}"
        in capsys.readouterr().err
    )


def test_settings_that_are_no_text(service: Service) -> None:
    service.settings.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        enter_service(service, "doctor")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_root_becomes_the_user_of_the_service_for_good(service: Service) -> None:
    script = f"""
import encodings.idna, os, pathlib
from bot.runtime.service import Service, enter_service
account = __import__("pwd").getpwnam("nobody")
enter_service(Service({service.settings!r}, {service.folder!r}, {service.data!r}, "nobody"), "doctor")
assert os.getresuid() == (account.pw_uid,) * 3 and os.getresgid() == (account.pw_gid,) * 3
assert 0 not in os.getgroups()
assert os.umask(0) == 0o077 and os.environ["HOME"] == account.pw_dir
assert os.environ["DISCORD_TOKEN"] == "a.b.c", "root read it before"
try:
    os.setuid(0)
except PermissionError:
    print("for good")
"""
    script = script.replace("PosixPath", "pathlib.Path")
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == "for good\n", done.stderr


@pytest.mark.parametrize(
    "home", ["opt/grognard", "opt/grognard/releases/1", "opt/grognard/releases/27"]
)
def test_a_release_and_an_installation_by_hand_have_a_service(
    root: Path, tmp_path: Path, home: str
) -> None:
    """All four facts are those of our own unit, below the folder that the packager named."""
    unit = tmp_path / "etc/systemd/system/grognard.service"
    unit.parent.mkdir(parents=True)
    shutil.copy(root / "deploy/grognard.service", unit)
    assert find_service(tmp_path / home) == Service(
        settings=tmp_path / "etc/grognard.env",
        folder=tmp_path / "opt/grognard",
        data=tmp_path / "var/lib/grognard",
        user="grognard",
    )
    assert find_service(tmp_path / "home/anna/grognard") is None


def test_a_checkout_a_wheel_and_a_container_are_no_service(tmp_path: Path) -> None:
    for home in (
        "/home/anna/grognard",
        "/usr/lib/python3/site-packages/grognard",
        "/app",
        str(tmp_path),
    ):
        assert find_service(Path(home)) is None
    assert find_service(tmp_path / "opt/grognard/releases/1") is None, "there is no unit"


def calls_in(function: ast.AST) -> set[str]:
    """The names of the functions that a function calls."""
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {call.id for call in calls if isinstance(call, ast.Name)}


def reads_settings(target: str) -> bool:
    """Return whether a command reads the settings, itself or by functions of its module."""
    module, _, name = target.partition(":")
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    functions = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    waiting, seen = [name], set[str]()
    while waiting:
        current = waiting.pop()
        if current == "load_settings":
            return True
        if current in functions and current not in seen:
            seen.add(current)
            waiting += calls_in(functions[current])
    return False


def test_each_command_that_reads_the_settings_is_one_of_the_service() -> None:
    reading = {name for name, target in COMMANDS.items() if reads_settings(target)}
    assert reading - OF_CONSOLE == set(OF_SERVICE)
    assert service_module.find_service() is None, "the tests run in a checkout"
