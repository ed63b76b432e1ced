"""What a killed bot left in its data folder: looked at, and made due, as if its leases had run out."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

MAIN, RECEIPTS = "grognard.db", "grognard.receipts.db"


def time_passes(data: Path, *, tokens_die: bool = False) -> int:
    """Let the time pass after which another process takes over; how many receipts there are."""
    with closing(sqlite3.connect(data / MAIN)) as main, main:
        main.execute("UPDATE outbox SET due = 0")
    if not (data / RECEIPTS).exists():
        return 0
    with closing(sqlite3.connect(data / RECEIPTS)) as receipts, receipts:
        if tokens_die:
            receipts.execute("UPDATE receipts SET until = 0")
        return int(receipts.execute("UPDATE receipts SET due = 0").rowcount)


def count_left(data: Path) -> int:
    """Receipts and answers that somebody still waits for."""
    left = 0
    for name, table in ((MAIN, "outbox"), (RECEIPTS, "receipts")):
        if (data / name).exists():
            with closing(sqlite3.connect(f"file:{data / name}?mode=ro", uri=True)) as database:
                left += database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return left


def labels(data: Path) -> set[str]:
    """The labels of all rolls on the disk."""
    with closing(sqlite3.connect(f"file:{data / MAIN}?mode=ro", uri=True)) as database:
        return {text for (text,) in database.execute("SELECT text FROM texts WHERE key = 'label'")}


async def until_nothing_is_left(data: Path, seconds: float) -> None:
    """Until every answer is posted and every receipt answered. Raises AssertionError."""
    end = time.monotonic() + seconds
    while left := count_left(data):
        assert time.monotonic() < end, f"{left} still wait after {seconds:g} s"
        await asyncio.sleep(0.2)


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Nobody else can write to the database in this block."""
    database = sqlite3.connect(data / MAIN, isolation_level=None, timeout=20)
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        database.execute("ROLLBACK")
        database.close()
