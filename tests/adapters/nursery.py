"""Bots as processes of their own that start at once: they are forked from a process that has the
code loaded.

Hundreds of tests start the bot, and most of a start is Python reading modules. What is forked
behaves as what is started: it has its own process id, environment, folder and log, and can be
killed. Tests of the start itself, of what it loads and of what it costs do not use this.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, partialmethod
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, NoReturn

import discord
from slack_bolt.listener.async_listener import AsyncCustomListener

import adapters
import bot
from adapters.discord.command_payload import list_our_commands
from bot.odds_pool import process
from bot.report import page
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import load_packs_in
from tests.once import make_once

ROOT = Path(__file__).resolve().parents[2]
DOOR = "NURSERY_DOOR"
_SHARED = os.environ.pop(DOOR, "")
"""The address of the nursery that all workers of a run share; no process that a test starts is
told of it.
"""
SHARE = "SHARE_OF_PAUSES"
"""The setting of the tests that says which share of its pauses a bot makes."""
PAUSES = (
    "adapters.delivery_loop.EVERY",
    "adapters.delivery_loop.RETRY",
    "adapters.discord.serve.PAUSE",
    "adapters.slack.delivery.BURST",
    "adapters.slack.delivery.INTERVAL",
    "adapters.slack.home.SOON",
    "adapters.slack.serve.SETTLED",
    "bot.outbox.receipts.EVERY",
    "bot.storage.sqlite.store.LOOK_EVERY",
)
"""Of these pauses forked bots wait but a `share`. No deadline is among them: a busy machine has
as long as ever.
"""
DEADLINES = (
    "adapters.discord.calls._RECEIPT_LIMIT",
    "adapters.discord.incoming.BEFORE_A_RECEIPT",
    "adapters.slack.channels.NAME_WAIT_SECONDS",
    "adapters.slack.listeners.BUTTON_REMOVAL_SECONDS",
    "bot.commands.membership.MEMBER_CHECK_SECONDS",
    "bot.outbox.receipts.RECEIPT_WRITE_SECONDS",
    "bot.storage.sqlite.journal.BUSY_SECONDS",
)
"""What bots do without, or refuse, where it takes longer, as platforms wait three seconds. The
stand-ins wait ten, and so most bots of the tests have three times as long: what a busy machine
holds up is done all the same. Tests marked `real_pace` have the bot's own deadlines."""


def share() -> float:
    """What is waited of each of the `PAUSES`, and between two messages of a channel on the
    stand-in for Slack.
    """
    return float(os.environ.get(SHARE, "1"))


class Process:
    """A bot, with what `asyncio.subprocess.Process` has: `pid`, `returncode`, `wait`, `kill`,
    `send_signal`.
    """

    def __init__(self, pid: int, status: asyncio.Task[int]) -> None:
        self.pid, self._status = pid, status

    @property
    def returncode(self) -> int | None:
        """The exit status, less than nothing for the signal that ended it; None while it runs."""
        return (
            self._status.result() if self._status.done() and not self._status.cancelled() else None
        )

    async def wait(self) -> int:
        """The exit status, once it has ended."""
        return await asyncio.shield(self._status)

    def send_signal(self, number: int) -> None:
        """Nothing happens where it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """As a crash."""
        self.send_signal(signal.SIGKILL)


async def start(
    *words: str, cwd: Path, env: Mapping[str, str], log: Path, module: str = "bot.__main__"
) -> Process:
    """`python -m bot WORDS` in that folder with those settings alone; what it writes is added to
    `log`.

    Another `module` has a function `process`, too, which is called in place of the bot's.
    """
    reader, writer = await asyncio.open_unix_connection(open_door())
    asked = {
        "words": words,
        "cwd": str(cwd),
        "env": dict(env),
        "log": str(log),
        "luck": os.urandom(32).hex(),
        "pace": share(),
    }
    writer.write(json.dumps(asked | {"module": module}).encode() + b"\n")
    pid = int(await reader.readline())

    async def status() -> int:
        try:
            return os.waitstatus_to_exitcode(int(await reader.readline()))
        finally:
            writer.close()

    return Process(pid, asyncio.create_task(status()))


class Sums:
    """A worker process for sums, with what `bot/odds_pool/pool.py` needs of
    `asyncio.subprocess.Process`.
    """

    def __init__(self, pid: int, stdout: asyncio.StreamReader, stdin: asyncio.StreamWriter) -> None:
        self.pid, self.stdout, self.stdin = pid, stdout, stdin

    @property
    def returncode(self) -> int | None:
        """None while it runs."""
        return None if os.path.exists(f"/proc/{self.pid}") else 0

    async def wait(self) -> int:
        """0, once it has ended; somebody else may be reading what it says until then."""
        for _ in range(60_000):
            if self.returncode is not None:
                break
            await asyncio.sleep(0.001)
        return 0

    def kill(self) -> None:
        """As the pool does with one that takes too long. Raises ProcessLookupError."""
        os.kill(self.pid, signal.SIGKILL)


async def sums(env: Mapping[str, str]) -> Sums:
    """`python -m bot.odds_pool.process`, which speaks through a socket in place of pipes."""
    reader, writer = await asyncio.open_unix_connection(open_door(), limit=2**24)
    writer.write(json.dumps({"cwd": os.getcwd(), "env": dict(env)}).encode() + b"\n")
    return Sums(int(await reader.readline()), reader, writer)


def run(*words: str, cwd: Path, script: bytes = b"") -> tuple[int, str, str]:
    """`python -m bot WORDS` in that folder, to its end: its exit status, what it printed, and
    its errors.
    """
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as asker:
        given, printed, errors = (Path(folder) / name for name in ("in", "out", "err"))
        given.write_bytes(script)
        luck = os.urandom(32).hex()
        asked = {
            "words": words,
            "cwd": str(cwd),
            "env": dict(os.environ),
            "log": str(printed),
            "luck": luck,
        }
        asker.settimeout(60)
        asker.connect(open_door())
        asker.sendall(
            json.dumps(asked | {"stdin": str(given), "stderr": str(errors)}).encode() + b"\n"
        )
        with asker.makefile("rb") as told:
            status = os.waitstatus_to_exitcode([int(line) for line in told][1])
        return status, printed.read_text(), errors.read_text()


@cache
def open_door() -> str:
    """The address of the nursery: that of the run, or else one which ends with this process."""
    if _SHARED:
        return _SHARED
    folder = tempfile.mkdtemp(prefix="nursery")
    atexit.register(_remove, folder, os.getpid())
    address = os.path.join(folder, "door")
    command = [sys.executable, "-m", "tests.adapters.nursery", address]
    nursery = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert nursery.stdout is not None
    assert nursery.stdout.readline() == b"ready\n"
    return address


def _remove(folder: str, owner: int) -> None:
    """At the end of the process that made it, not of those that were forked from that."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def main(address: str) -> str:
    """Fork a bot for each who asks, until stdin ends. Returns in the bot, which then runs, what
    its module is.
    """
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        print("ready", flush=True)
        _wait_at(door)
        _load()
        # whoever was forked here and ends is gone: nobody waits for them
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            _wait_at(door)
            asker, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                door.close()
                return _keep(asker)
            asker.close()


