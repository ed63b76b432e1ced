"""The health of the bot: commits are written, the disk has room, answers leave, platforms respond.

`Supervisor` reports it to a supervisor such as systemd.
"""

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
"""Free bytes below which the disk counts as nearly full: room for about a hundred thousand rolls,
and for the copies that updates make.
"""
EVERY = 5.0
PROBE_AFTER = 30.0
"""Seconds without a commit before a test commit."""
PROBE_SECONDS = 10.0
MAX_AWAY_SECONDS = 60.0
"""Seconds that a platform may be away: it comes back by itself after most troubles."""
LATE = 120.0
"""Seconds after which an answer in the outbox is late."""
MOST_LATE = 50
"""Number of places with late answers, or of stuck answers, at which the host should look."""
APART = 5.0
"""Seconds that a machine's clock may differ from the database's without any visible effect."""

COPIED = ("copy", "last")
"""The document with the time of the last copy of the games."""
COPY_EVERY = 60.0
"""Seconds between reads of that document."""
MISSED = 3 * DAY + 3_600.0
"""Seconds without a copy before the host should look: three nights, and an hour for the last of
them.
"""

Links = Mapping[str, Callable[[], str]]
"""The connection check of each platform, by name. It returns the problem, or ""."""


@dataclass(slots=True)
class HealthReport:
    """The results of the last look.

    `troubles` need the host, `notes` are for their information. `unready` is why no traffic should
    be sent here, or "".
    """

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
    """The health check, repeated every few seconds. `sight` is its last report."""

    def __init__(
        self,
        store: Store | None,
        watch: Watch,
        links: Links,
        disk: Path | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare the check. `links` are the served platforms, `disk` the folder of a database file.

        Without a store, the bot reports the reason with `set_problem`.
        """
        self._store = store
        self._watch = watch
        self._links = links
        self._disk = disk
        self._clock = clock
        self._away: dict[str, float] = {}
        self._copy: dict[str, float] = {}
        self._copy_read = -COPY_EVERY
        self._first: dict[tuple[str, int], float] = {}
        """The time since which an answer is the oldest late one of its place, by (place, id)."""
        self.sight = HealthReport()
        self.looked = time.monotonic()

    def set_store(self, store: Store, links: Links) -> None:
        """Set the store and the served platforms, once they are there."""
        self._store = store
        self._links = links
        self.sight = HealthReport()

    def set_problem(self, problem: str) -> None:
        """Set the reason why there is no store yet."""
        self.sight = HealthReport((problem,), problem)

    def get_age(self) -> float:
        """Return the seconds since the last look."""
        return time.monotonic() - self.looked

    async def run(self, *listeners: Callable[[HealthReport], None]) -> None:
        """Look every EVERY seconds until cancelled, and pass each report to the `listeners`.

        Log the health whenever the troubles have changed. A look that fails is itself a trouble.
        """
        while True:
            old_troubles = self.sight.troubles
            try:
                await self.look()
            except Exception:
                log.exception("could not look at the bot's health")
                self.sight.troubles = ("its health cannot be checked",)
            if self.sight.troubles != old_troubles and self._store is not None:
                # who waits for it says so
                log.log(
                    logging.ERROR if self.sight.troubles else logging.INFO,
                    "health: %s",
                    self.describe(),
                )
            self.looked = time.monotonic()
            for listener in listeners:
                listener(self.sight)
            await asyncio.sleep(EVERY)

    def describe(self) -> str:
        """Return the troubles in one text, or `well` with the notes."""
        return "; ".join(self.sight.troubles or ("well", *self.sight.notes))

    async def look(self) -> HealthReport:
        """Run all checks once, keep the report as `sight`, and return it.

        Without a store, check nothing, and return the last report.
        """
        if self._store is None:
            return self.sight
        sight = HealthReport(troubles=())
        outbox_problem, late_answers = await self._check_outbox(self._store, sight)
        save_problem = await self._find_save_problem(self._store, at_once=bool(outbox_problem))
        if outbox_problem and not save_problem:  # the store was just coming back
            outbox_problem, late_answers = await self._check_outbox(self._store, sight)
        store_problem = save_problem or outbox_problem
        clock_problem = copy_problem = ""
        if not store_problem:
            clock_problem = await self._find_clock_problem(self._store)
            copy_problem = await self._find_copy_problem(self._store)
        sight.copied = self._copy.get("at", 0.0)
        space_problem = self._find_space_problem(sight)
        sight.links = {name: find_problem() for name, find_problem in self._links.items()}
        lost_platforms = self._list_lost_platforms(sight.links)
        problems = (store_problem, space_problem, late_answers, clock_problem, copy_problem)
        sight.troubles = tuple(problem for problem in (*problems, *lost_platforms) if problem)
        away = [f"{name}: {problem}" for name, problem in sight.links.items() if problem]
        sight.unready = store_problem or "; ".join(away) or ("" if sight.links else "starting")
        self.sight = sight
        return sight

    async def _find_save_problem(self, store: Store, *, at_once: bool) -> str:
        """Return why nothing can be saved, or "".

        Write a small document to find out if there was no commit lately, or `at_once`.
        """
        is_quiet = time.monotonic() - self._watch.written > PROBE_AFTER
        if not (at_once or self._watch.failing or is_quiet):
            return ""
        start = time.perf_counter()
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await store.put_doc(Doc("health", "probe", {}, self._clock() + 60.0))
            self._watch.record_commit("done", time.perf_counter() - start)
        except TimeoutError:
            return f"commits take longer than {PROBE_SECONDS:g} s"
        except UserError as error:
            return f"commits fail: {describe_for_host(error)}"
        return ""

    async def _check_outbox(self, store: Store, sight: HealthReport) -> tuple[str, str]:
        """Return why the outbox cannot be read, and what is wrong with its late answers, or "" for
        each.
        """
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
        """Return what is wrong with late answers, or "".

        One channel may have a long queue that its platform accepts at its own pace. That is only a note
        in `sight`, since nobody can mend it.
        """
        now = self._clock()
        late_count = sum(count for _, count, _ in late)
        oldest_since = {place: self._first.get((place, id), now) for place, _, id in late}
        self._first = {(place, id): oldest_since[place] for place, _, id in late}
        stuck = sum(count for place, count, _ in late if now - oldest_since[place] >= LATE)
        if len(late) >= MOST_LATE:
            return f"answers for {len(late)} places have waited for more than {LATE:g} s"
        if stuck >= MOST_LATE:
            return (
                f"{stuck} answers have waited for more than {LATE:g} s, and none is being delivered"
            )
        if late_count >= MOST_LATE:
            places = "place" if len(late) == 1 else "places"
            sight.notes = (
                f"{late_count} answers for {len(late)} {places} have waited for more than {LATE:g} s",
            )
        return ""

    async def _find_clock_problem(self, store: Store) -> str:
        """Return how far this machine's clock differs from the database's, "" if not visibly.

        All processes share the database's clock. Return "" if it cannot be read, too: another check
        reports that.
        """
        start = self._clock()
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                database_time = await store.load_time()
        except (TimeoutError, UserError):
            return ""  # another check reports that
        end_time = self._clock()
        # however long the request took each way
        if start > database_time:
            difference = start - database_time
        else:
            difference = min(0.0, end_time - database_time)
        if abs(difference) <= APART:
            return ""
        direction = "ahead of" if difference > 0 else "behind"
        return f"this machine's clock is {abs(difference):.0f} s {direction} the database's: correct it"

    async def _find_copy_problem(self, store: Store) -> str:
        """Return for how long the games were not copied, "" if not too long.

        The doctor alone reports that to a host who copies by other means.
        """
        if time.monotonic() - self._copy_read >= COPY_EVERY:
            try:
                async with asyncio.timeout(PROBE_SECONDS):
                    doc = await store.load_doc(*COPIED)
            except (TimeoutError, UserError):
                return ""  # another check reports that
            self._copy = doc.data if doc is not None else {}
            self._copy_read = time.monotonic()
        return describe_missing_copy(self._copy, self._clock())

    def _find_space_problem(self, sight: HealthReport) -> str:
        """Set `sight.free` to the free bytes of the disk. Return the problem, or "" for none.

        A problem is a nearly full disk, or a data folder that cannot be read. Without such a
        folder, check nothing.
        """
        if self._disk is None:
            return ""
        try:
            sight.free = shutil.disk_usage(self._disk).free
        except OSError as error:
            return f"the data folder cannot be read: {error.strerror}"
        if sight.free >= LITTLE:
            return ""
        return f"the disk is nearly full: {sight.free // MIB} MiB left"

    def _list_lost_platforms(self, links: Mapping[str, str]) -> Sequence[str]:
        """Return `platform: problem` for each platform that has been away for MAX_AWAY_SECONDS or longer.

        `links` has the problem of each platform now, "" for none.
        """
        now = time.monotonic()
        self._away = {name: self._away.get(name, now) for name, problem in links.items() if problem}
        return [
            f"{name}: {links[name]}"
            for name, since in self._away.items()
            if now - since >= MAX_AWAY_SECONDS
        ]


def describe_for_host(error: UserError) -> str:
    """Return the message of an error for the host, who may see more than a player."""
    return error.for_host if isinstance(error, StoreError) else error.message


def build_copy_doc(old_doc: Doc | None, now: float, *, is_whole: bool) -> Doc:
    """Build the document of the last copy, after one was made (`is_whole`) or has failed.

    After a failure, the times of the last copy and of an earlier failure stay as in `old_doc`.
    """
    if is_whole:
        return Doc(*COPIED, {"at": now})
    data = old_doc.data if old_doc is not None else {}
    return Doc(*COPIED, {"failing": now, **data})


def describe_missing_copy(data: Mapping[str, float], now: float) -> str:
    """Return for how long no copy was made, "" if not too long or if copies were never made."""
    since = data.get("at", data.get("failing", now))
    if now - since <= MISSED:
        return ""
    days = format_count(round((now - since) / DAY), "day")
    return f"the games have not been backed up for {days}"


class Supervisor:
    """A connection to the socket named by the environment. Without one, nothing is sent."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        path = environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{path[1:]}" if path.startswith("@") else path

    def __bool__(self) -> bool:
        return bool(self._address)

    def notify(self, *lines: str) -> None:
        """Send lines such as READY=1. A supervisor that does not listen is no reason to stop."""
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            try:
                sender.sendto("\n".join(lines).encode(), self._address)
            except OSError:
                pass
