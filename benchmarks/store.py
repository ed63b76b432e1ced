"""What keeping a game costs: a commit against a flush of this disk, many at once against plain
use of aiosqlite.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import aiosqlite

from benchmarks.goals import goal
from bot.game.game_log import GameChange, LoggedEvent
from bot.storage.records import Binding, Commit, Outgoing
from bot.storage.sqlite import SqliteStore

ALONE = 300  # commits one after another
CALLERS = 50  # commits at once
ROUNDS = 15
BODY = '{"kind":"roll","note":"' + "x" * 275 + '"}'  # 300 bytes
REPLY = {"lines": ["Anna: 2d6 = 7", "dice 3 4"]}
HASH = "0" * 64


def flush_time(folder: Path, count: int = ALONE) -> float:
    """Median seconds for this disk to take 4 KiB for good."""
    times = []
    file = os.open(folder / "flush", os.O_CREAT | os.O_WRONLY)
    for number in range(count):
        start = time.perf_counter()
        os.pwrite(file, os.urandom(4096), number * 4096)
        os.fdatasync(file)
        times.append(time.perf_counter() - start)
    os.close(file)
    return statistics.median(times)


def prepared(game: int, number: int) -> Commit:
    """A roll as event `number` of a game, its answer and where that goes."""
    name = f"g{game:015}"
    change = GameChange(name, number - 1, (LoggedEvent(name, number, BODY, HASH),))
    place = f"discord:{game}"
    return Commit(
        request_id=f"discord:{game}:{number}",
        reply=REPLY,
        user="discord:1",
        changes=(change,),
        bindings=[Binding(place, name, None, place)] if number == 1 else [],
        outbox=[Outgoing(place, {"token": "t" * 40}, 600.0)],
    )


async def alone(store: SqliteStore) -> float:
    """Median seconds of a commit that nobody else competes with."""
    times = []
    for number in range(2, ALONE + 2):
        commit = prepared(0, number)
        start = time.perf_counter()
        await store.commit(commit)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


async def together(store: SqliteStore, round: int) -> float:
    """Seconds per commit when CALLERS commit at once, each in its own game."""
    commits = [prepared(game, round) for game in range(1, CALLERS + 1)]
    start = time.perf_counter()
    await asyncio.gather(*map(store.commit, commits))
    return (time.perf_counter() - start) / CALLERS


async def plain_together(db: aiosqlite.Connection, round: int) -> float:
    """The same four statements, each its own call of aiosqlite, in a transaction for each
    caller.
    """
    turn = asyncio.Lock()  # transactions on one connection cannot overlap

    async def commit(game: int) -> None:
        name, request = f"g{game:015}", f"discord:{game}:{round}"
        async with turn:
            await db.execute("BEGIN IMMEDIATE")
            await db.execute(
                "INSERT INTO requests (id, game, user, reply, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (request, name, "discord:1", str(REPLY), 1e9),
            )
            await db.execute(
                "UPDATE games SET version = version + 1, next_event = ?, head = ?, updated = ? "
                "WHERE id = ? AND version = ? AND next_event = ?",
                (round + 1, HASH, 1e9, name, round - 1, round),
            )
            await db.execute(
                "INSERT INTO events (game, number, body, hash) VALUES (?, ?, ?, ?)",
                (name, round, BODY, HASH),
            )
            await db.execute(
                "INSERT INTO outbox (request, place, reply, delivery, due, attempts, created) "
                "VALUES (?, ?, ?, ?, ?, 0, ?)",
                (request, f"discord:{game}", None, '{"token": "' + "t" * 40 + '"}', 2e9, 1e9),
            )
            await db.execute("COMMIT")

    start = time.perf_counter()
    await asyncio.gather(*map(commit, range(1, CALLERS + 1)))
    return (time.perf_counter() - start) / CALLERS


async def measure(folder: Path) -> None:
    """Print all figures."""
    path = folder / "games.db"
    flush = flush_time(folder)
    async with (
        await SqliteStore.open(path) as store,
        aiosqlite.connect(path, isolation_level=None) as db,
    ):
        await db.execute("PRAGMA synchronous = FULL")
        for game in range(CALLERS + 1):
            await store.commit(prepared(game, 1))
        one = await alone(store)
        ours, theirs = [], []
        for round in range(2, 2 + 2 * ROUNDS, 2):
            # by turns, so that whatever else the disk does hits both alike
            ours.append(await together(store, round))
            theirs.append(await plain_together(db, round + 1))
    many, plain = statistics.median(ours), statistics.median(theirs)
    print(f"flush of this disk            {flush * 1e6:8.0f} us")
    print(f"one commit alone              {one * 1e6:8.0f} us")
    print(
        f"{CALLERS} at once, each              {many * 1e6:8.0f} us   {1 / many:8.0f} commits a second"
    )
    print(
        f"plain aiosqlite, each         {plain * 1e6:8.0f} us   {1 / plain:8.0f} commits a second"
    )
    goal("a commit alone, in flushes of the disk", [one / flush], most=2)
    ratios = (beside / own for own, beside in zip(ours, theirs, strict=True))
    goal(f"{CALLERS} commits at once, beside plain aiosqlite", ratios, least=8)


def main() -> None:
    """Measure on the disk of the folder given (default: where temporary files lie)."""
    where = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=where) as folder:
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()
