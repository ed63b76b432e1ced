"""What the bot costs beside a bare discord.py client: time from process start to the first answer,
and memory.

Run as `python -m benchmarks.discord`; both talk to the stand-in. "first start" has an empty data
folder and tells Discord all commands; the bare client tells it one, on every start.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.goals import goal
from tests.standins.discord import DiscordStandIn

RUNS = 7
BOT, BARE = ("-m", "bot", "discord"), ("-m", "tests.standins.discord.bare")


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds to the first answer, and MiB resident when it had come."""

    time: float
    memory: float


async def measure(discord: DiscordStandIn, module: Sequence[str], data: Path) -> Cost:
    """Start a process, let somebody roll as soon as it is connected, and end it."""
    environment = {
        **os.environ,
        "DISCORD_API": discord.url,
        "DISCORD_TOKEN": discord.token,
        "GROGNARD_DATA": str(data),
    }
    # else ours alone, unlike a library's, is compiled at every start
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *module, env=environment, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await discord.ready()
        asked = await discord.user("Anna").slash(discord.channel("table"), "roll", dice="2d6")
        await asked.answer()
        taken = (time.perf_counter() - start) * 1000
        return Cost(taken, resident(process.pid))
    finally:
        process.kill()
        await process.wait()
        await discord.gone()


def resident(pid: int) -> float:
    """MiB that a process holds now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def compare(runs: int = RUNS) -> dict[str, list[Cost]]:
    """Costs of each kind of start, in turns, so that a busy moment hits all alike."""
    found: dict[str, list[Cost]] = {"bare client": [], "first start": [], "later start": []}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            async with DiscordStandIn.running() as discord:
                found["bare client"].append(await measure(discord, BARE, Path(folder)))
            async with DiscordStandIn.running() as discord:
                found["first start"].append(await measure(discord, BOT, Path(folder)))
                found["later start"].append(await measure(discord, BOT, Path(folder)))
    return found


def main() -> None:
    """Print the median of each kind, and what it costs more than the bare client."""
    found = asyncio.run(compare())
    base = found["bare client"]
    for name, costs in found.items():
        taken, memory = (
            statistics.median(getattr(cost, what) for cost in costs) for what in ("time", "memory")
        )
        more = taken - statistics.median(cost.time for cost in base)
        extra = memory - statistics.median(cost.memory for cost in base)
        print(f"{name:12} {taken:7.0f} ms ({more:+5.0f})   {memory:6.1f} MiB ({extra:+5.1f})")
    later = [bot.time - bare.time for bot, bare in zip(found["later start"], base, strict=True)]
    goal(
        "Discord: first answer later than a bare client's, of 500 ms",
        [more / 500 for more in later],
        most=1.0,
    )


if __name__ == "__main__":
    main()
