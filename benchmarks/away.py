"""What a bot costs while PostgreSQL is away: `python -m benchmarks.away [SECONDS]`, ten minutes
unless said otherwise.

Two bots at once, each with a server of its own: of one the server is away when it starts, of the
other it goes away while it plays.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from benchmarks.goals import goal
from tests.adapters.discord.process import Bot
from tests.monitoring.running_helpers import get
from tests.ports import free_port
from tests.standins.discord import DiscordStandIn
from tests.standins.postgres import postgres_server

SECONDS = 600.0
OURS = re.compile(r"\S+ \S+ (ERROR|WARNING) +(bot|adapters)\.|(?!\d{4}-)")
"""Lines of the bot, and of tracebacks; what the stand-in's heartbeat makes Discord's library say
is none of it.
"""
SETTLED = 15.0
"""Seconds after which what Python reads at a start is over."""


def processor(bot: Bot) -> float:
    """Seconds of processor time that a bot has taken."""
    fields = Path(f"/proc/{bot.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def away(folder: Path, seconds: float, *, from_the_start: bool) -> tuple[float, int]:
    """The share of a processor that a bot takes while its server is away, and the lines that it
    writes.
    """
    port = str(free_port())
    with postgres_server() as server:
        url = server.new_database()
        async with DiscordStandIn.running() as discord:
            bot = Bot(discord, folder, DATABASE_URL=url, HEALTH_PORT=port)
            if from_the_start:
                server.stop()
            await bot.start(ready=not from_the_start)
            await asyncio.sleep(SETTLED)
            before = 0 if from_the_start else len(bot.log.splitlines())
            server.stop()
            begun = processor(bot)
            await asyncio.sleep(seconds)
            taken = (processor(bot) - begun) / seconds
            status, said = await get(port, "/healthz")
            assert status == 503, said
            assert bot.process.returncode is None
            await asyncio.to_thread(server.start)
            await discord.ready()
            anna, table = discord.user("Anna"), discord.channel("table")
            assert "#" in (await (await anna.slash(table, "roll", dice="2d6")).answer()).text
            assert await bot.stop() == 0
            lines = [line for line in bot.log.splitlines()[before:] if OURS.match(line)]
            print("\n".join(lines), flush=True)
    return taken, len(lines)


async def measure(seconds: float) -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        found = await asyncio.gather(
            away(Path(first), seconds, from_the_start=True),
            away(Path(second), seconds, from_the_start=False),
        )
    for what, (taken, lines) in zip(("from the start", "while it plays"), found, strict=True):
        goal(
            f"PostgreSQL away {what}, {seconds / 60:g} minutes: percent of a processor",
            [100 * taken],
            most=1,
        )
        goal(f"PostgreSQL away {what}: lines of the log", [lines], most=12)


def main() -> None:
    """Measure for so many seconds."""
    asyncio.run(measure(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))


if __name__ == "__main__":
    main()
