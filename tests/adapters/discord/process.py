"""`grognard discord` as a process of its own, pointed at the stand-in."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from tests.adapters import nursery
from tests.standins.discord import DiscordStandIn

ROOT = Path(__file__).resolve().parents[3]


class Bot:
    """The bot's process; `start` it again after `kill`, as a host would: the data folder stays."""

    def __init__(
        self, discord: DiscordStandIn, data: Path, command: str = "discord", **settings: str
    ) -> None:
        self.discord, self.data, self._command = discord, data, command
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")
            },
            "DISCORD_API": discord.url,
            "DISCORD_TOKEN": discord.token,
            "GROGNARD_DATA": str(data),
            "PYTHONPATH": str(ROOT),
            **settings,
        }
        self._log = data / "log.txt"
        self.module = "bot.__main__"
        self.process: nursery.Process

    async def start(self, *, ready: bool = True) -> None:
        """Start it, and wait until it is connected."""
        self.data.mkdir(parents=True, exist_ok=True)
        self.process = await nursery.start(
            self._command, cwd=self.data, env=self.environment, log=self._log, module=self.module
        )
        if ready:
            await self.discord.ready()

    async def kill(self) -> None:
        """As a crash or a power cut."""
        self.process.kill()
        await self.process.wait()
        await self.discord.gone()

    async def stop(self) -> int:
        """Ask it to stop; its exit status."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 60)

    @property
    def log(self) -> str:
        """What it wrote so far."""
        return self._log.read_text()


@asynccontextmanager
async def running(discord: DiscordStandIn, data: Path, **settings: str) -> AsyncIterator[Bot]:
    """A bot that is connected; ended at the end of the block, with its log shown if something
    failed.
    """
    bot = Bot(discord, data, **settings)
    await bot.start()
    try:
        yield bot
        assert await bot.stop() == 0, bot.log
        assert discord.site.unknown == []
    finally:
        if bot.process.returncode is None:
            bot.process.kill()
            await bot.process.wait()
        print(bot.log)


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Nobody else can write to the database in this block."""
    db = sqlite3.connect(data / "grognard.db", isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        db.execute("ROLLBACK")
        db.close()
