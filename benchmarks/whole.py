"""What whole commands cost from the app's door to their answers on the disk.

Run as `python -m benchmarks.whole [FOLDER]`. Rolls, fire and look-ups from 50 and from 500 channels
at once take turns, each channel with a game of its own. For each, the processor time of the loop's
thread is printed, which other load disturbs least, and the commands a second. One roll alone is
compared with a flush of this disk; the two take turns.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from adapters.run import limit_garbage_collection
from benchmarks.goals import goal
from bot.app import App
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Person, Place

LINES = {
    "roll": "/roll 2d6+3",
    "fire": '/lnlt fire attackers="squad fp=4; leader lm=1" tm=2 adjacent',
    "look-up": "/lnlt-table melee-odds attack=7 defense=5",
}
CHANNELS = (50, 500)
ROUNDS = 10
ALONE = 200


async def say(app: App, line: str, channel: int, request: str) -> None:
    """One command in one of many channels, five to a server, each with a person of its own."""
    place = Place(f"discord:{channel // 5}/{channel}", f"discord:{channel // 5}")
    who = Person(f"discord:{channel}", f"Anna {channel}")
    reply = await app.run_text(line, who, place, request, {"token": "t" * 40})
    assert not reply.error, reply.format_text()


async def together(app: App, line: str, channels: int, request: str) -> tuple[float, float]:
    """Seconds of the loop's thread, and of the clock, that one of so many commands at once
    takes.
    """
    wall, own = time.perf_counter(), time.thread_time()
    await asyncio.gather(
        *(say(app, line, channel, f"{request} {channel}") for channel in range(channels))
    )
    return (time.thread_time() - own) / channels, (time.perf_counter() - wall) / channels


async def alone(app: App, folder: Path) -> float:
    """How many flushes of this disk a roll takes that nobody else competes with: the median of
    pairs.
    """
    ratios = []
    file = os.open(folder / "flush", os.O_CREAT | os.O_WRONLY)
    for number in range(ALONE):
        start = time.perf_counter()
        os.pwrite(file, os.urandom(4096), number * 4096)
        os.fdatasync(file)
        flushed = time.perf_counter()
        await say(app, LINES["roll"], 0, f"alone {number}")
        ratios.append((time.perf_counter() - flushed) / (flushed - start))
    os.close(file)
    return statistics.median(ratios)


async def measure(folder: Path) -> None:
    """Print all figures."""
    app = App(await SqliteStore.open(folder / "games.db"))
    limit_garbage_collection()  # as `grognard run` does
    seconds: dict[tuple[str, int], list[tuple[float, float]]] = {}
    try:
        for round in range(-1, ROUNDS):  # the first warms up
            for channels in CHANNELS:
                for name, line in LINES.items():
                    pair = await together(app, line, channels, f"{name} {round} {channels}")
                    if round >= 0:
                        seconds.setdefault((name, channels), []).append(pair)
        for (name, channels), pairs in seconds.items():
            own, wall = (statistics.median(values) for values in zip(*pairs, strict=True))
            print(f"{name:8} {channels:4} channels: {own * 1e3:.2f} ms, {1 / wall:6.0f} a second")
        for name in LINES:
            few, many = (seconds[name, channels] for channels in CHANNELS)
            ratios = (own / fewer for (fewer, _), (own, _) in zip(few, many, strict=True))
            goal(f"{name}: 500 channels at once, beside 50", ratios, most=1.2)
        goal("a roll alone, in flushes of the disk", [await alone(app, folder)], most=3)
    finally:
        await app.close()


def main() -> None:
    """Measure on the disk of the folder given (default: where temporary files lie)."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()
