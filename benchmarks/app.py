"""What a command costs from end to end: `/roll 2d6` and a fire attack through app.run on a SQLite file.

Alone and fifty channels at once; then with many channels and events in the database, which must not slow it down.
Scale with CHANNELS (default 2000) and EVENTS (default 20000); the full size is 100000 and 1000000.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import tempfile
import time
from itertools import count
from pathlib import Path

from bot.app import App
from bot.command import Person, Place
from bot.game.ledger import Ledger, Writer
from bot.stores.base import Binding, Commit
from bot.stores.sqlite import SqliteStore, open_sqlite

CHANNELS = int(os.environ.get("CHANNELS", "2000"))
EVENTS = int(os.environ.get("EVENTS", "20000"))
ALONE = 300
TOGETHER = 2000
WHO = Person("bench:1", "Anna")
FIRE = 'lnlt fire attackers="squad fp=4; squad fp=2" targets="squad morale=5; leader morale=6" adjacent'
_ids = count(1)


async def timed(app: App, line: str, place: Place) -> float:
    start = time.perf_counter()
    reply = await app.run_text(line, WHO, place, f"r{next(_ids)}", {"token": "x"})
    assert not reply.error, reply.text()
    await app.delivered(reply)
    return time.perf_counter() - start


async def alone(app: App, line: str, places: list[Place]) -> list[float]:
    """One command after the other."""
    return [await timed(app, line, place) for place in places]


async def together(app: App, line: str, lanes: int = 50) -> tuple[float, list[float]]:
    """Fifty channels, each with one command under way: commands per second, and how long each took."""

    async def lane(number: int) -> list[float]:
        return await alone(app, line, [Place(f"bench:lane{number}")] * (TOGETHER // lanes))

    start = time.perf_counter()
    taken = [seconds for lane_times in await asyncio.gather(*map(lane, range(lanes))) for seconds in lane_times]
    return len(taken) / (time.perf_counter() - start), taken


def told(name: str, taken: list[float]) -> str:
    ordered = sorted(taken)
    p99 = ordered[int(len(ordered) * 0.99)]
    return f"{name:<34} median {statistics.median(taken) * 1000:7.2f} ms   p99 {p99 * 1000:7.2f} ms"


async def fill(store: SqliteStore, channels: int, events: int) -> None:
    """Channels with their games and events, written as the app writes them, 500 games to a commit."""
    each = max(2, events // channels)
    for start in range(0, channels, 500):
        changes, bindings, persons, seeds = [], [], [], []
        for number in range(start, min(start + 500, channels)):
            ledger = Ledger(None, Writer(f"bench:{number}", "Anna", 1_700_000_000.0))
            ledger.begin(free=True)
            for _ in range(each - 1):
                dice = [{"label": "", "sides": 6, "value": 3}] * 2
                ledger.add("roll", command="roll", inputs={"dice": "2d6"}, dice=dice, out={"total": 6, "dice": [3, 3]})
            change = ledger.change()
            assert change is not None
            changes.append(change)
            bindings.append(Binding(f"bench:old{number}", ledger.row, None))
            persons += ledger.new_persons.values()
            seeds += ledger.new_seeds.values()
        await store.commit(
            Commit(changes=tuple(changes), bindings=tuple(bindings), persons=tuple(persons), seeds=tuple(seeds))
        )


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_sqlite(Path(folder) / "games.db") as store:
            app = App(store)
            here = [Place("bench:here")] * ALONE
            await alone(app, FIRE, here[:20])  # loads the tables
            empty = await alone(app, "roll 2d6", here)
            print(told("roll 2d6, alone, empty database", empty))
            print(told("fire at two targets, alone", await alone(app, FIRE, here)))
            rate, taken = await together(app, "roll 2d6")
            print(told("roll 2d6, 50 channels at once", taken), f"  {rate:.0f} commands/s")

            start = time.perf_counter()
            await fill(store, CHANNELS, EVENTS)
            print(f"{CHANNELS} channels, {EVENTS} events written in {time.perf_counter() - start:.1f} s")
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            await alone(app, "roll 2d6", here[:20])
            full = await alone(app, "roll 2d6", here)
            print(told("roll 2d6, alone, full database", full))
            visits = [Place(f"bench:old{number * 7919 % CHANNELS}") for number in range(ALONE)]
            print(told("roll 2d6, each in another channel", await alone(app, "roll 2d6", visits)))
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            ratio = statistics.median(full) / statistics.median(empty)
            print(f"full/empty ratio of medians: {ratio:.2f} (limit 1.3); memory grew by {grown / 1024:.1f} MiB")
            await app.worker.close()


if __name__ == "__main__":
    asyncio.run(main())
