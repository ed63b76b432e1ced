"""An evening of lines in which the bot is killed at one step of every line, and whoever typed types
it again if they must. A step is whatever the process waits for: a job of its database before it is
done and before it hears of it, a call of a platform before it is made and before it hears back.
Chance is the same for a line however often it is tried, so all such evenings must come to the same
log.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import sqlite3
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from weakref import WeakSet

import aiosqlite

from bot.execution.due_loop import EVERY
from bot.storage.base import StoreError
from bot.storage.sqlite.journal import get_journal_path
from bot.ui.reply.reply import Reply
from bot.ui.spec import Receipt
from tests.packs.evening import Player
from tests.simulation import door, world
from tests.simulation.book import id_of
from tests.simulation.clock import virtual
from tests.simulation.door import PROCESS
from tests.simulation.intents import Step
from tests.simulation.people import ANN, BOB, CAS, SPOTS, Spot
from tests.simulation.process import FOLDER, Process, packs_of
from tests.simulation.shown import REQUEST, Request, Shown
from tests.simulation.world import TEMP, World

TRIES = 6
"""Times that somebody types a line, of which the first may be in vain; more, while the bot says
that it is busy.
"""
BETWEEN = 3 * 3600.0
"""Seconds that pass after every fourth line, so that whoever is waited for is reminded."""
NOT_RUN = ("your command was not run", "The bot is too busy")


class Mortal(Process):
    """A bot that counts its steps, and is killed at one."""

    async def begin(self, *, platforms: bool = True) -> None:
        """Reminders too."""
        await super().begin(platforms=platforms)
        if platforms:
            self.app.answer_receipt = partial(self._make_good, self.app.answer_receipt)  # type: ignore[method-assign]
            self._due = asyncio.create_task(self._remind())

    async def _make_good(
        self, make_good: Callable[..., Awaitable[Reply]], receipt: Receipt, *run: Any
    ) -> Reply:
        """What another did not get to, with the chance that it would have had."""
        assert isinstance(self.world, Evening)
        self.world.begins_anew(receipt.command.request_id)
        return await make_good(receipt, *run)

    async def _remind(self) -> None:
        while self.alive:
            with suppress(StoreError):  # at the end its file is taken away
                await self.app.due_work.look()
            await asyncio.sleep(EVERY)

    def kill(self) -> None:
        """What it was at stops at once."""
        super().kill()
        for task in self.world.tasks_of.pop(self, ()):  # type: ignore[attr-defined]
            task.cancel()

    async def pass_time(self, delay: Callable[[float], float] | None) -> None:
        """A step."""
        if self.is_watched and self.alive:
            evening = self.world
            assert isinstance(evening, Evening)
            evening.step(self)
        await super().pass_time(delay)


class Evening(World):
    """One in which each line's so many-th step is the last of a process. With None nobody is
    killed.
    """

    def __init__(self, folder: Path, at: int | None, anna: str, ben: str) -> None:
        super().__init__(26, folder)
        self.at, self.spots = at, {"Anna": anna, "Ben": ben}
        self.steps: list[int] = []  # that each line took
        self.kills = self.retyped = self.reminders = 0
        self.log, self._is_over = "", False
        self._line, self._left, self._count = 0, -1, 0
        self._calls: dict[Request, int] = {}
        self.tasks_of: dict[Process | None, WeakSet[asyncio.Task[Any]]] = defaultdict(WeakSet)
        self.loop.set_task_factory(self._task)

    def _task(self, loop: Any, work: Any, context: Any = None) -> asyncio.Task[Any]:
        task = asyncio.Task[Any](work, loop=loop, context=context)
        process = context.get(PROCESS) if context is not None else PROCESS.get(None)
        self.tasks_of[process].add(task)
        return task

    def chance_of(self, size: int) -> bytes:
        """Random bytes: for what a line asks for the same each time that it is typed."""
        request = REQUEST.get()
        if request is None:
            return self.chance.randbytes(size)
        call = self._calls[request] = self._calls.get(request, 0) + 1
        return hashlib.shake_256(f"{self._line} {call}".encode()).digest(size)

    def begins_anew(self, id: str) -> None:
        """From here on the task is about the request with this id."""
        request = self.requests[id_of(id) or 0]
        REQUEST.set(request)
        self._calls.pop(request, None)

    def step(self, process: Process) -> None:
        """The process does something: perhaps its last."""
        self._count += 1
        self._left -= 1
        if self._left == 0:
            self._kill(process)

    def _kill(self, process: Process) -> None:
        self.note(f"*** {process.name} is killed at step {self._count}")
        for request in process.at_work:
            request.crashed = True
        process.kill()
        self.kills += 1
        self.doubts["crash"] += 1
        self.loop.call_later(1.0, lambda: self._keep(self.loop.create_task(self._boot())))

    async def lived(self, play: Player) -> None:
        """The whole evening: two places that are linked, the lines, and all that is closed
        opened at the end.
        """
        await self._boot()
        lines = 0

        async def say(name: str, line: str) -> str:
            nonlocal lines
            told, lines = await self.say(name, line), lines + 1
            if lines == 1 and self.spots["Anna"] != self.spots["Ben"]:
                await self._link()
            if lines == 1:
                await self.say("Anna", "me ping interval=1h quiet=off")
                await self.say("Ben", "me ping interval=1h quiet=off")
            if lines % 4 == 0:
                await self._hours_pass()
            return told

        await play(say)
        for name, line in (
            ("Ben", "hand agree"),
            ("Anna", "game end confirm"),
            ("Anna", "fair reveal"),
        ):
            await self.say(name, line, may_fail=line == "hand agree")
        await self.say("Anna", "game export json")
        # also of one that came late
        self.reminders = sum("is waiting for you" in shown.text for shown in self.shown)
        self.log = next(
            file for shown in reversed(self.shown) for file in shown.files if file.startswith("{")
        )
        await self._settle()
        await self.book.look_at_the_end()
        self._is_over = True

    async def say(
        self, name: str, line: str, *, may_fail: bool = False, who: str = "", where: str = ""
    ) -> str:
        """What is answered to a line, which is typed again where it was not run."""
        who, spot = who or {"Anna": ANN, "Ben": BOB}[name], SPOTS[where or self.spots[name]]
        self._line += 1
        self._begin(self.at)
        for _ in range(TRIES):
            request = self._new(Step(self.loop.time(), "say", who), spot, line)
            if self._left == 0:
                self._kill(self.processes[-1])
            else:
                self._hand_over(request, 0.01)
            await self._quiet()
            if told := self._told(request):
                self.steps.append(self._count)
                assert may_fail or not told.lstrip("*").startswith("Error"), "\n".join(
                    [*self.history[-40:], told]
                )
                return told
            self.retyped += 1
        raise AssertionError("\n".join([*self.history[-60:], f"{name} is never answered: {line}"]))

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if not self._is_over:  # then what the dead were at is let go of, and their file is gone
            super()._ended(task)

    async def _link(self) -> None:
        here, there = self.spots["Anna"], self.spots["Ben"]
        told = await self.say("Cas", "game link", who=CAS, where=here)
        code = next(iter(world._CODE.findall(told)))
        await self.say("Cas", f"game link {code}", who=CAS, where=there)

    async def _hours_pass(self) -> None:
        """Three hours by the host's clock: who is waited for is reminded, and that has its steps
        too.
        """
        self.loop.skew += BETWEEN
        self._begin(None if self.at is None else self.at or 1)
        await asyncio.sleep(20.0)
        await self._quiet()
        self.steps.append(self._count)

    def _begin(self, at: int | None) -> None:
        self._count, self._left = 0, -1 if at is None else at

    async def _quiet(self) -> None:
        """Until nothing is under way."""
        await asyncio.sleep(0.5)
        give_up = self.loop.time() + 600.0
        while self._coming or self.book.is_open() or self.is_busy() or self._owes():
            assert self.loop.time() < give_up, "\n".join(self.history[-60:])
            await asyncio.sleep(0.25)
        self._left = -1

    def _owes(self) -> bool:
        """Whether nobody serves, or what the dead have noted down is not taken over yet: whoever
        typed it waits.
        """
        with closing(sqlite3.connect(get_journal_path(self.path))) as journal:
            there = "SELECT count(*) FROM sqlite_master WHERE name = 'receipts'"
            (noted,) = journal.execute(there).fetchone()
            (owed,) = journal.execute("SELECT count(*) FROM receipts").fetchone() if noted else (0,)
        return bool(owed) or not any(process.alive for process in self.processes)

    def _told(self, request: Request) -> str:
        """All that who typed reads about it; "" where it was not run."""
        mine = [
            shown
            for shown in self.shown
            if shown.at >= request.at
            and shown.spot in (request.spot, _dm(shown.spot))
            and shown.is_seen_by(request.who)
        ]
        ran = self.book.ran(request)
        mine = [shown for shown in mine if not any(word in shown.text for word in NOT_RUN)]
        assert mine or not ran, f"{request} was run, and its answer was never found"
        is_told = ran or any(shown.answers is request for shown in mine)
        return "\n".join(_all(shown) for shown in mine) if is_told else ""

    async def _boot(self) -> None:
        # what players do is not of the process that began first
        await self.loop.create_task(self._born())

    async def _born(self) -> None:
        process = Mortal(self, f"bot {len(self.processes) + 1}", self.path, self.disk)
        PROCESS.set(process)
        REQUEST.set(None)
        await process.begin()
        self.processes.append(process)
        self.note(f"*** {process.name} begins")


def _dm(spot: Spot) -> Spot | None:
    return spot if spot.server == "dm" or spot.channel[0] == "D" else None


def _all(shown: Shown) -> str:
    """All texts of a message, line by line."""
    return "\n".join([shown.text, *_texts(shown.body)])


def _texts(view: Any) -> list[str]:
    if isinstance(view, dict):
        own = [
            view[key]
            for key in ("text", "content", "description")
            if isinstance(view.get(key), str)
        ]
        return own + [text for value in view.values() for text in _texts(value)]
    return [text for value in view for text in _texts(value)] if isinstance(view, list) else []


def evening(play: Player, at: int | None, anna: str, ben: str, pace: float = 0.004) -> Evening:
    """An evening of two players in these places, each of whose lines loses its process at this
    step.
    """
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with (
            TemporaryDirectory(dir=TEMP, prefix="grognard-world-") as folder,
            packs_of(["three-mills"], FOLDER),
        ):
            lived = Evening(Path(folder), at, anna, ben)
            lived.disk.pace = pace
            with (
                virtual(lived.loop, lived.chance),
                patch.object(os, "urandom", lived.chance_of),
                patch.object(aiosqlite, "connect", door.connect),
            ):
                try:
                    lived.loop.run_until_complete(lived.lived(play))
                finally:
                    lived.close()
    finally:
        logging.disable(level)
    return lived
