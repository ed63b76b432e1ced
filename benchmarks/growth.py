"""A year of a busy bot in one process: whether its memory stays flat. `python -m benchmarks.growth
[COMMANDS]`.

20,000 people in 10,000 channels roll, look things up and fight; what is outdated is deleted each
day, as the bot does.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import adapters.discord.serve  # noqa: F401 -- its library is part of what the bot takes
from adapters.run import limit_garbage_collection
from bot.app import App
from bot.monitoring.command_log import Watch
from bot.monitoring.metrics import Metrics
from bot.runtime.release import get_release
from bot.storage.base import DAY
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Person, Place

COMMANDS = 600_000
CHANNELS, PEOPLE = 10_000, 20_000
AT_ONCE = 20
ROUNDS = 20
"""How often memory is looked at."""
FLAT, MOST = 0.02, 90.0
"""By how much of itself it may grow in the second half, and the most MiB that it may be."""
TYPED = (
    "/roll 2d6",
    "/roll 2d6",
    "/roll 3d6+2 label=smoke",
    "/lnlt-table melee-odds attack=7 defense=5",
    '/lnlt fire attackers="squad fp=2" targets="leader morale=6; squad morale=5" tm=1',
    "/lnlt fire attackers=squad fp=1 odds",
)


def memory() -> float:
    """MiB of this process that are in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def grow(folder: Path, commands: int) -> list[float]:
    """The memory after each round of a year with so many commands."""
    now = 1_700_000_000.0
    step, chance, seen = 365 * DAY / commands, random.Random(24), list[float]()
    watch = Watch(Metrics(get_release()))
    store = await SqliteStore.open(folder / "games.db", clock=lambda: now, lasting=False)
    app = App(watch.watch_store(store), lambda: now, lambda: now)
    app.attach_watch(watch)
    limit_garbage_collection()
    swept, begun = now, time.monotonic()

    async def one(number: int) -> None:
        channel, person = chance.randrange(CHANNELS), chance.randrange(PEOPLE)
        where = Place(f"discord:{channel // 5}/{channel}", f"discord:{channel // 5}")
        who = Person(f"discord:{person}", f"Player {person}")
        reply = await app.run_text(TYPED[number % 5], who, where, f"r{number}", {"token": "t" * 40})
        assert not reply.error, reply.format_text()
        await app.answers.mark_delivered(reply, spot={"channel": channel, "message": number})

    try:
        for first in range(0, commands, AT_ONCE):
            await asyncio.gather(*(one(number) for number in range(first, first + AT_ONCE)))
            now += step * AT_ONCE
            if now - swept > DAY:
                swept = now
                await app.store.sweep(30 * DAY)
            if (first + AT_ONCE) % (commands // ROUNDS) < AT_ONCE:
                seen.append(memory())
                rate = (first + AT_ONCE) / (time.monotonic() - begun)
                print(
                    f"{first + AT_ONCE:9,} commands {seen[-1]:6.1f} MiB   {rate:5.0f} a second",
                    flush=True,
                )
    finally:
        await app.close()
    return seen


def main() -> None:
    """Grow in a temporary folder (TMPDIR); status 1 where memory is not flat, or too much."""
    commands = int(sys.argv[1]) if len(sys.argv) > 1 else COMMANDS
    with tempfile.TemporaryDirectory() as folder:
        seen = asyncio.run(grow(Path(folder), commands))
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
        print(f"the database: {size:.0f} MiB")
    later = seen[len(seen) // 2 :]
    grown = max(later) / min(later) - 1
    print(
        f"second half: {min(later):.1f} to {max(later):.1f} MiB, {grown:.1%} (at most {FLAT:.0%}, {MOST:.0f} MiB)"
    )
    sys.exit(grown > FLAT or max(seen) > MOST)


if __name__ == "__main__":
    main()
