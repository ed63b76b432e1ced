"""A database of a million events on both stores: how soon it is open, what a command in a cold game
takes, and a copy.

`python -m benchmarks.million [EVENTS]`. The server is one of its own, as Debian sets it up (fsync
on).
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import commands
from benchmarks.commands import EVENTS, fill, roll, template
from benchmarks.goals import goal
from benchmarks.store import flush_time
from bot.app import App
from bot.cli.database import back_up_database
from bot.monitoring.health import build_copy_doc
from bot.runtime.settings import load_settings
from bot.storage.base import DAY
from bot.storage.copying import copy_all
from bot.storage.opening import open_store
from bot.storage.postgres.copying import open_postgres_target
from bot.storage.sqlite.copying import open_sqlite_source
from bot.verification.check_games import audit_games
from tests.standins.postgres import postgres_server

MILLION = 1_000_000
COLD = 600
"""Games that nobody has touched since the start."""
OPENED = 5


async def fetch(path: Path, url: str) -> None:
    """Copy the file into the server."""
    async with open_sqlite_source(path) as old, open_postgres_target(url) as new:
        await copy_all(old, new)


async def opened_and_played(name: str) -> None:
    """Open it some times, then play in games that are not in memory."""
    settings = load_settings()
    times = []
    for _ in range(OPENED):
        begun = time.perf_counter()
        store = await open_store(settings)
        times.append(time.perf_counter() - begun)
        await store.close()
    goal(f"{name}, a million events: seconds until it is open", times, most=0.1)
    app = await App.open(settings)
    try:
        step = commands.CHANNELS // COLD
        taken = [
            1000 * await roll(app, number * step + 1, f"{name} cold {number}")
            for number in range(COLD)
        ]
    finally:
        await app.close()
    print(
        f"{name}: a command in a cold game p50 {statistics.median(taken):.1f} ms, worst {max(taken):.0f} ms"
    )
    goal(
        f"{name}, a million events: p99 of a command in a cold game, ms",
        [statistics.quantiles(taken, n=100)[98]],
        most=20,
    )


async def replayed(path: Path) -> float:
    """Seconds in which every game of a copy is played again."""
    begun = time.perf_counter()
    os.environ["DATABASE_URL"] = f"sqlite:///{path}"
    async with await open_store(load_settings()) as store:
        count, _ = await audit_games(store)
    took = time.perf_counter() - begun
    print(f"{count:,} games of a copy played again: {took:.0f} s")
    return took


async def copied_before() -> None:
    """As on any night but the first: older games were played again for the copy before."""
    async with await open_store(load_settings()) as store:
        await store.put_doc(build_copy_doc(None, time.time() + DAY, is_whole=True))


def copied(name: str, path: Path) -> None:
    """Copy it as the timer does."""
    begun, worked = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        # the games are copies of one, so their dice are not their own
        assert back_up_database([str(path)]) in (0, 1)
    print(f"{name}: a copy took {time.perf_counter() - begun:.1f} s")
    goal(
        f"{name}, a million events: processor seconds of a copy",
        [time.process_time() - worked],
        most=10,
    )


def main() -> None:
    """Measure in a temporary folder (TMPDIR)."""
    commands.CHANNELS = (int(sys.argv[1]) if len(sys.argv) > 1 else MILLION) // EVENTS
    with tempfile.TemporaryDirectory() as folder, postgres_server() as server:
        full, url = Path(folder) / "full.db", server.new_database()
        os.environ["GROGNARD_DATA"] = folder
        fill(full, asyncio.run(template(full)))
        print(
            f"{commands.CHANNELS * EVENTS:,} events: {full.stat().st_size / 1e6:.0f} MB in the file",
            flush=True,
        )
        print(f"flush of this disk {flush_time(Path(folder)) * 1e3:.1f} ms", flush=True)
        begun = time.perf_counter()
        asyncio.run(fetch(full, url))
        print(f"copied into PostgreSQL in {time.perf_counter() - begun:.0f} s", flush=True)
        server.sql(url, "ANALYZE")
        for name, address in (("SQLite", f"sqlite:///{full}"), ("PostgreSQL", url)):
            os.environ["DATABASE_URL"] = address
            asyncio.run(opened_and_played(name))
            asyncio.run(copied_before())
            copied(name, Path(folder) / f"{name}.db")
        asyncio.run(replayed(Path(folder) / "SQLite.db"))


if __name__ == "__main__":
    main()
