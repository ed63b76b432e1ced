"""`grognard slack` as a process of its own, pointed at the stand-in."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from tests.adapters import nursery
from tests.ports import free_port
from tests.standins.slack import SlackStandIn, Workspace

ROOT = Path(__file__).resolve().parents[3]


class Bot:
    """The bot's process; `start` it again after `kill`, as a host would: the data folder stays."""

    def __init__(
        self,
        slack: SlackStandIn,
        data: Path,
        home: Workspace | None,
        command: str = "slack",
        **settings: str,
    ) -> None:
        self.slack, self.data, self.command = slack, data, command
        self.port = free_port()
        oauth = settings.pop("oauth", "")
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")
            },
            **slack.env(home, port=self.port, oauth=bool(oauth)),
            "GROGNARD_DATA": str(data),
            "PYTHONPATH": str(ROOT),
            **settings,
        }
        self._log = data / "log.txt"
        self.process: nursery.Process

    async def start(self, patience: float = 60.0) -> None:
        """Start it, and wait until Slack reaches it. Raises AssertionError when it ends instead."""
        self.data.mkdir(parents=True, exist_ok=True)
        self.process = await nursery.start(
            self.command, cwd=self.data, env=self.environment, log=self._log
        )
        self.slack.request_url = f"http://127.0.0.1:{self.port}/slack/events"
        reached = self.slack.reachable if self.slack.transport == "http" else self.slack.connected
        ready = asyncio.create_task(reached(timeout=patience))
        ended = asyncio.create_task(self.process.wait())
        await asyncio.wait([ready, ended], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            ready.cancel()
            raise AssertionError(f"it ended: {self.log}")
        ended.cancel()
        await ready

    async def kill(self) -> None:
        """As a crash or a power cut."""
        self.process.kill()
        await self.process.wait()
        if self.slack.transport == "socket":
            await self.slack.disconnected()

    async def stop(self) -> int:
        """Ask it to stop; its exit status."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 60)

    def outbox_is_due(self) -> int:
        """Let the time pass after which another process may post what this one left (a minute);
        how many answers.
        """
        with closing(sqlite3.connect(self.data / "grognard.db")) as database, database:
            return int(database.execute("UPDATE outbox SET due = 0").rowcount)

    @property
    def log(self) -> str:
        """What it wrote so far."""
        return self._log.read_text()


@asynccontextmanager
async def running(
    slack: SlackStandIn, data: Path, home: Workspace | None, command: str = "slack", **settings: str
) -> AsyncIterator[Bot]:
    """A bot that is connected; ended at the end of the block, with its log shown if something
    failed.
    """
    bot = Bot(slack, data, home, command, **settings)
    try:
        await bot.start()
        yield bot
        assert await bot.stop() == 0, bot.log
        assert "Traceback" not in bot.log, bot.log
    finally:
        if bot.process.returncode is None:
            bot.process.kill()
            await bot.process.wait()
        print(bot.log)
