"""A bare Debian in a folder, with systemd as its first process: a machine as a host gets it, on
this one.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

PACKAGES = (
    "systemd,systemd-sysv,dbus,sudo,git,python3,python3-venv,ca-certificates,procps,postgresql"
)
TRUSTED = (Path("/etc/ssl/certs/ca-certificates.crt"), Path("/etc/pip.conf"))
"""What this machine needs to reach its package index, that one needs too."""
EDITOR = '#!/bin/sh\ncat /var/tmp/settings >>"$1"\n'
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def bare_tree(folder: Path) -> None:
    """A Debian with what deploy/README.md takes for granted: systemd, sudo, git, Python, an editor,
    and a PostgreSQL that is off. One that was made before there was PostgreSQL in it is made anew.
    """
    if not (folder / "etc/postgresql").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", folder],
            check=True,
        )
        home = folder / "home" / "host"
        subprocess.run(
            ["chroot", folder, "useradd", "--create-home", "--shell", "/bin/bash", "host"],
            check=True,
        )
        assert home.is_dir()
        subprocess.run(["chroot", folder, "systemctl", "disable", "postgresql"], check=True)
        (folder / "etc/sudoers.d/host").write_text("host ALL=(ALL) NOPASSWD: ALL\n")
        (folder / "usr/bin/editor").write_text(EDITOR)
        (folder / "usr/bin/editor").chmod(0o755)
    for file in TRUSTED:
        if file.exists():
            shutil.copy(file, folder / file.relative_to("/"))


class Machine:
    """One machine: started, told line after line, switched off. Its network is this machine's."""

    def __init__(self, name: str, bare: Path, shared: Path) -> None:
        self.name, self.tree, self.shared = name, bare.parent / name, shared
        shutil.rmtree(self.tree, ignore_errors=True)
        subprocess.run(["cp", "-a", bare, self.tree], check=True)
        (self.tree / "etc/hosts").write_text(f"127.0.0.1 localhost {name}\n")
        (self.tree / "etc/hostname").write_text(f"{name}\n")
        self.folder = "/home/host"
        self._nspawn: asyncio.subprocess.Process | None = None
        self._first = 0

    async def on(self) -> None:
        """Switch it on, and wait until systemd has everything up."""
        words = [
            "-b",
            "-D",
            str(self.tree),
            "--register=no",
            "--keep-unit",
            "--hostname",
            self.name,
        ]
        log = (self.tree.parent / f"{self.name}.log").open("ab")
        self._nspawn = await asyncio.create_subprocess_exec(
            "systemd-nspawn", *words, f"--bind-ro={self.shared}:/srv", stdin=asyncio.subprocess.DEVNULL,
            stdout=log, stderr=log,
        )  # fmt: skip
        for _ in range(600):
            await asyncio.sleep(0.1)
            with suppress(AssertionError, ValueError):
                self._first = self._find_first()
                state, _ = await self._run("systemctl is-system-running", "root")
                if state.strip() in ("running", "degraded"):
                    return
        raise TimeoutError(f"{self.name} does not come up")

    def _find_first(self) -> int:
        """The process that is number 1 in there."""
        assert self._nspawn is not None
        waiting = [self._nspawn.pid]
        while waiting:
            process = waiting.pop()
            status = Path(f"/proc/{process}/status").read_text()
            if re.search(r"^NSpid:\s+\d+\s+1$", status, re.MULTILINE):
                return process
            waiting += map(
                int, Path(f"/proc/{process}/task/{process}/children").read_text().split()
            )
        raise ValueError("not up yet")

    async def do(
        self, line: str, *, status: int = 0, user: str = "host", seconds: int = 300
    ) -> str:
        """What a line prints that is typed as it is written, in the folder where the last one
        ended. Raises AssertionError where its exit status is another."""
        print(f"{self.name}:{self.folder}$ {line}", flush=True)
        said, ended = await self._run(
            f"cd {self.folder}\n{line}\nended=$?; pwd >/var/tmp/folder.{user}; exit $ended",
            user,
            seconds,
        )
        print("\n".join(f"    {row}" for row in said.splitlines()[-12:]), flush=True)
        assert ended == status, f"exit status {ended}, not {status}: {line}"
        self.folder = (self.tree / f"var/tmp/folder.{user}").read_text().strip()
        return said

    async def _run(self, lines: str, user: str, seconds: int = 300) -> tuple[str, int]:
        into = ["nsenter", "-t", str(self._first), "-m", "-u", "-i", "-p", "-r", "-w"]
        words = [
            "runuser",
            "-u",
            user,
            "--",
            "env",
            "-i",
            f"PATH={PATH}",
            f"HOME=/home/{user}",
            "LANG=C.UTF-8",
        ]
        if user == "root":
            words = ["env", "-i", f"PATH={PATH}", "HOME=/root", "LANG=C.UTF-8"]
        process = await asyncio.create_subprocess_exec(
            *into, *words, "bash", "-c", lines, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        said, _ = await asyncio.wait_for(process.communicate(), seconds)
        return said.decode(), process.returncode or 0

    async def off(self) -> None:
        """Switch it off."""
        if self._nspawn is None:
            return
        if self._first:
            await self._run("systemctl poweroff", "root")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._nspawn.wait(), 60)
            return
        with suppress(ProcessLookupError):
            self._nspawn.send_signal(signal.SIGKILL)
        await self._nspawn.wait()
