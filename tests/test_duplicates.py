"""Every request is delivered twenty times, shuffled, to two bots on one file, in two lives each;
and once more after its game and its person's data were deleted: each rolls once.

`GROGNARD_DUPLICATES=10000` delivers so many; the figures are printed.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from bot.app import App
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games

COPIES, BOTS, LIVES = 5, 2, 2
DELIVERIES = int(os.environ.get("GROGNARD_DUPLICATES", "600"))
REQUESTS = DELIVERIES // (COPIES * BOTS * LIVES)
PLACES = 6
COMMANDS = ("/roll 3d100", "/roll 3d100 secret", "/roll 3d100+2", "/roll 3d100 label={n}")
MANAGER = Person("console:m", "m", manager=True)


def place(number: int) -> Place:
    """Where a request comes from."""
    return Place(f"console:{number % PLACES}")


def person(number: int) -> Person:
    """Who asks."""
    return Person(f"console:{'ab'[number % 2]}", "ab"[number % 2])


async def deliver(path: Path, seed: str, copies: int) -> list[str]:
    """Deliver each request so many times in any order, eight at once: who was answered what."""
    app = App(await SqliteStore.open(path))
    numbers = list(range(REQUESTS)) * copies
    random.Random(seed).shuffle(numbers)
    line: list[str] = []

    async def work() -> None:
        while numbers:
            number = numbers.pop()
            text = COMMANDS[number % len(COMMANDS)].format(n=number)
            reply = await app.run_text(
                text, person(number), place(number), f"r{number}", {"token": "t"}
            )
            line.append(f"{number}\t{'seen' if reply.seen else 'new'}\t{reply.title}")

    try:
        await asyncio.gather(*(work() for _ in range(8)))
    finally:
        await app.close()
    return line


async def count(path: Path) -> int:
    """Events on the disk that a request made; the file explains itself."""
    async with await SqliteStore.open(path) as store:
        assert (await audit_games(store))[1] == []
        events = [
            event.data
            for game in await store.list_games()
            for event in await store.load_events(game)
        ]
        return sum(event["kind"] in ("roll", "sealed", "unit") for event in events)


def run_bots(path: Path, life: int) -> list[tuple[str, str, str]]:
    """Two bots at once, each of which gets everything several times: (request, new or seen,
    title) of all answers.
    """
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    command = [sys.executable, __file__, str(path)]
    seeds = [f"{life} {bot}" for bot in range(BOTS)]
    bots = [
        subprocess.Popen([*command, seed], env=env, stdout=subprocess.PIPE, text=True)
        for seed in seeds
    ]
    rows = [row.split("\t") for bot in bots for row in bot.communicate()[0].splitlines()]
    assert [bot.returncode for bot in bots] == [0] * BOTS
    return [(number, how, title) for number, how, title in rows]


async def delete_much(path: Path) -> None:
    """Half of the games, and all that is known of one of the two people."""
    app = App(await SqliteStore.open(path))
    for number in range(PLACES // 2):
        erased = await app.run_text(
            "/game delete confirm", MANAGER, place(number), f"erase {number}"
        )
        assert not erased.error, erased.format_text()
    assert not (await app.run_text("/privacy delete confirm", person(0), place(0), "forget")).error
    await app.close()


@pytest.mark.slow
@pytest.mark.timeout(300 + DELIVERIES // 20)
def test_delivered_twenty_times_to_two_bots_it_happens_once(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    rows = [row for life in range(LIVES) for row in run_bots(path, life)]
    told: dict[str, set[str]] = defaultdict(set)
    for number, _, title in rows:
        told[number].add(title)
    fresh = sum(how == "new" for _, how, _ in rows)
    assert fresh == REQUESTS, "one of them is to be posted"
    assert all(len(titles) == 1 for titles in told.values()), "all copies are answered alike"
    assert asyncio.run(count(path)) == REQUESTS

    asyncio.run(delete_much(path))
    left = asyncio.run(count(path))
    after = asyncio.run(deliver(path, "after", 2))
    again = [row for row in after if "\tnew\t" in row and "already answered" not in row]
    print(
        f"{len(rows)} deliveries of {REQUESTS} requests to {BOTS} bots x {LIVES} lives: {fresh} rolled; "
        f"{len(after)} more after deletions: {len(again)} rolled"
    )
    assert left < REQUESTS
    assert again == []
    assert asyncio.run(count(path)) == left


if __name__ == "__main__":
    print("\n".join(asyncio.run(deliver(Path(sys.argv[1]), sys.argv[2], COPIES))))