def _wait_at(door: socket.socket) -> None:
    """Until somebody asks; ends the process where nobody will any more."""
    if sys.stdin in select.select([sys.stdin, door], [], [])[0]:
        sys.exit()


def _load() -> None:
    """Load what bots and workers would load: all code, all tables, the repository's packs and the
    templates of the page.
    """
    for package in (adapters, bot):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    list_our_commands()  # which packs there are, each finds out by itself
    load_shared_systems.cache_clear()
    make_once(setattr)
    for folder in (ROOT / "packs", ROOT / "tests" / "data" / "packs"):
        load_packs_in(folder)
    templates = page._create_environment()
    for name in templates.list_templates(extensions=["j2"]):
        templates.get_template(name)
    gc.collect()
    gc.freeze()  # what is loaded stays shared


def _set_pace(pace: float) -> None:
    """Wait this share of each of the `PAUSES` in this process. If it is below 1, the `DEADLINES`
    are three times as long.
    """
    for path in PAUSES:
        module, name = _module_and_name(path)
        pause = getattr(module, name)
        if isinstance(pause, tuple):
            setattr(module, name, tuple(pace * seconds for seconds in pause))
        else:
            setattr(module, name, pace * pause)
    discord.Client.before_identify_hook = partialmethod(_before_identify, 5.0 * pace)  # type: ignore[assignment]
    if pace < 1:
        for path in DEADLINES:
            module, name = _module_and_name(path)
            setattr(module, name, 3 * getattr(module, name))
        AsyncCustomListener.ack_timeout = property(lambda _: 9, lambda *_: None)  # type: ignore[assignment]


def _module_and_name(path: str) -> tuple[ModuleType, str]:
    """Return the loaded module of a dotted path, and the last name of the path."""
    module, _, name = path.rpartition(".")
    return import_module(module), name


async def _before_identify(
    _: discord.Client, pause: float, __: int | None, *, initial: bool = False
) -> None:
    """As the library has it, where nobody can change the pause."""
    if not initial:
        await asyncio.sleep(pause)


def _keep(asker: socket.socket) -> str:
    """Fork the bot; tell who asked its process id, and its status when it has ended. Returns in
    the bot, its module.
    """
    with asker.makefile("rb") as request:
        asked = json.loads(request.readline())
    if "words" not in asked:
        return _sum_up(asker, asked)
    Path(asked["log"]).touch()  # it can be read before anything is written
    pid = os.fork()
    if pid == 0:
        asker.close()
        return _become(asked)
    with suppress(BrokenPipeError, ConnectionResetError):
        asker.sendall(b"%d\n" % pid)
        asker.sendall(b"%d\n" % os.waitpid(pid, 0)[1])
    os._exit(0)


def _become(asked: Mapping[str, Any]) -> str:
    """What a process is given from outside: arguments, folder, settings, what to read, and where
    to write.
    """
    sys.argv[1:] = asked["words"]
    if "luck" in asked:
        # what the bot rolls follows from the test, see `_by_itself` in tests/conftest.py
        os.urandom = Random(asked["luck"]).randbytes
    _set_pace(asked.get("pace", 1.0))
    _settle(asked)
    given = os.open(asked.get("stdin", os.devnull), os.O_RDONLY)
    printed, errors = (
        os.open(asked.get(name, asked["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for name in ("stdout", "stderr")
    )
    for target, source in ((0, given), (1, printed), (2, errors)):
        os.dup2(source, target)
        os.close(source)
    return str(asked.get("module", "bot.__main__"))


def _settle(asked: Mapping[str, Any]) -> None:
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])


def _sum_up(asker: socket.socket, asked: Mapping[str, Any]) -> NoReturn:
    """Be the worker, which speaks with who asked. If that process has gone, end quietly."""
    _settle(asked)
    try:
        asker.sendall(b"%d\n" % os.getpid())
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)
    for target in (0, 1):
        os.dup2(asker.fileno(), target)
    asker.close()
    process.main()
    _end(0)


def _end(status: Any) -> NoReturn:
    """As `sys.exit` ends, but for taking every module apart: that costs more than most bots do
    in all their life.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os._exit(status or 0)


if __name__ == "__main__":
    begin = import_module(main(sys.argv[1]))
    try:
        begin.process()
    except SystemExit as end:
        _end(end.code)
