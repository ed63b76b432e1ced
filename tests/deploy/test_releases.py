"""Releases lie beside each other, and one link says which runs: an update or a way back that is
killed at any of its steps leaves one that works, whole, and is finished by typing it again. A small
project stands in for ours; the scripts in deploy/ and the units are the real ones."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
STRIDE = 3
"""Of the steps of an install every third is killed, and the last."""
TOOLS = ("cp", "mv", "ln", "rm", "mkdir", "chmod")
STEP = """#!/bin/sh
read -r count <"$COUNT"; count=$((count + 1)); echo $count >"$COUNT"
{program} "$@"
status=$?
[ $count = "$KILL" ] && kill -9 $PPID
exit $status
"""
"""A command that counts, and kills the script that called it when it is time."""
PYTHON = """#!/bin/sh
case "$*" in
*"-m venv"*) for folder; do :; done; {mkdir} -p "$folder/bin"; {cp} "$0" "$folder/bin/python" ;;
*"-m pip"*) [ "$OFFLINE" ] && exit 1; for lock; do :; done; {cp} "$lock" "${{0%/bin/*}}/libraries" ;;
*compileall*) ;;
*) [ ! -e "${{0%/bin/*}}/libraries" ] || read -r LIBRARIES <"${{0%/bin/*}}/libraries"
    export LIBRARIES; exec {python} "$@" ;;
