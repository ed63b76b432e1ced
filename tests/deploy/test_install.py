"""deploy/install.sh says what it would do, and does it; deploy/backup.sh keeps the newest
copies; copies bring a running bot's games back, also those of before an update."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import main, process
from bot.storage.sqlite.schema import FIRST_VERSION, get_backup_path, migrate
from tests.adapters.discord.process import Bot
from tests.deploy.walk.readme import Walk, text_of_pages
from tests.standins.discord import DiscordStandIn


def script(root: Path, name: str, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(root / "deploy" / name), *words],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_a_dry_run_says_everything_and_does_nothing(root: Path, tmp_path: Path) -> None:
    done = script(root, "install.sh", "--dry-run", ROOT=str(tmp_path), PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    for words in (
        "-m venv",
        "--require-hashes",
        "grognard.service",
        "grognard-backup.timer",
        "etc/grognard.env",
    ):
        assert words in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_word_and_an_old_python_are_refused(root: Path, tmp_path: Path) -> None:
    assert script(root, "install.sh", "--force").returncode == 2
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2\nexit 1\n')
    old.chmod(0o755)
    done = script(root, "install.sh", "--dry-run", PYTHON=str(old))
    assert done.returncode == 1
    assert "Python 3.9.2 is too old, 3.11 or newer is needed" in done.stderr


@pytest.mark.parametrize("words", [(), ("--rollback",)])
def test_where_systemd_does_not_run_it_says_so_and_builds_nothing(
    root: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """The command systemctl is there, as in a container or in WSL."""
    env = {"ROOT": str(tmp_path), "SYSTEMCTL": "/bin/true", "PYTHON": sys.executable}
    done = script(root, "install.sh", *words, **env)
    assert (done.returncode, done.stdout) == (1, "")
    first, last = done.stderr.splitlines()
    assert first.startswith("install: systemd is not running here")
    assert last.startswith("install: In WSL, put systemd=true")
    assert list(tmp_path.iterdir()) == []
    if not words:
        dry = script(root, "install.sh", "--dry-run", **env)
        assert dry.returncode == 0, dry.stderr
        assert "install: Without --dry-run it would stop here." in dry.stderr


def test_each_line_that_the_walk_types_is_on_a_page(root: Path) -> None:
    """`make walk` needs a machine of its own; a line that was renamed is found here."""
    walk = Walk(text_of_pages())
    program = (root / "tests/deploy/walk/__main__.py").read_text()
    asked = re.findall(r'walk\.line\(\s*"([^"]+)"', program) + re.findall(
        r'for line in \((".+")\):', program
    )
    lines = [line for words in asked for line in (re.findall('"([^"]+)"', words) or [words])]
    assert len(lines) > 20
    for line in lines:
        assert walk.line(line)


def git(folder: Path, *words: str) -> None:
    """Type a line for git, as somebody without settings of their own."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_the_newest_release_is_checked_out_and_where_there_is_none_it_says_so(
    root: Path, tmp_path: Path
) -> None:
    project, host = tmp_path / "project", tmp_path / "host"
    (project / "deploy").mkdir(parents=True)
    shutil.copy(root / "deploy/newest.sh", project / "deploy")
    git(project, "init", "--quiet")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "first")
    git(tmp_path, "clone", "--quiet", str(project), str(host))
    none = script(host, "newest.sh")
    assert (none.returncode, none.stderr) == (0, "")
    assert re.fullmatch(
        "There is no release yet: [0-9a-f]+ stays as it is, and you can install it.\n",
        none.stdout,
    )
    for tag in ("v0.9.0", "v0.10.0", "v0.11.0-rc1", "vineyard"):
        git(project, "commit", "--quiet", "--allow-empty", "--message", tag)
        git(project, "tag", tag)
    for _ in range(2):
        newest = script(host, "newest.sh")
        assert (newest.stdout, newest.stderr) == ("This is v0.10.0, the newest release.\n", "")
    shutil.rmtree(project)
    away = script(host, "newest.sh")
    assert away.returncode == 1
    assert away.stderr.splitlines()[-1] == (
        "newest: the project's address does not answer (see above), so v0.10.0 stays as it is"
    )


def test_a_checkout_without_a_release_is_called_that(root: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("requirements.lock", "pyproject.toml", "LICENSE", ".env.example"):
        shutil.copy(root / name, project)
    shutil.copytree(root / "deploy", project / "deploy")
    for part in ("bot", "adapters", "tables", "packs"):
        (project / part).mkdir()
    git(project, "init", "--quiet")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "first")
    env = {"ROOT": str(tmp_path / "disk"), "PYTHON": sys.executable}
    done = script(project, "install.sh", "--dry-run", **env)
    assert re.fullmatch(
        r"install: there is no release yet; this installs the checkout as it is \(\w+\)\n",
        done.stderr,
    )
    git(project, "tag", "v9.9.9")
    done = script(project, "install.sh", "--dry-run", **env)
    assert "is not the tagged release v" in done.stderr
    assert done.stderr.endswith("sh deploy/newest.sh gets the newest\n")


