"""What one very long game costs everybody else: statistics, exports and the filtered log, while
another channel rolls.

    python -m benchmarks.long_game [EVENTS] [FOLDER]    20,000 events; FOLDER keeps game and answers, to compare builds

Rolls in the other channel meanwhile (median, 99th of 100, longest), beside those while nobody else
plays; the longest turn of the event loop in processor time, which other programs on the machine do
not change; and the most memory.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from typing import Any

from benchmarks.goals import goal
from bot.app import App
from bot.rules.proof.chain import compute_event_hash, to_canonical
from bot.storage.records import dump
from bot.storage.sqlite import SqliteStore
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place

LONG, OTHER = Place("discord:1/1", "discord:1"), Place("discord:2/2", "discord:2")
ANNA, BOB, CARA = (
    Person(f"discord:{number}", name) for number, name in enumerate(("Anna", "Bob", "Cara"), 1)
)
ROUNDS = 12
COMMANDS = (
    "log 20", "log 20 page=40", "log unit=us3", "log unit=us3 page=30", "log unit=Tran", "log unit=Tran",
    "log kind=undo", "log kind=undo page=20", "game stats", "game stats",
    "game export json", "game export markdown", "game export csv", "game export html",
)  # fmt: skip
IDLE = 2.0
HELD = {"game stats", "game export json", "game export markdown", "log unit=us3", "log kind=undo"}
"""What goals are printed for; of what is asked twice, the second time."""


async def played(path: Path) -> tuple[str, int]:
    """A game of two sides, played for a while in earnest: its row, and the event behind which it
    may go round.
    """
    app = App(await SqliteStore.open(path))
    number = 0

    async def say(who: Person, *lines: str) -> Reply:
        nonlocal number
        for line in lines:
            number += 1
            reply = await app.run_text(line, who, LONG, f"make {number}")
            # later on some units are out of it
            assert not reply.error or number > 6, f"{line}: {reply.format_text()}"
        return reply

    try:
        await say(ANNA, 'game start lnlt "Long Hill" sides="US, VC"', "game join US")
        await say(
            BOB,
            "game join VC",
            'unit add "Cell 1..10" squad VC morale=4 fp=1',
            "unit add Tran leader VC lm=1",
        )
        await say(ANNA, 'unit add "Squad 1..10" squad US morale=5 fp=2')
        loaded = await app.games.load_current(LONG.key)
        assert loaded is not None
        start = loaded.game.number
        for turn in range(ROUNDS):
            for one in range(1, 9):
                await say(
                    ANNA,
                    f"lnlt fire attackers=us{one} targets=vc{one},vc{(one + turn) % 10 + 1}",
                    "roll 2d6 label=wind",
                )
                await say(BOB, f"lnlt fire attackers=vc{one} targets=us{(one + turn) % 10 + 1}")
                await say(BOB, f"unit edit vc{one} morale={4 + one % 2}")
            await say(
                ANNA,
                "unit edit us1 fp=3",
                "game undo",
                f"unit edit us3 morale={5 + turn % 2}",
                "game next",
            )
            await say(
                ANNA, "unit edit us2 fp=4", "game undo", "game redo", "lnlt morale-check units=us4"
            )
            for side, who in (("us", ANNA), ("vc", BOB)):
                await say(who, *(f"unit edit {side}{one} state=good-order" for one in range(1, 11)))
        loaded = await app.games.load_current(LONG.key)
        assert loaded is not None
        return loaded.row, start
    finally:
        await app.close()


def lengthen(path: Path, row: str, start: int, events: int) -> None:
    """Let the game go round behind event `start` until it has so many events."""
    with closing(sqlite3.connect(path)) as db:
        query = "SELECT number, body FROM events WHERE game = ? ORDER BY number"
        first = [json.loads(body) for _, body in db.execute(query, (row,))]
        round_, head = first[start:], db.execute("SELECT head FROM games").fetchone()[0]

        def more() -> Iterator[tuple[str, int, str, str]]:
            nonlocal head
            for number in range(len(first) + 1, events + 1):
                body = _moved(round_[(number - start - 1) % len(round_)], number)
                text = to_canonical(body)
                head = compute_event_hash(head, text)
                yield row, number, text, head

        db.execute("PRAGMA synchronous = OFF")
        db.executemany("INSERT INTO events (game, number, body, hash) VALUES (?, ?, ?, ?)", more())
        state = json.loads(db.execute("SELECT state FROM snapshots").fetchone()[0])
        state |= {"number": events, "last": events, "redo": []}
        db.execute("UPDATE snapshots SET at = ?, state = ?", (events, dump(state)))
        db.execute("UPDATE games SET next_event = ?, head = ?", (events + 1, head))
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _moved(body: dict[str, Any], number: int) -> dict[str, Any]:
    """The event as one of another number; what it says of events before moves with it."""
    by = number - body["number"]
    moved = {
        name: body[name] + by
        for name in ("event", "last", "behind")
        if isinstance(body.get(name), int)
    }
    return {**body, **moved, "number": number}


class Watch:
    """The longest roll in another channel, and the longest turn of the loop in processor time."""

    def __init__(self, app: App) -> None:
        self.app, self.times, self.slice, self._number, self._over = (
            app,
            list[float](),
            0.0,
            0,
            False,
        )

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Roll all the time, at least once."""
        self.times, self.slice, self._over = [], 0.0, False
        with self._sliced():
            task = asyncio.create_task(self._roll())
            try:
                yield
            finally:
                self._over = True  # who has rolled meanwhile is waited for: their wait counts too
                await task

    def __str__(self) -> str:
        times = sorted(self.times)
        return (
            f"{times[len(times) // 2]:5.1f} {times[int(len(times) * 0.99)]:6.1f} {times[-1]:6.1f}"
        )

    async def _roll(self) -> None:
        while not self._over:
            self._number += 1
            who = Person(f"discord:{1000 + self._number}", "Cara")
            since = time.perf_counter()
            reply = await self.app.run_text(
                "/roll 2d6", who, OTHER, f"other {id(self)} {self._number}"
            )
            self.times.append(1e3 * (time.perf_counter() - since))
            assert not reply.error, reply.format_text()
            await asyncio.sleep(0.002)

    @contextmanager
    def _sliced(self) -> Iterator[None]:
        run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            since = time.thread_time()
            run(handle)
            self.slice = max(self.slice, time.thread_time() - since)

        asyncio.Handle._run = timed  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            asyncio.Handle._run = run  # type: ignore[method-assign]


