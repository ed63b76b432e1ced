"""What a large ladder costs: its standings from 10,000 results in 24 months.

    python -m benchmarks.ladder

Processor time of `/ladder standings` once the earlier months are stored, as it is for everybody
but the first who asks after a month or after a struck result; beside it a ladder that has only the
results of the running month. Then the other commands, and the first question.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.goals import goal
from bot.app import App
from bot.commands.ladder.ladder_docs import CONFIRMED, DREW, LOST, PLAYED, RESULT, WON, Played
from bot.commands.ladder.standings_cache import CHANGE, CHANGE_KEPT, STANDINGS, build_start_doc
from bot.ladder.result import Result, Seat
from bot.ladder.season import get_month
from bot.preferences.ladder_setting import build_ladder_doc
from bot.storage.records import Commit, Doc
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Person, Place

RESULTS = 10_000
MONTHS = 24
PLAYERS = 200
RUNS = 30
NOW = datetime(2026, 11, 30, 20, tzinfo=UTC).timestamp()
LARGE = Place("discord:1/1", "discord:1")
SMALL = Place("discord:2/1", "discord:2")
"""A server with the results of the running month alone."""


def make_results() -> list[Result]:
    """Return results of random pairs, evenly in time."""
    generator = random.Random(47)
    start = datetime(2024, 12, 1, tzinfo=UTC).timestamp()
    results = []
    for number in range(RESULTS):
        first, second = generator.sample(range(PLAYERS), 2)
        seats = (make_seat(generator, first, "US"), make_seat(generator, second, "VC"))
        hash_text = f"{number:064x}"
        results.append(
            Result(
                game=f"{number:032x}",
                system="lnlt",
                scenario=generator.choice(("ford", "hill", "")),
                title=f"Hill {number}",
                seats=seats,
                winner=generator.choice((0, 1, None)),
                commitment=hash_text,
                ended=80,
                confirmed=81,
                head=hash_text,
                time=start + (NOW - start) * number / RESULTS,
                by_manager=False,
                series="",
            )
        )
    return results


def make_seat(generator: random.Random, player: int, side: str) -> Seat:
    luck = round(generator.gauss(0.0, 1.0), 3)
    hours = round(generator.uniform(0.5, 60.0), 2)
    return Seat(f"discord:{player}", f"Player {player}", f"{player:016x}", side, hours, luck)


def make_docs(result: Result, server: str) -> list[Doc]:
    month = get_month(result.time)
    docs = [Doc(RESULT, f"{server}/lnlt/{month}/{result.game}", result.to_json(), None, server)]
    for index, seat in enumerate(result.seats):
        outcome = DREW if result.winner is None else WON if result.winner == index else LOST
        other = result.seats[1 - index]
        played = Played(
            CONFIRMED,
            result.title,
            other.name,
            other.player,
            seat.side,
            month,
            outcome,
            result.time,
        )
        key = f"{seat.player}/{server}/lnlt/{result.game}"
        docs.append(Doc(PLAYED, key, played._asdict(), None, seat.player))
    return docs


async def fill(store: SqliteStore) -> None:
    """Store all results on one server, and those of the running month on the other."""
    results = make_results()
    this_month = get_month(NOW)
    docs = [doc for result in results for doc in make_docs(result, LARGE.server)]
    for result in results:
        if get_month(result.time) == this_month:
            docs += make_docs(result, SMALL.server)
    for place in (LARGE, SMALL):
        docs.append(build_ladder_doc(place.server))
        docs.append(build_start_doc(place.server, "lnlt", "2024-12"))
    for start in range(0, len(docs), 2_000):
        await store.commit(Commit(docs=docs[start : start + 2_000]))


class Club:
    """The app on the database, and how long its commands take."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._asked = 0

    async def measure(self, line: str, place: Place) -> float:
        """Return the milliseconds of processor time that a command takes."""
        self._asked += 1
        person = Person(f"discord:{self._asked % PLAYERS}", f"Player {self._asked % PLAYERS}")
        start = time.process_time()
        reply = await self._app.run_text(line, person, place, f"ask {self._asked}", {})
        took = (time.process_time() - start) * 1000
        assert not reply.error, reply.format_text()
        return took


async def main(folder: Path) -> None:
    store = await SqliteStore.open(folder / "ladder.db", clock=lambda: NOW)
    try:
        await fill(store)
        club = Club(App(store, lambda: NOW))
        await club.measure("ladder standings", SMALL)
        first_large = await club.measure("ladder standings", LARGE)
        await store.take_doc(STANDINGS, f"{LARGE.server}/lnlt/2026-10")
        again = await club.measure("ladder standings", LARGE)
        struck = []
        for number in range(RUNS):
            change = f"{LARGE.server}/lnlt/{number}"
            expires = NOW + CHANGE_KEPT
            await store.put_doc(Doc(CHANGE, change, {"month": "2026-11"}, expires, LARGE.server))
            struck.append(await club.measure("ladder standings", LARGE))
        large = []
        small = []
        for _ in range(RUNS):
            large.append(await club.measure("ladder standings", LARGE))
            small.append(await club.measure("ladder standings", SMALL))
        player = [await club.measure("ladder player", LARGE) for _ in range(RUNS)]
        balance = [await club.measure("ladder balance", LARGE) for _ in range(3)]
        export = [await club.measure("ladder export", LARGE) for _ in range(3)]
    finally:
        await store.close()
    print(f"{RESULTS:,} results in {MONTHS} months, {PLAYERS} players; ms of processor time")
    for name, figures in (
        ("standings", large),
        ("standings, results of one month", small),
        ("standings, nothing stored", [first_large, again]),
        ("standings, a result of this month struck", struck),
        ("player", player),
        ("balance", balance),
        ("export", export),
    ):
        print(f"{name:<42}{statistics.median(figures):8.1f}")
    goal("/ladder standings with 10,000 results, ms of processor time", large, most=50)
    ratios = [one / other for one, other in zip(large, small, strict=True)]
    goal("the same, after a result of this month was struck", struck, most=50)
    goal("the same, in that of a ladder with one month's results", ratios, most=1.5)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(main(Path(name)))
