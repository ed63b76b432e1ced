"""An evening of each of our two games on both stores, whose bot is killed at one job of the
database in every line, before it is sent or before it is heard of, for each such job: nothing is
lost, and all come to the same log.

tests/simulation/test_steps.py has the same with both platforms, linked, by post, on SQLite alone.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from bot.app import App
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.storage.postgres import PostgresStore
from bot.storage.postgres import link as postgres_link
from bot.storage.sqlite import link as sqlite_link
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Person, Place
from bot.ui.typing.command_text import parse_text
from bot.verification.check_file import check
from bot.verification.check_games import audit_games
from bot.verification.export_format import read_json
from tests.page_script import said_by_page
from tests.simulation.process import FOLDER
from tests.simulation.steps_helpers import EVERY, player, said
from tools import verify_log

LATER = 600.0
"""Seconds between two lives, and between two lines: whoever was to post an answer has had their
time, and nobody has acted just now, which would be said."""
NOW = postgres_link.NOW
STEPS, CHUNK = 32, 8
"""Behind the last of them nothing is done any more for any line."""
GAMES = ("three-mills", "salt-road")
WHERE = Place("kill:1")


class Evening:
    """A database, one bot after the other on it, and what their platform was given to post."""

    def __init__(self, url: str, at: int | None) -> None:
        self.url, self.at = url, at
        self.app: App
        self.later = 0.0
        self.posted: dict[str, str] = {}
        self.files: list[str] = []
        self.kills = self.steps = 0
        self._lines = self._calls = 0
        self._left = -1
        self._killed = asyncio.Event()

    def chance_of(self, size: int) -> bytes:
        """Random bytes, for a line the same each time that it is typed."""
        self._calls += 1
        return hashlib.shake_256(f"{self._lines} {self._calls}".encode()).digest(size)

    async def step(self) -> None:
        """Something is about to be done, or to be heard of: whoever is killed waits for ever."""
        self.steps, self._left = self.steps + 1, self._left - 1
        if self._left == 0:
            self._killed.set()
        if self._killed.is_set():
            await asyncio.Event().wait()

    async def begin(self) -> None:
        """Another life, some time later, which posts what the last one left."""
        postgres_link.NOW = (
            f"({NOW} + {self.later})"  # leases go by the server's clock, which is in the same life
        )
        store = await open_store(load_settings({"DATABASE_URL": self.url}), self.clock)
        self.app = App(store, self.clock)
        while due := await self.app.answers.claim_due("kill:"):
            for answer in due:
                if not answer.amends:
                    self.post(str(answer.delivery["token"]), answer.reply)
                await self.app.answers.mark_delivered(answer.id)

    def clock(self) -> float:
        """Unix seconds."""
        return 1_800_000_000.0 + self.later

    def post(self, request: str, reply: Reply) -> None:
        """What the platform shows."""
        self.posted[request] = "\n".join(
            one.format_text() for one in (reply, reply.announce) if one is not None
        )
        self.files += [str(file.content) for file in reply.files]

    async def say(self, name: str, line: str) -> str:
        """What is answered to a line, which is typed again where it was not run."""
        self._lines += 1
        self._left = -1 if self.at is None else self.at + 1
        for number in range(3):
            request, self._calls = f"{self._lines}-{number}", 0
            work = asyncio.create_task(self._run(name, line, request))
            killed = asyncio.create_task(self._killed.wait())
            await asyncio.wait({work, killed}, return_when=asyncio.FIRST_COMPLETED)
            if self._killed.is_set():
                await self._die()
            else:
                killed.cancel()
                await work
            self._left, self.later = -1, self.later + LATER
            if told := self.posted.get(request):
                assert not told.startswith("Error") or line == "hand agree", f"{line}: {told}"
                return told
        raise AssertionError(f"{name} is never answered: {line}")

    async def _die(self) -> None:
        """Nobody of the dead says any more, nor does the server wait for them."""
        store, others = self.app.store, asyncio.all_tasks() - {asyncio.current_task()}
        if isinstance(store, PostgresStore):
            store._link._pool.terminate()
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        self._killed.clear()
        if not isinstance(store, PostgresStore):
            await store.close()
        self.kills, self.later = self.kills + 1, self.later + LATER
        await self.begin()

    async def _run(self, name: str, line: str, request: str) -> None:
        typed = parse_text(f"/{line}", self.app.registry)
        who = Person(f"kill:{name}", name)
        reply = await self.app.run(
            Command(typed.spec.path, typed.options, who, WHERE, request, {"token": request})
        )
        self.post(request, reply)
        if reply.outbox:
            await self.app.answers.mark_delivered(reply)

    async def lived(self, game: str) -> str:
        """The log of the whole evening, all of it opened."""
        await self.begin()
        await player(game)(self.say)
        for name, line in (
            ("Ben", "hand agree"),
            ("Anna", "game end confirm"),
            ("Anna", "fair reveal"),
        ):
            await self.say(name, line)
        await self.say("Anna", "game export json")
        assert (await audit_games(self.app.store))[1] == []
        await self.app.close()
        return self.files[-1]


def evening(url: str, game: str, at: int | None) -> tuple[Evening, str]:
    """An evening each of whose lines loses its process at this job, and its log."""
    lived = Evening(url, at)

    def stepped(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def in_steps(link: Any, job: Callable[[Any], Any], **more: Any) -> Any:
            await lived.step()
            found = await run(link, job, **more)
            await lived.step()
            return found

        return in_steps

    with (
        patch("os.urandom", lived.chance_of),
        patch.object(postgres_link, "NOW", NOW),
        patch.object(postgres_link.PostgresLink, "run", stepped(postgres_link.PostgresLink.run)),
        patch.object(
            sqlite_link.SqliteLink, "run_anyhow", stepped(sqlite_link.SqliteLink.run_anyhow)
        ),
    ):
        return lived, asyncio.run(lived.lived(game))


@dataclass(frozen=True)
class Databases:
    """The address of an empty database, as often as it is asked for; those on one kind of store
    are equal.
    """

    kind: str
    new: Callable[[], str] = field(compare=False)


@pytest.fixture(params=["sqlite", "postgres"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Those of each kind of store in turn."""
    if request.param == "postgres":
        return Databases("postgres", request.getfixturevalue("postgres").new_database)
    numbers = iter(range(STEPS))
    return Databases("sqlite", lambda: f"sqlite:///{tmp_path}/games-{next(numbers)}.db")


@cache
def undisturbed(game: str, databases: Databases) -> str:
    """The log of an evening on which nobody is killed: the same each time, so one on each kind
    of store will do.
    """
    lived, log = evening(databases.new(), game, None)
    assert lived.kills == 0
    return log


@pytest.mark.slow_sample(4)
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(0, STEPS, CHUNK))
@pytest.mark.parametrize("game", GAMES)
def test_a_bot_killed_at_each_job_of_its_database_goes_on_as_if_nothing_had_happened(
    game: str, first: int, databases: Databases, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    use_packs(FOLDER / game)
    whole = undisturbed(game, databases)
    logs = [whole]
    for step in range(first, first + CHUNK, EVERY):
        lived, log = evening(databases.new(), game, step)
        assert lived.kills or step > 16
        assert said(log) == said(whole), f"killed at step {step}"
        logs.append(log)
    for log in logs:
        assert check(read_json(log)).faults == ()
        assert verify_log.check(verify_log.parse_json(log)).faults == []
    assert [checked["faults"] for checked in said_by_page(logs, tmp_path)] == [[]] * len(logs)