def _reset_memory() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _memory() -> float:
    """The most memory since it was reset, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


async def measure(path: Path, folder: Path | None) -> None:
    """Print a line for each command."""
    app = App(await SqliteStore.open(path))
    try:
        watch = Watch(app)
        await app.run_text("game export json", ANNA, OTHER, "warm")  # what is imported at first use
        gc.freeze()  # as a bot that has started does
        for number, line in enumerate(COMMANDS):
            async with watch.watching():
                await asyncio.sleep(IDLE)
            idle = str(watch)
            _reset_memory()
            async with watch.watching():
                await asyncio.sleep(0)  # the first roll has begun
                since, cpu = time.perf_counter(), time.process_time()
                reply = await app.run_text(line, ANNA, LONG, f"asked {number} {time.time()}")
                taken, cpu = time.perf_counter() - since, time.process_time() - cpu
            told = f"{reply.title} {[(file.name, len(file.data)) for file in reply.files]}"
            print(
                f"{line:22} {taken * 1e3:8.0f} ms ({cpu * 1e3:6.0f} CPU)   elsewhere {watch} ms "
                f"(idle {idle}), longest turn {watch.slice * 1e3:6.1f}   {_memory():5.0f} MiB   {told}",
                flush=True,
            )
            if line in HELD and line not in COMMANDS[number + 1 :]:
                goal(
                    f"longest wait of another channel, `/{line}`, in ms",
                    [max(watch.times)],
                    most=30,
                )
                goal(f"most memory, `/{line}`, in MiB", [_memory()], most=150)
            if folder is not None:
                _keep(folder, f"{number:02} {line}", reply)
    finally:
        await app.close()


def _keep(folder: Path, name: str, reply: Reply) -> None:
    """Keep what was answered; of long files their hash."""
    text = re.sub(r'"exported":"[^"]*"', "", reply.format_text())
    files = [(file.name, len(file.data), sha256(file.data).hexdigest()) for file in reply.files]
    (folder / f"{name.replace('/', '-')}.txt").write_text(f"{text}\n{files}\n{reply.buttons}\n")


def main() -> None:
    """Build the game, then measure."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "long.db"
        kept = folder / f"{events}.db" if folder is not None else None
        if kept is not None and kept.exists():
            copyfile(kept, path)
        else:
            lengthen(path, *asyncio.run(played(path)), events)
        if kept is not None and not kept.exists():
            copyfile(path, kept)
        print(f"{events} events, {path.stat().st_size / 1e6:.0f} MB")
        asyncio.run(measure(path, folder))


if __name__ == "__main__":
    main()
