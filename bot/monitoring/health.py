"""Whether the bot keeps its promises just now: commits are written, the disk has room, answers
leave, platforms are there. And what a supervisor of the systemd kind is told of it."""

import asyncio
import logging
import os
import shutil
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.monitoring.command_log import Watch
from bot.rules.errors import UserError
from bot.rules.text.names import format_count
from bot.storage.base import DAY, StoreError
from bot.storage.records import Doc
from bot.storage.store import Late, Store

log = logging.getLogger(__name__)

MIB = 2**20
LITTLE = 100 * MIB
"""Free room below which the disk is nearly full: some hundred thousand rolls, and the copies
that updates make.
"""
EVERY = 5.0
PROBE_AFTER = 30.0
"""Seconds without a commit after which one is made to see whether it works."""
PROBE_SECONDS = 10.0
PATIENCE = 60.0
"""Seconds for which a platform may be away: it comes back by itself after most troubles."""
LATE = 120.0
"""Seconds after which an answer in the outbox is late."""
MOST_LATE = 50
"""Places with such answers, or answers where none leaves, at which somebody should look."""
APART = 5.0
"""Seconds by which a machine's clock may differ from the database's: nothing hangs on it that
anybody would see.
"""

COPIED = ("copy", "last")
"""The document that says when the games were copied last."""
COPY_EVERY = 60.0
"""Seconds after which it is read again."""
MISSED = 3 * DAY + 3_600.0
"""Seconds without a copy after which somebody should look: three nights, and an hour for the
last of them.
"""

Links = Mapping[str, Callable[[], str]]
"""Each platform by name, and what is wrong with its connection: "" for nothing."""


