"""One seed, one world: people, platforms, a database file and the bots on it, under one virtual
clock.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import re
import sqlite3
import traceback
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import aiosqlite

from bot.outbox.leases import LEASE
from tests.simulation import door
from tests.simulation.book import Book
from tests.simulation.clock import VirtualLoop, virtual
from tests.simulation.door import PROCESS, Disk
from tests.simulation.intents import Step
from tests.simulation.on_discord import Discord
from tests.simulation.on_slack import Slack
from tests.simulation.people import SPOTS, Spot
from tests.simulation.process import Process, packs_of
from tests.simulation.shown import REQUEST, Request, Shown

SETTLE = 1_200.0
"""Seconds after which all that was begun has come to an end, once nothing fails any more."""
FATES = ("limit", "fault", "lost", "broken")
TEMP = next((folder for folder in ("/dev/shm",) if Path(folder).is_dir()), None)
_CODE = re.compile(r"\b[0-9A-Z]{8}\b")
_WORD = re.compile(r"\bw\d+x\b")


class World:
    """What is and what happened."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = Random(f"world {seed}")
        self.loop = VirtualLoop(self.chance, shuffled=seed % 3 == 0)
        self.path, self.disk = folder / "games.db", Disk(self.chance)
        self.discord, self.slack = Discord(self), Slack(self)
        self.processes: list[Process] = []
        self.requests: list[Request] = []
        self.shown: list[Shown] = []
        self.book = Book(self)
        self.counts: Counter[str] = Counter()
        self.history: list[str] = []
        self.violations: list[str] = []
        # crashes, jumps of the clock, calls that broke after they were done
        self.doubts: Counter[str] = Counter()
        self.faulty_until = {"discord": 0.0, "slack": 0.0}
        self._failed: list[tuple[str, float]] = []
        self.last_fault = -1e9
        self._tasks: set[asyncio.Task[Any]] = set()
        self._coming = 0  # deliveries of requests that the platforms have yet to make

    # What happens

    async def live(self, steps: Iterable[Step]) -> None:
        """All steps, then quiet, then everything is looked at."""
        await self._boot()
        begin = self.loop.time()
        for step in steps:
            await asyncio.sleep(max(0.0, begin + step.at - self.loop.time()))
            if self.violations:
                return
            if self.chance.random() < 0.3:
                await self.book.look_quietly()
            self.do(step)
        await self._settle()
        if not self.violations:
            await self.book.look_at_the_end()

    def do(self, step: Step) -> None:
        """Begin what a step says."""
        act = {"say": self._say, "press": self._press, "again": self._again}.get(
            step.kind, self._fault
        )
        self.counts[step.kind] += 1
        act(step)

    def _say(self, step: Step) -> None:
        spot, text, file = SPOTS[step.where], step.text, ""
        if step.who not in spot.members:
            return
        if "{code}" in text:
            codes = [
                code
                for shown in self._seen_by(step.who)
                for code in _CODE.findall(shown.text)
                if shown.viewer
            ]
            if not codes:
                return
            text = text.replace("{code}", codes[-1])
        if "{file}" in text:
            files = [
                file
                for shown in self._seen_by(step.who)
                for file in shown.files
                if file.startswith("{")
            ]
            if not files:
                return
            file = files[-1]
            text = text.replace("{file}", "file=game.json")
        word = next(iter(_WORD.findall(text)), "")
        self.counts[
            " ".join(text.split()[:2])
            if text.startswith(("game", "fair", "privacy"))
            else text.split()[0]
        ] += 1
        self._deliver(self._new(step, spot, text, file=file, word=word))

    def _press(self, step: Step) -> None:
        spot = SPOTS[step.where]
        found = [
            (shown, action)
            for shown in self._seen_by(step.who)
            if shown.spot == spot
            for action in (*shown.buttons, *(shown.choices if step.text else ()))
            if action.startswith(step.text)
            and not action.startswith(("form", "again") if not step.text else "form")
        ]
        if not found or step.who not in spot.members:
            return
        message, action = found[-1] if not step.pick else found[int(step.pick * len(found))]
        self.counts[f"press {action.partition(':')[0]}"] += 1
        self._deliver(self._new(step, spot, action, message=message))

    def _new(
        self,
        step: Step,
        spot: Spot,
        doing: str,
        *,
        message: Shown | None = None,
        file: str = "",
        word: str = "",
    ) -> Request:
        request = Request(
            len(self.requests), step.who, spot, doing, self.loop.time(), message, file, word
        )
        request.commits = self.book.commits
        self.requests.append(request)
        self.note(str(request))
        self.book.asked(request)
        return request

    def _again(self, step: Step) -> None:
        """The platform delivers something once more."""
        if known := [
            request for request in self.requests if not step.who or request.who == step.who
        ]:
            request = known[int(step.pick * len(known))]
            self.note(f"request {request.number} comes once more")
            self._deliver(request, first=False)

    def _deliver(self, request: Request, *, first: bool = True) -> None:
        self._hand_over(
            request, self.chance.expovariate(25.0) if self.chance.random() < 0.95 else 2.0
        )
        if first and self.chance.random() < 0.08:
            self.counts["duplicates"] += 1
            self.note(f"  request {request.number} is delivered twice")
            self._hand_over(request, self.chance.expovariate(1.0))

    def _hand_over(self, request: Request, delay: float) -> None:
        async def later() -> None:
            await asyncio.sleep(delay)
            self._coming -= 1
            if serving := [process for process in self.processes if process.alive]:
                process = self.chance.choice(serving)
                PROCESS.set(process)
                await process.take(request)

        self._coming += 1

        context = contextvars.copy_context()
        context.run(REQUEST.set, request)
        self._keep(self.loop.create_task(later(), context=context))

    def _fault(self, step: Step) -> None:
        self.note(f"*** {step.kind} {step.text}")
        now, seconds = self.loop.time(), float(step.text or 0)
        if step.kind == "crash":
            self._crash(step)
        elif step.kind == "start":
            self._keep(self.loop.create_task(self._boot()))
        elif step.kind == "lock":
            self.disk.lock(self.path)
            self.doubts["lock"] += (
                seconds >= LEASE and len([one for one in self.processes if one.alive]) > 1
            )
            self.loop.call_later(seconds, self.disk.unlock)
        elif step.kind == "clock":
            self.loop.skew += seconds
            self.doubts["clock"] += 1
        elif step.kind == "broken":
            self.disk.broken_in = int(seconds)
        elif step.kind == "full":
            self.disk.full_until = now + seconds
        elif step.kind == "slow":
            self.disk.slow_until = now + seconds
        else:
            self.faulty_until[step.kind] = now + seconds
        if step.kind != "clock":
            self.last_fault = max(self.last_fault, now + seconds)

    def _crash(self, step: Step) -> None:
        serving = [process for process in self.processes if process.alive]
        if not serving:
            return
        process = serving[int(step.pick * len(serving))]
        for request in process.at_work:
            request.crashed = True
        process.kill()
        self.doubts["crash"] += 1
        self.loop.call_later(
            self.chance.uniform(0.5, 3.0), lambda: self._keep(self.loop.create_task(self._boot()))
        )

    async def _boot(self) -> None:
        process = Process(self, f"bot {len(self.processes) + 1}", self.path, self.disk)
        PROCESS.set(process)
        REQUEST.set(None)
        try:
            await process.begin()
        except Exception as error:  # the host's supervisor starts it again
            self.note(f"*** a bot does not start: {error}")
            self.loop.call_later(5.0, lambda: self._keep(self.loop.create_task(self._boot())))
            return
        self.processes.append(process)
        self.note(f"*** {process.name} begins")

    async def _settle(self) -> None:
        """Nothing fails any more: wait until all has come to an end."""
        self.disk.heal()
        self.faulty_until = dict.fromkeys(self.faulty_until, 0.0)
        self.note("*** all is well from here on")
        give_up = self.loop.time() + SETTLE
        await asyncio.sleep(2.0)
        while self.loop.time() < give_up and not self.violations:
            if not (self._coming or self.book.is_open() or self.is_busy()):
                return
            await asyncio.sleep(1.0)

    def is_busy(self) -> bool:
        """Whether any bot works on a request."""
        return any(process.alive and process.at_work for process in self.processes)

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.note("".join(traceback.format_exception(error)))
            self.book.broken("x", f"an exception nobody took care of: {error!r}")

    # What platforms and doors ask

    def wire_delay(self, now: float) -> float:
        """Seconds that half a call takes."""
        return self.chance.expovariate(20.0)

    def fate(self, platform: str) -> str:
        """How a call fares."""
        if self.loop.time() < self.faulty_until[platform] and self.chance.random() < 0.7:
            self.counts[f"{platform} calls that fail"] += 1
            self._failed.append((platform, self.loop.time()))
            return self.chance.choice(FATES)
        return "done"

    def calls_failed(self, platform: str, since: float, until: float) -> bool:
        """Whether a platform did not take every call in that time."""
        return any(name == platform and since <= at <= until for name, at in self._failed)

    def new_message(
        self, spot: Spot, *, viewer: str = "", answers: Request | None = None, nonce: str = ""
    ) -> Shown:
        """An empty message."""
        shown = Shown(
            len(self.shown) + 1,
            spot,
            "",
            viewer=viewer,
            answers=answers,
            nonce=nonce,
            at=self.loop.time(),
        )
        self.shown.append(shown)
        if answers is not None:
            answers.shown.append(shown)
        return shown

    def show(self, shown: Shown) -> None:
        """A message has its content."""
        eyes = f"for {shown.viewer} alone" if shown.viewer else "for all"
        first = shown.text.partition("\n")[0] or ", ".join(
            f"a file of {len(file)}" for file in shown.files
        )
        about = f" (request {shown.answers.number})" if shown.answers is not None else ""
        self.note(f"  {shown.spot.key} shows {eyes}: {first}{about}")
        self.book.saw(shown)

    def committed(self, rows: list[tuple[str, list[Any]]]) -> None:
        """What a transaction wrote."""
        self.book.wrote(rows)

    def spot_by_channel(self, channel: str) -> Spot | None:
        """A channel of Discord."""
        return next(
            (s for s in SPOTS.values() if s.platform == "discord" and s.channel == channel), None
        )

    def _seen_by(self, who: str) -> list[Shown]:
        return [shown for shown in self.shown if shown.is_seen_by(who)]

    def note(self, text: str) -> None:
        """A line of the history."""
        self.history.append(f"{self.loop.time() - 1_000.0:8.2f}  {text}")

    def violated(self, letter: str, text: str) -> None:
        """A promise is broken."""
        self.note(f"!!! ({letter}) {text}")
        self.violations.append(f"({letter}) {text}")

    async def copy_of_the_file(self) -> Path:
        """The database as it is now, for whoever wants to try something on it."""
        path = self.path.with_name("copy.db")
        path.unlink(missing_ok=True)
        source, copy = sqlite3.connect(self.path), sqlite3.connect(path)
        try:
            source.backup(copy)
        finally:
            source.close()
            copy.close()
        return path

    def close(self) -> None:
        """End all tasks and let go of the file."""
        self.disk.unlock()
        for process in self.processes:
            process.kill()
        for _ in range(20):
            tasks = asyncio.all_tasks(self.loop)
            if not tasks:
                break
            for task in tasks:
                task.cancel()
            self.loop.run_until_complete(asyncio.wait(tasks, timeout=60.0))
        self.loop.close()


def play(seed: int, steps: Iterable[Step], off: Iterable[str] = ()) -> World:
    """The world of a seed after these steps: history and violations are what is looked at.
    Letters `off` are not.
    """
    steps, level = tuple(steps), logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # what goes wrong is on purpose
    try:
        with (
            TemporaryDirectory(dir=TEMP, prefix="grognard-world-") as folder,
            packs_of(step.text for step in steps),
        ):
            world = World(seed, Path(folder))
            world.book.off = frozenset(off)
            with (
                virtual(world.loop, world.chance),
                patch.object(aiosqlite, "connect", door.connect),
            ):
                try:
                    world.loop.run_until_complete(world.live(steps))
                finally:
                    world.close()
    finally:
        logging.disable(level)
    return world
