"""What a killed bot left in its data folder: looked at, and made due, as if its leases had run out;
and a night of kills, which each platform plays in its own way.

`GROGNARD_KILLS=30` makes it a long night, `GROGNARD_SEED` another one; the figures are printed.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from bot.storage.sqlite import SqliteStore
from bot.verification.check_games import audit_games
from tests.adapters.nursery import Process

MAIN, RECEIPTS = "grognard.db", "grognard.receipts.db"
KILLS = int(os.environ.get("GROGNARD_KILLS", "3"))
SEED = int(os.environ.get("GROGNARD_SEED", "9"))
NOT_RUN = "your command was not run"
Who = TypeVar("Who")
Where = TypeVar("Where")
Asked = TypeVar("Asked")


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
            with closing(
                sqlite3.connect(f"file:{data / name}?mode=ro", uri=True, timeout=30)
            ) as database:
                left += database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return left


def count_events(data: Path) -> int:
    """How many events are on the disk that have an answer: all but the first of each game in
    free play.
    """
    with closing(sqlite3.connect(f"file:{data / MAIN}?mode=ro", uri=True, timeout=30)) as database:
        return int(database.execute("SELECT count(*) FROM events WHERE number > 1").fetchone()[0])


def kept(data: Path) -> int:
    """How many answers wait for the next command, as the platform took them no more."""
    with closing(sqlite3.connect(f"file:{data / MAIN}?mode=ro", uri=True, timeout=30)) as database:
        return int(
            database.execute("SELECT count(*) FROM docs WHERE kind = 'untold'").fetchone()[0]
        )


def labels(data: Path) -> set[str]:
    """The labels of all rolls on the disk."""
    with closing(sqlite3.connect(f"file:{data / MAIN}?mode=ro", uri=True, timeout=30)) as database:
        return {text for (text,) in database.execute("SELECT text FROM texts WHERE key = 'label'")}


async def until_nothing_is_left(data: Path, seconds: float) -> None:
    """Until every answer is posted and every receipt answered. Raises AssertionError."""
    end = time.monotonic() + seconds
    while left := count_left(data):
        assert time.monotonic() < end, f"{left} still wait after {seconds:g} s"
        await asyncio.sleep(0.05)


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


class Bot(Protocol):
    """A bot's process, which is started again after a kill."""

    data: Path
    process: Process

    async def start(self) -> None:
        """Start it, and wait until it is connected."""
        ...

    async def kill(self) -> None:
        """As a crash or a power cut."""
        ...

    async def stop(self) -> int:
        """Ask it to stop; its exit status."""
        ...

    @property
    def log(self) -> str:
        """What it wrote so far."""
        ...


class Night(ABC, Generic[Who, Where, Asked]):
    """Everything that was asked while the bot was killed again and again: rolls by their label,
    and odds.
    """

    def __init__(self, bot: Bot, people: Sequence[Who], channels: Sequence[Where]) -> None:
        self.bot, self.people, self.channels = bot, people, channels
        self.chance = random.Random(SEED)
        self.asked: dict[str, Asked] = {}
        self.odds: list[Asked] = []

    @abstractmethod
    def roll(self, who: Who, where: Where, label: str) -> Asked:
        """Ask for a roll with a label, and do not wait."""

    @abstractmethod
    def ask_odds(self, who: Who, where: Where) -> Asked:
        """Ask for odds, of which nothing is stored, and do not wait."""

    @abstractmethod
    def check(self, stored: set[str]) -> None:
        """Each stored roll was shown once, and nothing that was shown as under way has no end."""

    def tokens_die(self) -> None:
        """The clock goes on until no answer can be posted under the token of its request."""

    async def play(self, seconds: float, life: int) -> None:
        """Ask for this and that, about twenty times a second."""
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end:
            who, where = self.chance.choice(self.people), self.chance.choice(self.channels)
            if self.chance.random() < 0.15:
                self.odds.append(self.ask_odds(who, where))
            else:
                label = f"k{life}x{len(self.asked)}y"
                self.asked[label] = self.roll(who, where, label)
            await asyncio.sleep(self.chance.random() * 0.1)

    async def one_life(self, life: int) -> None:
        """Start, play, be killed; every other time while somebody else keeps the database for
        two or three seconds.
        """
        await self.bot.start()
        await self.play(self.chance.random() * 0.6, life)
        if life % 2 == 0:
            with locked(self.bot.data):
                await self.play(self.chance.uniform(1.8, 3.0), life)
                if self.chance.random() < 0.5:
                    await self.bot.kill()
            await asyncio.sleep(self.chance.random() * 0.02)
        if self.bot.process.returncode is None:
            await self.bot.kill()
        time_passes(self.bot.data, tokens_die=life % 10 == 2)
        if life % 10 == 2:
            self.tokens_die()

    async def pass_by(self) -> None:
        """Play all lives and one more, which is left alone until nothing is left to do; then
        check.
        """
        try:
            for life in range(KILLS):
                await self.one_life(life)
            await self.bot.start()
            await until_nothing_is_left(self.bot.data, 30 + count_left(self.bot.data) * 0.5)
            await asyncio.sleep(1)
            assert await self.bot.stop() == 0, self.bot.log
        finally:
            if self.bot.process.returncode is None:
                self.bot.process.kill()
                await self.bot.process.wait()
            print(self.bot.log[-20_000:])
        if waiting := [
            one for one in (*self.asked.values(), *self.odds) if isinstance(one, asyncio.Task)
        ]:
            # whoever got no receipt is waited for as long as the platform would
            await asyncio.wait(waiting, timeout=60)
        self.check(labels(self.bot.data))
        async with await SqliteStore.open(self.bot.data / MAIN) as store:
            assert (await audit_games(store))[1] == []

    def shown(self, public: Sequence[str], stored: set[str]) -> Counter[str]:
        """How often each roll was shown: what is on the disk once, and nothing else."""
        shown = Counter(label for label in self.asked for text in public if f" for {label}" in text)
        print(
            f"{KILLS} kills: {len(self.asked)} rolls asked, {len(stored)} stored; "
            f"shown twice {sum(count > 1 for count in shown.values())}, never shown {len(stored - shown.keys())}, "
            f"told to be not run {sum(NOT_RUN in text for text in public)}"
        )
        assert {label for label, count in shown.items() if count > 1} == set()
        assert stored == set(shown), "what is on the disk is shown, and nothing else"
        return shown