esac
"""
"""A Python whose environments need no network: their libraries are one line, that of the lock."""
SYSTEMCTL = """#!/bin/sh
echo "$*" >>"$ROOT/told"
case $1 in is-enabled | is-active) exec test -e "$ROOT/enabled" ;; esac
[ "$1" = enable ] && touch "$ROOT/enabled"
[ "$*" = "restart grognard" ] || exit 0
[ "$BROKEN" ] || exit 0
! grep -q "version = \\"$BROKEN\\"" "$ROOT/opt/grognard/current/pyproject.toml"
"""
OLD_UNIT = "[Service]\nWorkingDirectory=/opt/grognard\nExecStart=/opt/grognard/.venv/bin/python -m bot run\n"
OLD_COPY = "[Service]\nExecStart=/opt/grognard/deploy/backup.sh\n"


@dataclass
class Host:
    """A host's disk below a folder, and what is typed there."""

    root: Path
    folder: Path

    def __post_init__(self) -> None:
        self.disk, self.tools = self.folder / "disk", self.folder / "tools"
        (self.disk / "run/systemd/system").mkdir(parents=True)  # systemd runs
        self.tools.mkdir()
        for name in TOOLS:
            self._write(self.tools / name, STEP.format(program=shutil.which(name)))
        self._write(self.folder / "systemctl", SYSTEMCTL)
        own = {"mkdir": shutil.which("mkdir"), "cp": shutil.which("cp"), "python": sys.executable}
        self._write(self.folder / "real", PYTHON.format(**own))
        self._write(self.tools / "python3", STEP.format(program=self.folder / "real"))
        (self.folder / "count").write_text("0")

    @staticmethod
    def _write(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def checkout(self, version: str) -> Path:
        """A checkout of a release: it says the version of each of its parts."""
        at = self.folder / version
        if not at.exists():
            for part in ("bot", "adapters", "tables", "packs"):
                (at / part).mkdir(parents=True)
                (at / part / "__init__.py").write_text(f'VERSION = "{version}"\n')
            said = "import os\nimport adapters\nimport bot\n"
            (at / "bot" / "__main__.py").write_text(
                f"{said}print(bot.VERSION, adapters.VERSION, os.environ['LIBRARIES'])\n"
            )
            shutil.copytree(self.root / "deploy", at / "deploy")
            (at / "requirements.lock").write_text(f"{version}\n")
            (at / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
            (at / "LICENSE").write_text("")
            (at / ".env.example").write_text("# DISCORD_TOKEN=\n")
        return at

    def install(
        self, version: str, *words: str, kill: int = 0, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """What `sh deploy/install.sh` says in that checkout; killed behind its so-manieth step."""
        (self.folder / "count").write_text("0")
        settings = {
            "ROOT": str(self.disk), "SYSTEMCTL": str(self.folder / "systemctl"), "COUNT": str(self.folder / "count"),
            "KILL": str(kill), "OFFLINE": "", "BROKEN": "",
            "PATH": f"{self.tools}:{os.environ['PATH']}", **env,
        }  # fmt: skip
        return subprocess.run(
            ["sh", str(self.checkout(version) / "deploy" / "install.sh"), *words],
            env={**os.environ, **settings}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    @property
    def steps(self) -> int:
        """How many steps the last run had."""
        return int((self.folder / "count").read_text())

    def in_place(self, version: str) -> None:
        """As install.sh left it at 3d133fa: all files in /opt/grognard, no link."""
        app, units = self.disk / "opt/grognard", self.disk / "etc/systemd/system"
        shutil.copytree(self.checkout(version), app)
        (app / "deploy/grognard.service").write_text(OLD_UNIT)
        (app / "deploy/grognard-backup.service").write_text(OLD_COPY)
        subprocess.run([self.folder / "real", "-m", "venv", app / ".venv"], check=True)
        (app / ".venv/libraries").write_text(f"{version}\n")
        units.mkdir(parents=True)
        for unit in ("grognard.service", "grognard-backup.service", "grognard-backup.timer"):
            shutil.copy(app / "deploy" / unit, units / unit)
        (self.disk / "etc/grognard.env").write_text("DISCORD_TOKEN=mine\n")
        (self.disk / "enabled").touch()
        (app / "my-packs").mkdir()

    def started(self) -> str:
        """What says which release systemd would start at this moment: the words of all its
        parts.
        """
        unit = (self.disk / "etc/systemd/system/grognard.service").read_text()
        (folder,) = re.findall(r"^WorkingDirectory=(.*)", unit, re.MULTILINE)
        (line,) = re.findall(r"^ExecStart=(.*)", unit, re.MULTILINE)
        program, *words = line.split()
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [f"{self.disk}{program}", *words],
            cwd=f"{self.disk}{folder}",
            env=kept,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        copy = (self.disk / "etc/systemd/system/grognard-backup.service").read_text()
        (backup,) = re.findall(r"^ExecStart=(.*)", copy, re.MULTILINE)
        assert (Path(f"{self.disk}{backup}")).exists(), "the nightly copy would not start"
        return done.stdout.strip()

    def is_at(self, version: str) -> bool:
        """Whether all parts of what would start are of one release, and of this one."""
        said = self.started().split()
        assert len(set(said)) == 1, f"parts of two releases: {said}"
        return said == [version] * 3

    def releases(self) -> list[str]:
        """Those that lie there."""
        return sorted(path.name for path in (self.disk / "opt/grognard/releases").iterdir())


@pytest.fixture
def host(root: Path, tmp_path: Path) -> Host:
    return Host(root, tmp_path)


def settled(host: Host, version: str) -> None:
    """A release is installed, with a token, and enabled."""
    (host.disk / "etc").mkdir(exist_ok=True)
    (host.disk / "etc/grognard.env").write_text("DISCORD_TOKEN=mine\n")
    done = host.install(version)
    assert done.returncode == 0, done.stderr


def test_installed_once_more_it_builds_nothing_and_keeps_the_settings(host: Host) -> None:
    done = host.install("0.2.0")
    assert done.returncode == 0, done.stderr
    assert "Almost done: set DISCORD_TOKEN" in done.stdout
    env = host.disk / "etc/grognard.env"
    assert env.stat().st_mode & 0o777 == 0o640
    env.write_text("DISCORD_TOKEN=mine\n")
    again = host.install("0.2.0", OFFLINE="1")
    assert again.returncode == 0, again.stderr
    assert "Release 1 (0.2.0) is built already" in again.stdout
    assert env.read_text() == "DISCORD_TOKEN=mine\n"
    assert host.is_at("0.2.0")
    assert host.releases() == ["1"]
    assert (
        os.readlink(host.disk / "usr/local/bin/grognard") == "/opt/grognard/current/deploy/grognard"
    )


def changes(lines: str, program: str = "") -> list[str]:
    """Return the systemctl commands in these lines that change something."""
    found = [
        line.strip().removeprefix(program).strip() for line in lines.splitlines() if program in line
    ]
    return [line for line in found if not line.startswith("is-")]


@pytest.mark.parametrize("state", ["first", "first with a token", "update", "rollback"])
def test_a_dry_run_says_what_is_then_done(host: Host, state: str) -> None:
    """The very lines for systemd: a first install without a token starts no bot, so none is
    announced.
    """
    if state != "first":
        (host.disk / "etc").mkdir()
        (host.disk / "etc/grognard.env").write_text("DISCORD_TOKEN=mine\n")
    if state in ("update", "rollback"):
        assert host.install("0.1.0").returncode == 0
    if state == "rollback":
        assert host.install("0.2.0").returncode == 0
    words = ["--rollback"] if state == "rollback" else []
    told = host.disk / "told"
    told.unlink(missing_ok=True)
    dry = host.install("0.2.0", "--dry-run", *words)
    assert dry.returncode == 0, dry.stderr
    assert dry.stdout.splitlines()[-1] == "== Nothing was done: this was --dry-run"
    assert changes(told.read_text()) == []
    done = host.install("0.2.0", *words)
    assert done.returncode == 0, done.stderr
    assert changes(dry.stdout, str(host.folder / "systemctl")) == changes(told.read_text())
    assert ("restart grognard" in changes(told.read_text())) == (state != "first")


def test_up_back_and_up_again(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    assert host.is_at("0.2.0")
    back = host.install("0.2.0", "--rollback", OFFLINE="1")
    assert back.returncode == 0, back.stderr
    assert "Back from release 2 (0.2.0) to 1 (0.1.0)" in back.stdout
    assert host.is_at("0.1.0")
    assert (host.disk / "told").read_text().endswith("daemon-reload\nrestart grognard\n")
    nowhere = host.install("0.2.0", "--rollback")
    assert nowhere.returncode == 1
    assert "there is no release before 1 (0.1.0)" in nowhere.stderr
    assert host.install("0.2.0", OFFLINE="1").returncode == 0, (
        "it is built already: no network is needed"
    )
    assert host.is_at("0.2.0")


def test_back_goes_to_what_ran_before_and_not_to_the_number_below(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    assert host.install("0.2.0", "--rollback").returncode == 0
    assert host.install("0.2.1").returncode == 0
    assert host.install("0.2.1", "--rollback").returncode == 0
    assert host.is_at("0.1.0")


def test_a_network_that_is_away_changes_nothing(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0", OFFLINE="1").returncode != 0
    assert host.is_at("0.1.0")
    assert host.install("0.2.0").returncode == 0
    assert host.is_at("0.2.0")
    assert host.releases() == ["1", "2"]


def test_an_update_that_does_not_start_names_the_way_back(host: Host) -> None:
    settled(host, "0.1.0")
    done = host.install("0.2.0", BROKEN="0.2.0")
    assert done.returncode == 1
    assert "the way back: sudo sh deploy/install.sh --rollback" in done.stderr
    assert host.install("0.2.0", "--rollback", BROKEN="0.2.0").returncode == 0
    assert host.is_at("0.1.0")


def test_an_older_release_that_does_not_start_is_left_for_the_newer_again(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    done = host.install("0.2.0", "--rollback", BROKEN="0.1.0")
    assert done.returncode == 1
    assert "release 1 does not start, so 2 runs on" in done.stderr
    assert host.is_at("0.2.0")
    assert (
        "there is no copy grognard.db.schema-N.bak"
        in host.install("0.2.0", "--rollback", "--with-copy").stderr
    )


def test_back_with_the_copy_stops_the_bot_and_restores_by_the_older_release(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    copy = host.disk / "var/lib/grognard/grognard.db.schema-7.bak"
    copy.touch()
    done = host.install("0.2.0", "--rollback", "--with-copy")
    assert done.returncode == 0, done.stderr
    assert "0.1.0 0.1.0 0.1.0\n" in done.stdout, "the older release was asked to restore it"
    assert host.is_at("0.1.0")
    assert (
        (host.disk / "told")
        .read_text()
        .endswith("stop grognard\ndaemon-reload\nrestart grognard\n")
    )


def test_the_three_newest_stay_and_those_that_are_needed(host: Host) -> None:
    settled(host, "0.1.0")
    for version in ("0.2.0", "0.2.1", "0.2.2", "0.2.3"):
        assert host.install(version).returncode == 0
    assert host.releases() == ["3", "4", "5"]


def test_a_host_with_files_in_place_is_moved_over_and_back(host: Host) -> None:
    host.in_place("0.1.0")
    assert host.is_at("0.1.0")
    done = host.install("0.2.0")
    assert done.returncode == 0, done.stderr
    assert host.is_at("0.2.0")
    app = host.disk / "opt/grognard"
    assert {path.name for path in app.iterdir()} == {"current", "releases", "my-packs", "packs"}
    assert (app / "packs").resolve() == (app / "releases/2/packs").resolve()
    assert (host.disk / "etc/grognard.env").read_text() == "DISCORD_TOKEN=mine\n"
    back = host.install("0.2.0", "--rollback")
    assert back.returncode == 0, back.stderr
    assert host.is_at("0.1.0")


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kind", ["update", "move", "rollback"])
def test_an_install_killed_behind_a_step_goes_on(root: Path, tmp_path: Path, kind: str) -> None:
    host, words = Host(root, tmp_path), ("--rollback",) if kind == "rollback" else ()
    if kind == "move":
        host.in_place("0.1.0")
    else:
        settled(host, "0.1.0")
    if kind == "rollback":
        assert host.install("0.2.0").returncode == 0
    start, goal = tmp_path / "start", "0.1.0" if kind == "rollback" else "0.2.0"
    shutil.copytree(host.disk, start, symlinks=True)
    assert host.install("0.2.0", *words).returncode == 0
    steps, whole = host.steps, host.releases()
    assert host.is_at(goal)
    assert steps > 8
    for step in (*range(1, steps, STRIDE), steps):
        shutil.rmtree(host.disk)
        shutil.copytree(start, host.disk, symlinks=True)
        assert host.install("0.2.0", *words, kill=step).returncode != 0, step
        at_goal = host.is_at(goal)
        if not (kind == "rollback" and step == steps):  # that one was done
            again = host.install("0.2.0", *words)
            assert again.returncode == 0, (step, again.stderr)
        assert host.is_at(goal), (step, at_goal)
        assert host.releases() == whole, step
        assert not [*host.disk.rglob("*.new"), *host.disk.glob("opt/grognard/back")], step
