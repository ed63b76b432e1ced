"""What cards cost beside rolls: an open draw beside a roll, a hidden one beside a sealed roll, and
a deck to its end.

Run as `python -m benchmarks.cards [FOLDER]`. The four take turns in the same minutes, each in
channels of its own, in processor time of the loop's thread, which other load disturbs least; the
commits are other threads' business. `python -m benchmarks.cards long [COUNT]` plays a game of
10,000 draws, open and closed, beside one of as many rolls, and says what opening, exporting and
both checks take of each.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from itertools import cycle, pairwise, product
from pathlib import Path

from adapters.run import limit_garbage_collection
from benchmarks.goals import goal
from bot.app import App
from bot.game.game_cache import load_game_by_id
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Person, Place
from bot.verification.check_file import check
from bot.verification.export import export_game
from bot.verification.export_format import read_json
from tools import verify_log

LINES = {
    "roll": "/roll 2d6+3",
    "open draw": "/deck draw standard-52",
    "sealed roll": "/roll 2d6+3 secret",
    "hidden draw": "/deck draw standard-52 to=me",
}
PAIRS = (("open draw", "roll"), ("hidden draw", "sealed roll"))
CHANNELS, ROUNDS, SETS = 20, 24, 6
"""As many draws of a channel as rounds: half of the deck; then others go on."""
LARGE = "/deck make 1..110 cup"


async def say(app: App, line: str, channel: str, request: str) -> None:
    """One command in a channel of its own."""
    place, who = (
        Place(f"discord:{channel}/1", f"discord:{channel}"),
        Person(f"discord:{channel}", "Anna"),
    )
    reply = await app.run_text(line, who, place, request, {"token": "t" * 40})
    assert not reply.error, reply.format_text()


async def together(app: App, name: str, some: int, round: int) -> float:
    """Processor seconds of the loop's thread that one of so many commands at once takes."""
    own, channels = time.thread_time(), [f"{name} {some} {channel}" for channel in range(CHANNELS)]
    await asyncio.gather(
        *(say(app, LINES[name], channel, f"{channel} {round}") for channel in channels)
    )
    return (time.thread_time() - own) / CHANNELS


async def to_its_end(app: App, number: int) -> float:
    """Milliseconds of processor time in which 110 cards are drawn, 60 and 50."""
    await say(app, LARGE, f"end {number}", f"make {number}")
    own = time.thread_time()
    for count in (60, 50):
        await say(app, f"/deck draw cup {count}", f"end {number}", f"end {number} {count}")
    return (time.thread_time() - own) * 1e3


LONG = {
    "rolls": ("/roll 2d6+3",),
    "open draws": ("/deck draw standard-52",) * 50 + ("/deck discard all",),
    "sealed rolls": ("/roll 2d6+3 secret",),
    "hidden draws": ("/deck draw standard-52 to=me",) * 20 + ("/deck discard all",),
}
LONG_PAIRS = (("open draws", "rolls"), ("hidden draws", "sealed rolls"))


async def played(app: App, name: str, events: int) -> str:
    """A channel with so many events, its secrets closed as they are; its game."""
    lines = cycle(LONG[name])
    for number in range(events):
        await say(app, next(lines), name, f"long {name} {number}")
    loaded = await app.games.load_current(f"discord:{name}/1")
    assert loaded is not None
    return loaded.row


async def long_game(folder: Path, events: int) -> None:
    """Print what a long game takes in milliseconds of processor time, by turns."""
    app = App(await SqliteStore.open(folder / "games.db"))
    limit_garbage_collection()
    found: dict[str, dict[str, list[float]]] = {}
    try:
        rows = {name: await played(app, name, events) for name in LONG}
        for _, (name, row) in product(range(3), rows.items()):
            marks = [time.thread_time()]
            loaded = await load_game_by_id(app.store, row)
            assert loaded is not None
            marks.append(time.thread_time())
            store = app.store
            log = export_game(
                loaded.game.id,
                await store.load_events(row),
                await store.load_seeds(row),
                await store.load_texts(row),
                await store.load_persons(row),
            )
            text = json.dumps(log)
            marks.append(time.thread_time())
            assert not check(read_json(text)).faults
            marks.append(time.thread_time())
            assert not verify_log.check(verify_log.parse_json(text)).faults
            marks.append(time.thread_time())
            taken = (b - a for a, b in pairwise(marks))
            for what, seconds in zip(
                ("opened", "exported", "verified", "checked by the one file"), taken, strict=True
            ):
                found.setdefault(what, {}).setdefault(name, []).append(seconds)
    finally:
        await app.close()
    for what, times in found.items():
        print(
            f"{what}: "
            + ", ".join(f"{name} {min(taken) * 1e3:,.0f} ms" for name, taken in times.items())
        )
        for one, beside in LONG_PAIRS:
            ratios = [a / b for a, b in zip(times[one], times[beside], strict=True)]
            goal(f"{events} {one} {what}, in as many {beside}", ratios, most=1.1)


async def measure(folder: Path) -> None:
    """Print all figures."""
    app = App(await SqliteStore.open(folder / "games.db"))
    limit_garbage_collection()  # as `grognard run` does
    found: dict[str, list[float]] = {name: [] for name in LINES}
    try:
        for some, round in product(range(SETS), range(-2, ROUNDS)):
            # the first ones warm up, and declare the decks
            for name in LINES:
                taken = await together(app, name, some, round)
                if round >= 0:
                    found[name].append(taken)
        for name, times in found.items():
            print(
                f"{name:12} loop {statistics.median(times) * 1e6:5.0f} us, least {min(times) * 1e6:5.0f}"
            )
        for name, beside in PAIRS:
            goal(
                f"{name} in {beside}s",
                (a / b for a, b in zip(found[name], found[beside], strict=True)),
                most=1.1,
            )
        ends = [await to_its_end(app, number) for number in range(10)]
        goal("110 cards drawn to their end, ms", ends, most=20)
    finally:
        await app.close()


def main() -> None:
    """Measure on the disk of the folder given (default: where temporary files lie)."""
    words = sys.argv[1:]
    is_long = words[:1] == ["long"]
    with tempfile.TemporaryDirectory(dir=None if is_long or not words else words[0]) as folder:
        events = int(words[1]) if len(words) > 1 else 10_000
        asyncio.run(long_game(Path(folder), events) if is_long else measure(Path(folder)))


if __name__ == "__main__":
    main()
