"""What keeping games in PostgreSQL costs, beside SQLite on the same disk: `python -m
benchmarks.postgres`.

By turns in one run: a flush of the disk; a commit alone, 50 and 500 callers at once on SQLite, on
PostgreSQL, and with plain use of asyncpg, one call per statement on as many connections; then
several processes on one database, and a database with a million events. The server is one of its
own, as Debian sets it up (fsync on).
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg

from benchmarks.store import BODY, HASH, flush_time, prepared
from bot.storage.postgres import PostgresStore
from bot.storage.postgres.link import CONNECTIONS
from bot.storage.records import Commit
from bot.storage.sqlite import SqliteStore
from tests.standins.postgres import postgres_server

CROWDS = (1, 50, 500)
SECONDS = 0.25  # for each of them, each round
ROUNDS = 8
PROCESSES = (1, 2, 4)
MILLION = 1_000_000
FILL = f"""
INSERT INTO games SELECT 'm' || n, 100, 101, '{HASH}', 1e9, 1e9 FROM generate_series(1, {MILLION // 100}) AS n;
INSERT INTO events SELECT 'm' || 1 + n / 100, 1 + n % 100, '{BODY}', '{HASH}'
FROM generate_series(0, {MILLION} - 1) AS n;
INSERT INTO requests SELECT 'r' || n, 'm' || n / 100, 'u', '{{}}', 1e9, '' FROM generate_series(1, {MILLION}) AS n;
ANALYZE; CHECKPOINT
"""
Commits = Callable[[Commit], Awaitable[object]]


class Callers:
    """So many at once, each in a game of its own, each commit after the one before."""

    def __init__(self, commit: Commits, first: int, count: int) -> None:
        self._commit, self._first, self._numbers = commit, first, [0] * count

    async def begin(self) -> None:
        """Make the games."""
        await asyncio.gather(*(self._next(game) for game in range(len(self._numbers))))

    async def run(self, seconds: float) -> tuple[float, float]:
        """Commits a second, and the median seconds that one takes."""
        start, took = time.perf_counter(), list[float]()

        async def caller(game: int) -> None:
            while time.perf_counter() - start < seconds:
                before = time.perf_counter()
                await self._next(game)
                took.append(time.perf_counter() - before)

        await asyncio.gather(*map(caller, range(len(self._numbers))))
        return len(took) / (time.perf_counter() - start), statistics.median(took)

    async def _next(self, game: int) -> None:
        self._numbers[game] += 1
        await self._commit(prepared(self._first + game, self._numbers[game]))


def one_by_one(pool: asyncpg.Pool) -> Commits:
    """The same statements, each its own call of asyncpg, in a transaction for each commit."""

    async def commit(one: Commit) -> None:
        [change], number = one.changes, one.changes[0].version
        game, request, place = change.game, one.request_id, one.outbox[0].place
        async with pool.acquire() as db, db.transaction():
            await db.execute(
                'INSERT INTO requests (id, game, "user", reply, at, attempt) VALUES ($1, $2, $3, $4, $5, $6) '
                "ON CONFLICT DO NOTHING",
                *(request, game, "discord:1", str(one.reply), 1e9, ""),
            )
            if number:
                await db.execute(
                    "UPDATE games SET version = version + 1, next_event = $1, head = $2, updated = $3 "
                    "WHERE id = $4 AND version = $5 AND next_event = $6",
                    *(number + 2, HASH, 1e9, game, number, number + 1),
                )
            else:
                await db.execute("INSERT INTO games VALUES ($1, 1, 2, $2, 1e9, 1e9)", game, HASH)
            await db.execute(
                "INSERT INTO events VALUES ($1, $2, $3, $4)", game, number + 1, BODY, HASH
            )
            await db.execute(
                "INSERT INTO outbox (request, place, delivery, due, created, about, amends, home) "
                "VALUES ($1, $2, $3, 2e9, 1e9, '', '', '')",
                *(request, place, '{"token": "' + "t" * 40 + '"}'),
            )

    return commit


async def beside(folder: Path, url: str, plain_url: str) -> bool:
    """Print what the stores cost by turns; whether PostgreSQL is as fast as it should be."""
    flushes = []
    async with AsyncExitStack() as stack:
        sqlite = await stack.enter_async_context(await SqliteStore.open(folder / "games.db"))
        postgres = await stack.enter_async_context(await PostgresStore.open(url))
        # which makes its tables
        await stack.enter_async_context(await PostgresStore.open(plain_url))
        pool = await stack.enter_async_context(
            asyncpg.create_pool(plain_url, min_size=1, max_size=CONNECTIONS)
        )
        ways: dict[str, Commits] = {
            "SQLite": sqlite.commit,
            "PostgreSQL": postgres.commit,
            "asyncpg, call by call": one_by_one(pool),
        }
        found = {(way, count): await measured(ways, way, count) for count in CROWDS for way in ways}
        results: dict[tuple[str, int], list[tuple[float, float]]] = {key: [] for key in found}
        for _ in range(ROUNDS):
            flushes.append(flush_time(folder, 50))
            for key, callers in found.items():
                results[key].append(await callers.run(SECONDS))
    flush = statistics.median(flushes)
    print(f"flush of this disk {flush * 1e6:.0f} us\n")
    print(
        f"{'commits a second (ms for one)':24} "
        + "".join(f"{count:>9} at once  " for count in CROWDS)
    )
    rates = {}
    for way in ways:
        cells = []
        for count in CROWDS:
            rate = rates[way, count] = statistics.median(rate for rate, _ in results[way, count])
            took = statistics.median(took for _, took in results[way, count])
            cells.append(f"{rate:9.0f} ({took * 1e3:5.1f})")
        print(f"{way:29} " + " ".join(cells))
    ours, plain = rates["PostgreSQL", 50], rates["asyncpg, call by call", 50]
    alone = 1 / rates["PostgreSQL", 1]
    print(
        f"\nalone on PostgreSQL {alone / flush:.1f} flushes; 50 at once {ours / plain:.1f} times asyncpg call by call"
    )
    return ours > plain


async def measured(ways: dict[str, Commits], way: str, count: int) -> Callers:
    """Callers whose games are there."""
    callers = Callers(ways[way], 1_000 * count, count)
    await callers.begin()
    return callers


async def process(url: str, number: int, seconds: float) -> None:
    """One of several processes: 50 callers; prints commits a second."""
    async with await PostgresStore.open(url) as store:
        callers = Callers(store.commit, 1_000_000 + 1_000 * number, 50)
        await callers.begin()
        rate, took = await callers.run(seconds)
        print(f"{rate} {took}", flush=True)


def several(url: str) -> None:
    """Print what several processes reach together."""
    for at, count in enumerate(PROCESSES):
        words = [[url, str(10 * at + number), "2"] for number in range(count)]
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.postgres", "--process", *one],
                stdout=subprocess.PIPE,
            )
            for one in words
        ]
        told = [one.communicate()[0].split() for one in running]
        rate, took = sum(float(rate) for rate, _ in told), max(float(took) for _, took in told)
        print(
            f"{count} processes, 50 at once in each: {rate:6.0f} commits a second, {took * 1e3:.1f} ms for one"
        )


async def grown(small: str, large: str, fill: Callable[[str], object]) -> None:
    """Print what a commit costs in a database that holds a million events with their requests,
    beside an empty one.
    """
    async with await PostgresStore.open(small) as empty, await PostgresStore.open(large) as full:
        await asyncio.to_thread(fill, FILL)
        callers = [
            (Callers(store.commit, 50_000, 50), Callers(store.commit, 60_000, 1))
            for store in (empty, full)
        ]
        for pair in callers:
            for one in pair:
                await one.begin()
        found: list[list[tuple[float, float]]] = [[], []]
        for _ in range(ROUNDS):
            for results, (many, one) in zip(found, callers, strict=True):
                results.append(((await many.run(SECONDS))[0], (await one.run(SECONDS))[1]))
    for name, results in zip(("empty", "a million events"), found, strict=True):
        rate, took = (statistics.median(column) for column in zip(*results, strict=True))
        print(f"{name:17} {rate:6.0f} commits a second at 50 at once; alone {took * 1e3:.2f} ms")


def main(words: Sequence[str]) -> None:
    """Measure on the disk where temporary files are (TMPDIR)."""
    if words[:1] == ["--process"]:
        asyncio.run(process(words[1], int(words[2]), float(words[3])))
        return
    with tempfile.TemporaryDirectory() as folder, postgres_server() as server:
        databases = [server.new_database() for _ in range(5)]
        is_right = asyncio.run(beside(Path(folder), databases[0], databases[1]))
        print()
        several(databases[2])
        print()
        asyncio.run(
            grown(
                databases[3], databases[4], lambda statements: server.sql(databases[4], statements)
            )
        )
    sys.exit(not is_right)


if __name__ == "__main__":
    main(sys.argv[1:])
