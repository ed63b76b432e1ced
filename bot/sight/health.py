"""Whether the bot keeps its promises just now: commits are written, the disk has room, answers leave, platforms are
there. And what a supervisor of the systemd kind is told of it."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.rules.errors import UserError
from bot.sight.watching import Watch
from bot.stores.records import Doc
from bot.stores.store import Store

log = logging.getLogger(__name__)

MIB = 2**20
LITTLE = 100 * MIB
"""Free room below which the disk is nearly full."""
EVERY = 5.0
PROBE_AFTER = 30.0
"""Seconds without a commit after which one is made to see whether it works."""
PROBE_SECONDS = 10.0
PATIENCE = 60.0
"""Seconds for which a platform may be away: it comes back by itself after most troubles."""
LATE = 120.0
"""Seconds after which an answer in the outbox is late."""
MOST_LATE = 50
APART = 5.0
"""Seconds by which a machine's clock may differ from the database's: nothing hangs on it that anybody would see."""

Links = Mapping[str, Callable[[], str]]
"""Each platform by name, and what is wrong with its connection: "" for nothing."""


@dataclass(slots=True)
class Sight:
    """What was seen last. `troubles` are for the host to look at, `unready` says why nobody should be sent here."""

    troubles: tuple[str, ...] = ("starting",)
    unready: str = "starting"
    waiting: int = 0
    late: int = 0
    free: int | None = None
    links: dict[str, str] = field(default_factory=dict)


class Health:
    """Looks every few seconds; `sight` is what it saw."""

    def __init__(
        self, store: Store, watch: Watch, links: Links, disk: Path | None, clock: Callable[[], float] = time.time
    ) -> None:
        """`links` are the platforms that are served, `disk` the folder of the database, if it is a file."""
        self._store, self._watch, self._links, self._disk, self._clock = store, watch, links, disk, clock
        self._away: dict[str, float] = {}
        self.sight = Sight()
        self.looked = time.monotonic()

    def age(self) -> float:
        """Seconds since it looked last."""
        return time.monotonic() - self.looked

    async def run(self, *seen: Callable[[Sight], None]) -> None:
        """Look until cancelled; each of `seen` hears of each look."""
        while True:
            before = self.sight.troubles
            try:
                await self.look()
            except Exception:
                log.exception("could not look at the bot's health")
                self.sight.troubles = ("its health cannot be seen",)
            if self.sight.troubles != before:
                log.log(logging.ERROR if self.sight.troubles else logging.INFO, "health: %s", self.text())
            self.looked = time.monotonic()
            for hear in seen:
                hear(self.sight)
            await asyncio.sleep(EVERY)

    def text(self) -> str:
        """What is wrong, or that all is well."""
        return "; ".join(self.sight.troubles) or "well"

    async def look(self) -> Sight:
        """Look once at everything."""
        sight = Sight(troubles=())
        unsaved = await self._unsaved()
        waiting = await self._outbox(sight)
        apart = await self._apart() if not unsaved else ""
        free = self._free(sight)
        sight.links = {name: link() for name, link in self._links.items()}
        sight.troubles = tuple(filter(None, (unsaved, free, waiting, apart, *self._gone(sight.links))))
        away = [f"{name}: {problem}" for name, problem in sight.links.items() if problem]
        sight.unready = unsaved or "; ".join(away) or ("" if sight.links else "starting")
        self.sight = sight
        return sight

    async def _unsaved(self) -> str:
        """Why nothing can be saved. Where nobody plays, something small is written to see it."""
        if self._watch.failing or time.monotonic() - self._watch.written > PROBE_AFTER:
            begun = time.perf_counter()
            try:
                async with asyncio.timeout(PROBE_SECONDS):
                    await self._store.put_doc(Doc("health", "probe", {}, self._clock() + 60.0))
                self._watch.probed(time.perf_counter() - begun)
            except TimeoutError:
                return f"commits take longer than {PROBE_SECONDS:g} s"
            except UserError as error:
                return f"commits fail: {error.message}"
        return ""

    async def _outbox(self, sight: Sight) -> str:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                for name in self._links:
                    waiting, late = await self._store.waiting(f"{name}:", LATE)
                    sight.waiting += waiting
                    sight.late += late
        except TimeoutError:
            return "the outbox cannot be read in time"
        except UserError as error:
            return f"the outbox cannot be read: {error.message}"
        return f"{sight.late} answers have waited for more than {LATE:g} s" if sight.late >= MOST_LATE else ""

    async def _apart(self) -> str:
        """How far this machine's clock is from the one that its processes share, where anybody would notice."""
        begun = self._clock()
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                there = await self._store.now()
        except (TimeoutError, UserError):
            return ""  # said as often as it matters by what else is looked at
        here = self._clock()
        apart = begun - there if begun > there else min(0.0, here - there)  # whatever the way there and back took
        way = "ahead of" if apart > 0 else "behind"
        return f"this machine's clock is {abs(apart):.0f} s {way} the database's: set it" if abs(apart) > APART else ""

    def _free(self, sight: Sight) -> str:
        if self._disk is None:
            return ""
        try:
            sight.free = shutil.disk_usage(self._disk).free
        except OSError as error:
            return f"the data folder cannot be seen: {error.strerror}"
        return f"the disk is nearly full: {sight.free // MIB} MiB are free" if sight.free < LITTLE else ""

    def _gone(self, links: Mapping[str, str]) -> Sequence[str]:
        """Platforms that have been away for too long."""
        now = time.monotonic()
        self._away = {name: self._away.get(name, now) for name, problem in links.items() if problem}
        return [f"{name}: {links[name]}" for name, since in self._away.items() if now - since >= PATIENCE]


class Supervisor:
    """Speaks to the socket that the environment names; without one nobody listens."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        path = environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{path[1:]}" if path.startswith("@") else path

    def __bool__(self) -> bool:
        return bool(self._address)

    def tell(self, *lines: str) -> None:
        """Say it, such as READY=1; a supervisor that does not listen is no reason to stop."""
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            try:
                sender.sendto("\n".join(lines).encode(), self._address)
            except OSError:
                pass
