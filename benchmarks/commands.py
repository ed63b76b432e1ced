"""What a command costs from the app's door to its answer on the disk, in an empty database and
in a very full one.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from adapters.run import limit_garbage_collection
from bot.app import App
from bot.storage.records import Saved
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Person, Place

CHANNELS = 100_000
EVENTS = 10  # of each channel
COMMANDS = 500
AT_ONCE = 50
WHO = Person("discord:1", "Anna")


def place(number: int) -> Place:
    """One of many channels, five to a server."""
    return Place(f"discord:{number // 5}/{number}", f"discord:{number // 5}")


async def roll(app: App, channel: int, request: str) -> float:
    """Seconds that one roll takes."""
    start = time.perf_counter()
    reply = await app.run_text("/roll 2d6", WHO, place(channel), request, {"token": "t" * 40})
    taken = time.perf_counter() - start
    assert not reply.error, reply.format_text()
    await app.answers.mark_delivered(reply)
    return taken


async def measure(paths: dict[str, Path]) -> None:
    """Print figures for some databases, by turns, so that whatever else the machine does hits
    all alike.
    """
    apps = {name: App(await SqliteStore.open(path)) for name, path in paths.items()}
    limit_garbage_collection()  # as `grognard run` does
    step = CHANNELS // COMMANDS
    try:
        medians = {}
        for what, channels in (
            ("one channel", [0] * COMMANDS),
            ("ever another", range(0, CHANNELS, step)),
        ):
            times: dict[str, list[float]] = {name: [] for name in apps}
            for number, channel in enumerate(channels):
                for name, app in apps.items():
                    times[name].append(await roll(app, channel, f"{what} {number}"))
            for name, taken in times.items():
                medians[name, what] = statistics.median(taken)
                p99 = statistics.quantiles(taken, n=100)[98]
                print(
                    f"{name:6} {what:13} median {medians[name, what] * 1e3:6.2f} ms   p99 {p99 * 1e3:6.2f} ms"
                )
            print(
                f"       {what:13} full against empty {medians['full', what] / medians['empty', what]:.2f}, at most 1.3"
            )
        for name, app in apps.items():
            start = time.perf_counter()
            for round in range(10):
                await asyncio.gather(
                    *(roll(app, number, f"{round} of {number}") for number in range(AT_ONCE))
                )
            rate = 10 * AT_ONCE / (time.perf_counter() - start)
            print(f"{name:6} {AT_ONCE} channels at once: {rate:.0f} commands a second")
    finally:
        for app in apps.values():
            await app.close()


async def template(path: Path) -> Saved:
    """A channel with so many events, as the bot writes them."""
    app = App(await SqliteStore.open(path))
    try:
        for number in range(EVENTS - 1):
            await roll(app, 0, f"template {number}")
        saved = await app.store.load_game(place(0).key)
        assert saved is not None
        assert len(saved.events) == EVENTS
        return saved
    finally:
        await app.close()


def fill(path: Path, saved: Saved) -> None:
    """Copy the channel of `saved` into all others."""
    assert saved.seed is not None
    old, game, seed, person = saved.game.id, saved.game, saved.seed, saved.persons[0]
    names = [(f"{number:016x}", number) for number in range(1, CHANNELS)]
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.executemany(
            "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)",
            (
                (id, game.version, game.next_event, game.head, game.created, game.updated)
                for id, _ in names
            ),
        )
        db.executemany(
            "INSERT INTO bindings (place, game, server, current, number) VALUES (?, ?, ?, 1, 1)",
            ((place(number).key, id, place(number).server) for id, number in names),
        )
        db.executemany(
            "INSERT INTO seeds VALUES (?, 1, ?, ?, ?, '[]', ?, NULL)",
            ((id, seed.seed, seed.commitment, seed.first_event, seed.digest) for id, _ in names),
        )
        db.executemany(
            "INSERT INTO persons VALUES (?, ?, ?, ?)",
            ((id, person.person, person.user, person.name) for id, _ in names),
        )
        for event in saved.events:  # channels take turns, as they do in life
            db.executemany(
                "INSERT INTO events VALUES (?, ?, ?, ?)",
                ((id, event.number, event.body.replace(old, id), event.hash) for id, _ in names),
            )
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.sync()  # so that nobody measures the disk at work on this


def main() -> None:
    """Measure in the folder given (default: where temporary files lie)."""
    where = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=where) as folder:
        empty, full = Path(folder) / "empty.db", Path(folder) / "full.db"
        fill(full, asyncio.run(template(full)))
        print(
            f"full: {CHANNELS} channels, {CHANNELS * EVENTS} events, {full.stat().st_size / 1e6:.0f} MB"
        )
        asyncio.run(measure({"empty": empty, "full": full}))
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