@pytest.mark.slow
def test_what_it_installs_rolls(root: Path, tmp_path: Path) -> None:
    """The whole program; tests/deploy/test_releases.py goes up and back with a small one."""
    python = tmp_path / "python"  # its libraries are here already: no test waits for a network
    python.write_text(
        f"""#!/bin/sh
case "$*" in
*"-m venv"*) for folder; do :; done; mkdir -p "$folder/bin"; cp "$0" "$folder/bin/python" ;;
*"-m pip"*) ;;
*) exec {sys.executable} "$@" ;;
esac
"""
    )
    python.chmod(0o755)
    disk = tmp_path / "disk"
    done = script(root, "install.sh", ROOT=str(disk), PYTHON=str(python))
    assert done.returncode == 0, done.stderr
    assert (disk / "etc" / "grognard.env").stat().st_mode & 0o777 == 0o640
    units = {path.name for path in (disk / "etc" / "systemd" / "system").iterdir()}
    assert units == {"grognard.service", "grognard-backup.service", "grognard-backup.timer"}
    assert (disk / "var" / "backups" / "grognard").stat().st_mode & 0o777 == 0o700
    command = disk / "opt" / "grognard" / "current" / "deploy" / "grognard"
    rolled = subprocess.run(
        [command, "roll", "2d6"], cwd="/", capture_output=True, text=True, check=True
    )
    assert rolled.stdout.startswith("2d6: [")


def test_without_its_libraries_it_says_so_in_a_line(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "deploy", tmp_path / "deploy")
    done = script(tmp_path, "backup.sh", BACKUPS=str(tmp_path / "copies"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "make setup" in done.stderr


def test_windows_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.__main__.os.name", "nt")
    with pytest.raises(SystemExit) as ended:
        process()
    monkeypatch.undo()
    assert ended.value.code == 2
    assert "Use WSL" in capsys.readouterr().err


@pytest.mark.slow
def test_the_newest_copies_are_kept_and_no_other_file_is_touched(
    root: Path, tmp_path: Path
) -> None:
    data, copies, tools = tmp_path / "data", tmp_path / "copies", tmp_path / "tools"
    for folder in (data, copies, tools):
        folder.mkdir()
    with closing(sqlite3.connect(data / "grognard.db", isolation_level=None)) as db:
        migrate(db, data / "grognard.db")
    (copies / "grognard-monday.db").write_text("mine")
    clock = tools / "date"
    env = {
        "GROGNARD_DATA": str(data),
        "BACKUPS": str(copies),
        "KEEP": "2",
        "PATH": f"{tools}:{os.environ['PATH']}",
    }
    for hour in (1, 2, 3):
        clock.write_text(f"#!/bin/sh\necho 20260101-0{hour}0000\n")
        clock.chmod(0o755)
        done = script(root, "backup.sh", **env)
        assert done.returncode == 0, done.stderr
    kept = sorted(path.name for path in copies.iterdir())
    assert kept == [
        "grognard-20260101-020000.db",
        "grognard-20260101-030000.db",
        "grognard-monday.db",
    ]
    assert script(root, "backup.sh", **{**env, "KEEP": "none"}).returncode == 2


@pytest.mark.slow
async def test_a_copy_of_a_running_bot_brings_its_games_back(root: Path, tmp_path: Path) -> None:
    env = {"GROGNARD_DATA": str(tmp_path / "data"), "BACKUPS": str(tmp_path / "copies")}
    async with DiscordStandIn.running() as discord:
        bot = Bot(discord, tmp_path / "data")
        await bot.start()
        try:
            anna, table = discord.user("Anna"), discord.channel("table")
            await (await anna.slash(table, "roll", dice="2d6", label="first")).answer()
            done = await asyncio.to_thread(script, root, "backup.sh", **env)
            assert done.returncode == 0, done.stderr
            (copy,) = (tmp_path / "copies").iterdir()
            await (await anna.slash(table, "roll", dice="2d6", label="second")).answer()
            refused = await asyncio.to_thread(script, root, "grognard", "restore", str(copy), **env)
            assert refused.returncode == 2
            assert "is open in another process. Stop the bot first" in refused.stderr
            assert "second" in (await (await anna.slash(table, "log")).answer()).text
            assert await bot.stop() == 0
            back = await asyncio.to_thread(script, root, "grognard", "restore", str(copy), **env)
            assert back.returncode == 0, back.stderr
            await bot.start()
            log = (await (await anna.slash(table, "log")).answer()).text
            assert "first" in log
            assert "second" not in log
            assert await bot.stop() == 0
        finally:
            if bot.process.returncode is None:
                bot.process.kill()
                await bot.process.wait()
            print(bot.log)


async def test_back_to_an_older_release_with_the_copy_that_the_newer_one_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    path = tmp_path / "grognard.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, path)
        db.execute("INSERT INTO docs VALUES ('note', 'of before', '{}', NULL, '')")
        migrate(db, path, ("CREATE TABLE weather (game TEXT)",))  # the newer release
    assert main(["restore", str(get_backup_path(path, FIRST_VERSION))]) == 0
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (FIRST_VERSION,), (
            "the older release opens it"
        )
        assert db.execute("SELECT key FROM docs").fetchall() == [("of before",)]
