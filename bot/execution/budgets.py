"""What a command passes before it is handled. It runs once, however often it is delivered. What one
person, one channel and all together may ask for is bounded: more is refused kindly, and nothing of
it happens. And a queue per game: its commands run one after another in order of arrival, those of
different games side by side.

An honest table never meets these limits: they keep one person with a script, or a crowd, from
taking the bot from everybody else. Kept in memory and bounded; a restart forgets them.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from cachetools import LRUCache, TTLCache

from bot.rules.errors import UserError
from bot.rules.inputs.options import is_flag_on
from bot.rules.text.names import format_count
from bot.storage.base import Clock, Gate
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Path, Person, Place

CHANNEL_TIMES = 5
"""A channel has as much as so many persons."""
AT_ONCE = 20
"""Commands of one person that may be under way."""
ALL_AT_ONCE = 2_000
KNOWN = 10_000
"""Persons and channels that are remembered; who was quiet longest is forgotten, and starts
afresh.
"""
_ODDS, _SCAN, _COMPARED = 2.0, 3.0, 5.0
_LIGHT, _HEAVY = 4_000, 1_000
"""Characters that a command may write at its plain price, and those beyond that cost one more."""
_FILTERS = ("unit", "side", "kind", "page")
_DEAR: dict[Path, float] = {
    ("game", "import"): 10.0,
    ("game", "export"): 10.0,
    ("privacy", "export"): 10.0,
    ("unit", "import"): 5.0,
    ("macro", "import"): 5.0,
    ("game", "stats"): 3.0,
    ("button", "odds"): _ODDS,
    ("button", "whatif"): _COMPARED,
    ("button", "log"): _SCAN,
}
UNASKED = "unasked/"
"""How the id of a request begins that is the bot's own, for somebody who did nothing: it is
nobody's cost.
"""
_NOTHING = "Nothing was rolled or written."

Steady = Callable[[], float]
"""Seconds on a clock that is never set."""


class Budgets:
    """What everybody has left. `per_minute` is one person's, and as much at once after a rest;
    None: only the number at once is bounded."""

    def __init__(self, per_minute: int | None = None, steady: Steady = time.monotonic) -> None:
        self.at_work = 0
        """How many commands are under way."""
        self._under_way: Counter[str] = Counter()
        self._persons = self._channels = None
        if per_minute is not None:
            self._persons = _Buckets(per_minute, steady)
            self._channels = _Buckets(per_minute * CHANNEL_TIMES, steady)

    def begin(self, command: Command) -> None:
        """Take what a command costs; it is under way until its `finish`. Raises UserError for too
        much.
        """
        who = command.who.key
        if self.at_work >= ALL_AT_ONCE:
            raise make_busy_error()
        is_theirs = not command.request_id.startswith(UNASKED)
        if self._persons is not None and self._channels is not None and is_theirs:
            if self._under_way[who] >= AT_ONCE:
                what = f"{AT_ONCE} of your commands are still at work. {_NOTHING}"
                raise UserError(
                    what, hint="Try again when they are answered.", code="too-many-at-work"
                )
            price = compute_cost(command)
            wait = self._persons.seconds_until(who, price)
            if wait:
                raise _make_limit_error(
                    f"{format_count(self._persons.per_minute, 'command')} a minute each", wait
                )
            wait = self._channels.seconds_until(command.where.key, price)
            if wait:
                raise _make_limit_error(
                    f"{self._channels.per_minute} commands a minute in one channel", wait
                )
            self._persons.take(who, price)
            self._channels.take(command.where.key, price)
        self.at_work += 1
        self._under_way[who] += 1

    def finish(self, command: Command) -> None:
        """It is done."""
        self.at_work -= 1
        self._under_way[command.who.key] -= 1
        if not self._under_way[command.who.key]:
            del self._under_way[command.who.key]

    def weigh(self, command: Command, written: int) -> None:
        """Take what a command wrote beyond the usual, in characters: a thousand dice cost more
        than two.
        """
        if self._persons is None or self._channels is None or command.path in _DEAR:
            return
        price = min(max(0.0, (written - _LIGHT) / _HEAVY), self._persons.per_minute)
        if price:
            self._persons.take(command.who.key, price)
            self._channels.take(command.where.key, price)


def make_busy_error() -> UserError:
    """The answer to everybody who comes while more is at work than can be kept."""
    return UserError(
        f"Grognard is busy just now. {_NOTHING}", hint="Try again in a moment.", code="busy"
    )


def compute_cost(command: Command) -> float:
    """What a command takes from the budgets: 1 for a roll, more for what keeps the machine at
    work.
    """
    known = _DEAR.get(command.path)
    if known is not None:
        return known
    if command.path == ("log",) and any(command.options.get(name) for name in _FILTERS):
        return _SCAN  # it may read the whole log, and find nothing
    if is_flag_on(command.options, "compare") or command.options.get("rounds"):
        return _COMPARED
    return _ODDS if is_flag_on(command.options, "odds") else 1.0


def _make_limit_error(most: str, wait: float) -> UserError:
    return UserError(
        f"Slow down: {most}.",
        hint=f"Try again in {max(2, ceil(wait))} seconds.",
        code="over-budget",
    )


class _Buckets:
    """A bucket for each key: full at first, filled again at an even pace."""

    def __init__(self, per_minute: int, steady: Steady) -> None:
        self.per_minute = per_minute
        self._pace = per_minute / 60
        self._steady = steady
        self._left = LRUCache[str, tuple[float, float]](KNOWN)

    def seconds_until(self, key: str, price: float) -> float:
        """Seconds until the bucket holds `price` (or is full, for what costs more); 0.0 where it
        does now.
        """
        return max(0.0, (min(price, self.per_minute) - self._level(key)) / self._pace)

    def take(self, key: str, price: float) -> None:
        """Take so much out of the bucket."""
        self._left[key] = (self._level(key) - price, self._steady())

    def _level(self, key: str) -> float:
        left, at = self._left.get(key, (self.per_minute, 0.0))
        return min(self.per_minute, left + (self._steady() - at) * self._pace)


AGAIN_PAUSE = 2.0
"""Seconds for which Again, pressed by the same person, does nothing more."""


class Pauses:
    """Who pressed Again where, and when."""

    def __init__(self, steady: Clock) -> None:
        self._last = TTLCache[tuple[str, str], str](KNOWN, AGAIN_PAUSE, steady)

    def is_too_soon(self, who: Person, where: Place, request_id: str) -> bool:
        """Return whether they pressed Again here a moment ago; the same press delivered twice does
        not count.
        """
        return self._last.setdefault((who.key, where.key), request_id) != request_id


class Queues:
    """Queues by key; one exists only while somebody waits in it. At most `most` may wait in
    each.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def wait_for_turn(self, key: str) -> AsyncIterator[None]:
        """One command's turn in the queue of `key`: its place is taken before anything is awaited.
        Raises UserError where too many wait."""
        lock, waiting = self._locks.get(key) or (asyncio.Lock(), 0)
        if self._most is not None and waiting >= self._most:
            raise make_busy_error()
        self._locks[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            _, waiting = self._locks.pop(key)
            if waiting > 1:
                self._locks[key] = (lock, waiting - 1)

    def __len__(self) -> int:
        return len(self._locks)


@dataclass(slots=True)
class RunningCommand:
    """A command at work."""

    task: asyncio.Task[Reply]
    gate: Gate
    command: Command | None = None  # as it was read: a receipt may only know what was typed
    is_handed_over: bool = False  # its answer was given to whoever could not show a receipt


class CommandsInFlight:
    """What is at work, by request id."""

    def __init__(self) -> None:
        self._works: dict[str, RunningCommand] = {}

    async def run_once(
        self,
        id: str,
        run: Callable[[Gate], Coroutine[Any, Any, Reply]],
        command: Command | None = None,
    ) -> Reply:
        """What `run` answers, which passes the gate before it stores. A request that is already at
        work gets the same answer marked as `seen`."""
        work = self._works.get(id)
        if work is not None:
            reply = await asyncio.shield(work.task)
            return replace(reply, seen=True, outbox=0, elsewhere=not (reply.outbox or reply.seen))
        gate = Gate()
        over = asyncio.Event()
        work = self._works[id] = RunningCommand(
            asyncio.get_running_loop().create_task(run(gate)), gate, command
        )

        def finish(_: object) -> None:
            self._works.pop(id, None)
            over.set()

        work.task.add_done_callback(finish)
        # not for the task: an adapter that gives up waiting must not leave half a command
        await over.wait()
        return work.task.result()

    def get(self, id: str) -> RunningCommand | None:
        """The request, if it is at work."""
        return self._works.get(id)

    async def finish(self) -> None:
        """Wait for all that is at work."""
        await asyncio.gather(*(work.task for work in self._works.values()), return_exceptions=True)