@dataclass(slots=True)
class HealthReport:
    """What was seen last. `troubles` are for the host to look at, `notes` for them to know,
    `unready` says why nobody should be sent here."""

    troubles: tuple[str, ...] = ("starting",)
    unready: str = "starting"
    outbox: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Of each platform, whichever process brings them: answers on their way, those that are
    late, and their places.
    """
    notes: tuple[str, ...] = ()
    free: int | None = None
    copied: float = 0.0
    links: dict[str, str] = field(default_factory=dict)


class Health:
    """Looks every few seconds; `sight` is what it saw."""

    def __init__(
        self,
        store: Store | None,
        watch: Watch,
        links: Links,
        disk: Path | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`links` are the platforms that are served, `disk` the folder of the database, if it is a
        file. Without a store yet the bot `set_problem` for one."""
        self._store = store
        self._watch = watch
        self._links = links
        self._disk = disk
        self._clock = clock
        self._away: dict[str, float] = {}
        self._copy: dict[str, float] = {}
        self._copy_read = -COPY_EVERY
        self._first: dict[
            tuple[str, int], float
        ] = {}  # the first late answer of a place, and since when it is that
        self.sight = HealthReport()
        self.looked = time.monotonic()

    def set_store(self, store: Store, links: Links) -> None:
        """The store is there, and what is served."""
        self._store, self._links, self.sight = store, links, HealthReport()

    def set_problem(self, problem: str) -> None:
        """Why there is no store yet."""
        self.sight = HealthReport((problem,), problem)

    def get_age(self) -> float:
        """Seconds since it looked last."""
        return time.monotonic() - self.looked

    async def run(self, *seen: Callable[[HealthReport], None]) -> None:
        """Look until cancelled; each of `seen` hears of each look."""
        while True:
            before = self.sight.troubles
            try:
                await self.look()
            except Exception:
                log.exception("could not look at the bot's health")
                self.sight.troubles = ("its health cannot be seen",)
            if self.sight.troubles != before and self._store is not None:
                # who waits for it says so
                log.log(
                    logging.ERROR if self.sight.troubles else logging.INFO,
                    "health: %s",
                    self.describe(),
                )
            self.looked = time.monotonic()
            for hear in seen:
                hear(self.sight)
            await asyncio.sleep(EVERY)

    def describe(self) -> str:
        """What is wrong, or that all is well."""
        return "; ".join(self.sight.troubles or ("well", *self.sight.notes))

    async def look(self) -> HealthReport:
        """Look once at everything."""
        if self._store is None:
            return self.sight
        sight = HealthReport(troubles=())
        unread, waiting = await self._check_outbox(self._store, sight)
        unsaved = await self._find_save_problem(self._store, at_once=bool(unread))
        if unread and not unsaved:  # it was just coming back
            unread, waiting = await self._check_outbox(self._store, sight)
        unsaved = unsaved or unread
        apart = await self._find_clock_problem(self._store) if not unsaved else ""
        uncopied = await self._find_copy_problem(self._store) if not unsaved else ""
        sight.copied = self._copy.get("at", 0.0)
        free = self._find_space_problem(sight)
        sight.links = {name: link() for name, link in self._links.items()}
        sight.troubles = tuple(
            filter(
                None,
                (unsaved, free, waiting, apart, uncopied, *self._list_lost_platforms(sight.links)),
            )
        )
        away = [f"{name}: {problem}" for name, problem in sight.links.items() if problem]
        sight.unready = unsaved or "; ".join(away) or ("" if sight.links else "starting")
        self.sight = sight
        return sight

    async def _find_save_problem(self, store: Store, *, at_once: bool) -> str:
        """Why nothing can be saved. Where nobody plays, or `at_once`, something small is written
        to see it.
        """
        if at_once or self._watch.failing or time.monotonic() - self._watch.written > PROBE_AFTER:
            begun = time.perf_counter()
            try:
                async with asyncio.timeout(PROBE_SECONDS):
                    await store.put_doc(Doc("health", "probe", {}, self._clock() + 60.0))
                self._watch.record_commit("done", time.perf_counter() - begun)
            except TimeoutError:
                return f"commits take longer than {PROBE_SECONDS:g} s"
            except UserError as error:
                return f"commits fail: {describe_for_host(error)}"
        return ""

    async def _check_outbox(self, store: Store, sight: HealthReport) -> tuple[str, str]:
        """Why the outbox cannot be read, and what is wrong with it."""
        late = list[Late]()
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                for name in self._links:
                    waiting, count = await store.count_waiting_answers(f"{name}:", LATE)
                    rows = await store.list_overdue_answers(f"{name}:", LATE) if count else ()
                    sight.outbox[name] = (waiting, count, len(rows))
                    late += rows
        except TimeoutError:
            return "the outbox cannot be read in time", ""
        except UserError as error:
            return f"the outbox cannot be read: {describe_for_host(error)}", ""
        return "", self._find_late_answers(late, sight)

    def _find_late_answers(self, late: Sequence[Late], sight: HealthReport) -> str:
        """What is wrong with answers that are late. One channel may hold a long queue, which its
        platform lets go at its own pace: that is for nobody to mend."""
        now = self._clock()
        many = sum(count for _, count, _ in late)
        first = {place: self._first.get((place, id), now) for place, _, id in late}
        self._first = {(place, id): first[place] for place, _, id in late}
        stuck = sum(count for place, count, _ in late if now - first[place] >= LATE)
        if len(late) >= MOST_LATE:
            return f"answers for {len(late)} places have waited for more than {LATE:g} s"
        if stuck >= MOST_LATE:
            return f"{stuck} answers have waited for more than {LATE:g} s, and none of them leaves"
        if many >= MOST_LATE:
            places = "place" if len(late) == 1 else "places"
            sight.notes = (
                f"{many} answers for {len(late)} {places} have waited for more than {LATE:g} s",
            )
        return ""

    async def _find_clock_problem(self, store: Store) -> str:
        """How far this machine's clock is from the one that its processes share, where anybody
        would notice.
        """
        begun = self._clock()
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                there = await store.load_time()
        except (TimeoutError, UserError):
            return ""  # said as often as it matters by what else is looked at
        here = self._clock()
        # whatever the way there and back took
        apart = begun - there if begun > there else min(0.0, here - there)
        way = "ahead of" if apart > 0 else "behind"
        return (
            f"this machine's clock is {abs(apart):.0f} s {way} the database's: set it"
            if abs(apart) > APART
            else ""
        )

    async def _find_copy_problem(self, store: Store) -> str:
        """Since when the games were not copied, where that is too long; a host who copies by other
        means hears of it in the doctor alone."""
        if time.monotonic() - self._copy_read >= COPY_EVERY:
            try:
                async with asyncio.timeout(PROBE_SECONDS):
                    doc = await store.load_doc(*COPIED)
            except (TimeoutError, UserError):
                return ""  # see `_find_clock_problem`
            self._copy, self._copy_read = doc.data if doc is not None else {}, time.monotonic()
        return describe_missing_copy(self._copy, self._clock())

    def _find_space_problem(self, sight: HealthReport) -> str:
        if self._disk is None:
            return ""
        try:
            sight.free = shutil.disk_usage(self._disk).free
        except OSError as error:
            return f"the data folder cannot be seen: {error.strerror}"
        return (
            f"the disk is nearly full: {sight.free // MIB} MiB are free"
            if sight.free < LITTLE
            else ""
        )

    def _list_lost_platforms(self, links: Mapping[str, str]) -> Sequence[str]:
        """Platforms that have been away for too long."""
        now = time.monotonic()
        self._away = {name: self._away.get(name, now) for name, problem in links.items() if problem}
        return [
            f"{name}: {links[name]}"
            for name, since in self._away.items()
            if now - since >= PATIENCE
        ]


def describe_for_host(error: UserError) -> str:
    """What a host reads of it, who may know more than a player."""
    return error.for_host if isinstance(error, StoreError) else error.message


def build_copy_doc(before: Doc | None, now: float, *, is_whole: bool) -> Doc:
    """The document of the last copy, once one was made or has failed."""
    if is_whole:
        return Doc(*COPIED, {"at": now})
    data = before.data if before is not None else {}
    return Doc(*COPIED, {"failing": now, **data})


def describe_missing_copy(data: Mapping[str, float], now: float) -> str:
    """Since when no copy was made, of which there were some or should have been; "" where that
    is not long.
    """
    since = data.get("at", data.get("failing", now))
    return (
        f"the games were not copied for {format_count(round((now - since) / DAY), 'day')}"
        if now - since > MISSED
        else ""
    )


class Supervisor:
    """Speaks to the socket that the environment names; without one nobody listens."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        path = environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{path[1:]}" if path.startswith("@") else path

    def __bool__(self) -> bool:
        return bool(self._address)

    def notify(self, *lines: str) -> None:
        """Say it, such as READY=1; a supervisor that does not listen is no reason to stop."""
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            try:
                sender.sendto("\n".join(lines).encode(), self._address)
            except OSError:
                pass
