"""A server with a ladder for tests: a clock, and results stored as confirmed games store them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count
from typing import Any

from bot.app import App
from bot.commands.ladder.ladder_docs import CONFIRMED, DREW, LOST, PLAYED, RESULT, WON, Played
from bot.commands.ladder.standings_cache import build_start_doc
from bot.ladder.result import Result
from bot.ladder.season import get_month
from bot.preferences.ladder_setting import build_ladder_doc
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from tests.fresh import fresh_app
from tests.ladder.season_facts import build_result

HALL = Place("discord:5/9", "discord:5", "#hall")
SERVER = HALL.server


def read_time(day: str) -> float:
    """Return a time of UTC in Unix seconds: 2026-11-30, or 2026-11-30T18:00."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def name_person(name: str, *, manager: bool = False) -> Person:
    """Return the person called so."""
    return Person(f"console/{name}", name, manager)


def build_docs(result: Result, server: str = SERVER) -> list[Doc]:
    """Return the documents of a confirmed result."""
    month = get_month(result.time)
    key = f"{server}/{result.system}/{month}/{result.game}"
    docs = [Doc(RESULT, key, result.to_json(), None, server)]
    for index, seat in enumerate(result.seats):
        opponent = result.seats[1 - index]
        outcome = DREW if result.is_draw else WON if result.winner == index else LOST
        played = Played(
            CONFIRMED, result.title, opponent.name, opponent.player, seat.side, month, outcome,
            result.time,
        )  # fmt: skip
        own_key = f"{seat.player}/{server}/{result.system}/{result.game}"
        docs.append(Doc(PLAYED, own_key, played._asdict(), None, seat.player))
    return docs


async def put_results(store: Store, results: Iterable[Result], server: str = SERVER) -> None:
    """Store confirmed results, and that their rule sets have some."""
    results = list(results)
    for result in results:
        for doc in build_docs(result, server):
            await store.put_doc(doc)
    for system in {result.system for result in results}:
        since = min(get_month(result.time) for result in results if result.system == system)
        await store.put_doc(build_start_doc(server, system, since))


class Club:
    """A server with a ladder, and a clock that tests set."""

    def __init__(self, app: App, day: str) -> None:
        self.app = app
        self.now = read_time(day)
        self._ids = count(1)

    @classmethod
    async def fresh(cls, day: str = "2026-11-20", results: Iterable[Result] = ()) -> Club:
        """Return a club on this day, in which these results were confirmed."""
        clocks: list[Club] = []
        app = await fresh_app(lambda: clocks[0].now)
        club = cls(app, day)
        clocks.append(club)
        await app.store.put_doc(build_ladder_doc(SERVER))
        await put_results(app.store, results)
        return club

    async def say(self, name: str, line: str, *, manager: bool = False, **more: Any) -> Reply:
        """Return the answer to a line; it may be an error."""
        person = name_person(name, manager=manager)
        where = more.get("where", HALL)
        return await self.app.run_text(line, person, where, f"c{next(self._ids)}", {})

    async def do(self, name: str, line: str, **more: Any) -> str:
        """Return the text of the answer to a line that must not fail."""
        reply = await self.say(name, line, **more)
        assert not reply.error, f"{line}: {reply.format_text()}"
        return reply.format_text()


def build_season() -> list[Result]:
    """Return a season: Anna beats five others in September, then Ben and Cleo three times each."""
    others = ("Ben", "Cleo", "Dan", "Eve", "Fred")
    results = [
        build_result(f"2026-09-{day:02}", "Anna", other, reply_hours=(3.0, 60.0))
        for day, other in enumerate(others, start=1)
    ]
    for day in range(1, 4):
        results.append(build_result(f"2026-10-{day:02}", "Ben", "Anna", day % 2))
        results.append(build_result(f"2026-11-{day:02}", "Cleo", "Ben", None))
    return results
