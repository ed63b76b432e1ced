"""Helpers of tests/deploy/test_releases.py, which other tests use as well."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

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
