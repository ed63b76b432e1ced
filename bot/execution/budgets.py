"""Limits and queues that each command passes before it is handled.

A command runs once, however often it is delivered. Budgets bound the commands of one person, of one
channel and of all together: what is beyond is refused kindly, and has no effect. Each game has a
queue: its commands run one after another in order of arrival, those of different games in parallel.

An honest table never meets these limits. They keep one person with a script, or a crowd, from
taking the bot from everybody else. They are kept in memory and bounded; a restart forgets them.
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
"""The budget of a channel, as a multiple of one person's."""
AT_ONCE = 20
"""Maximum number of one person's commands at work at the same time."""
ALL_AT_ONCE = 2_000
KNOWN = 10_000
"""Persons and channels that are remembered. Beyond that, those quiet for longest start again with a
full budget.
"""
_ODDS, _SCAN, _COMPARED = 2.0, 3.0, 5.0
_LIGHT, _HEAVY = 4_000, 1_000
"""Characters that a command may write at its basic price, and the characters that cost one more."""
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
"""Beginning of the id of a request that the bot makes itself. It costs nobody anything."""
_NOTHING = "Nothing was rolled or written."

Steady = Callable[[], float]
"""A clock that is never set, in seconds."""


class Budgets:
    """The budgets of all persons and channels.

    A person may use `per_minute`, also at once after a rest. With None, only the number of commands
    at work is bounded.
    """

    def __init__(self, per_minute: int | None = None, steady: Steady = time.monotonic) -> None:
        self.at_work = 0
        """How many commands are under way."""
        self._under_way: Counter[str] = Counter()
        self._persons = self._channels = None
        if per_minute is not None:
            self._persons = _Buckets(per_minute, steady)
            self._channels = _Buckets(per_minute * CHANNEL_TIMES, steady)

    def begin(self, command: Command) -> None:
        """Charge a command to its person and channel, and count it as at work until `finish`.

        A command of the bot itself is only counted. Raise UserError if a limit is reached; then
        nothing is charged or counted.
        """
        if self.at_work >= ALL_AT_ONCE:
            raise make_busy_error()
        if not command.request_id.startswith(UNASKED):
            self._charge(command)
        self.at_work += 1
        self._under_way[command.who.key] += 1

    def _charge(self, command: Command) -> None:
        """Take the price of a command from the budgets of its person and its channel.

        Raise UserError, and take nothing, if a limit is reached.
        """
        if self._persons is None or self._channels is None:
            return
        user = command.who.key
        channel = command.where.key
        if self._under_way[user] >= AT_ONCE:
            message = f"{AT_ONCE} of your commands are still running. {_NOTHING}"
            raise UserError(message, hint="Try again when they're done.", code="too-many-at-work")
        price = compute_cost(command)
        wait = self._persons.seconds_until(user, price)
        if wait:
            limit = f"{format_count(self._persons.per_minute, 'command')} a minute per person"
            raise _make_limit_error(limit, wait)
        wait = self._channels.seconds_until(channel, price)
        if wait:
            limit = f"{self._channels.per_minute} commands a minute in one channel"
            raise _make_limit_error(limit, wait)
        self._persons.take(user, price)
        self._channels.take(channel, price)

    def finish(self, command: Command) -> None:
        """Stop counting a command as at work, of its person and in all.

        Call this once for each `begin`.
        """
        self.at_work -= 1
        self._under_way[command.who.key] -= 1
        if not self._under_way[command.who.key]:
            del self._under_way[command.who.key]

    def weigh(self, command: Command, written: int) -> None:
        """Charge a command for the characters that it has `written` beyond the basic price.

        A roll of a thousand dice costs more than a roll of two. Commands with a price of their own,
        such as an import, are not charged.
        """
        if self._persons is None or self._channels is None or command.path in _DEAR:
            return
        price = min(max(0.0, (written - _LIGHT) / _HEAVY), self._persons.per_minute)
        if price:
            self._persons.take(command.who.key, price)
            self._channels.take(command.where.key, price)


def make_busy_error() -> UserError:
    """Build the error for a command that arrives when too many are at work."""
    return UserError(
        f"Grognard is busy right now. {_NOTHING}", hint="Try again in a moment.", code="busy"
    )


def compute_cost(command: Command) -> float:
    """Return the price of a command: 1 for a roll, more if it keeps the machine at work."""
    price = _DEAR.get(command.path)
    if price is not None:
        return price
    if command.path == ("log",) and any(command.options.get(name) for name in _FILTERS):
        return _SCAN  # it may read the whole log without a match
    if is_flag_on(command.options, "compare") or command.options.get("rounds"):
        return _COMPARED
    return _ODDS if is_flag_on(command.options, "odds") else 1.0


def _make_limit_error(limit: str, wait: float) -> UserError:
    """Build the error for somebody who has to wait `wait` seconds because of a limit."""
    return UserError(
        f"Slow down: {limit}.",
        hint=f"Try again in {max(2, ceil(wait))} seconds.",
        code="over-budget",
    )


class _Buckets:
    """A bucket for each key: full at first, then refilled at an even pace."""

    def __init__(self, per_minute: int, steady: Steady) -> None:
        self.per_minute = per_minute
        self._pace = per_minute / 60
        self._steady = steady
        self._left = LRUCache[str, tuple[float, float]](KNOWN)

    def seconds_until(self, key: str, price: float) -> float:
        """Return the seconds until the bucket holds `price`, 0.0 if it does now.

        A price above the size of the bucket needs a full bucket.
        """
        return max(0.0, (min(price, self.per_minute) - self._level(key)) / self._pace)

    def take(self, key: str, price: float) -> None:
        """Take `price` out of the bucket."""
        self._left[key] = (self._level(key) - price, self._steady())

    def _level(self, key: str) -> float:
        level, time_taken = self._left.get(key, (self.per_minute, 0.0))
        return min(self.per_minute, level + (self._steady() - time_taken) * self._pace)


AGAIN_PAUSE = 2.0
"""Seconds in which Again, pressed by the same person again, has no effect."""


class Pauses:
    """The latest presses of Again, by person and place."""

    def __init__(self, steady: Clock) -> None:
        self._last = TTLCache[tuple[str, str], str](KNOWN, AGAIN_PAUSE, steady)

    def is_too_soon(self, who: Person, where: Place, request_id: str) -> bool:
        """Return whether this person pressed Again here a moment ago.

        The same press delivered twice does not count.
        """
        return self._last.setdefault((who.key, where.key), request_id) != request_id


class Queues:
    """Queues by key. A queue exists only while a command is in it. At most `limit` may be in each."""

    def __init__(self, limit: int | None = None) -> None:
        self._most = limit
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def wait_for_turn(self, key: str) -> AsyncIterator[None]:
        """Wait for a turn in the queue of `key`, and keep it while the `async with` block runs.

        The order is that of the calls. Raise UserError if the queue is full.
        """
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
    """The commands at work, by request id."""

    def __init__(self) -> None:
        self._works: dict[str, RunningCommand] = {}

    async def run_once(
        self,
        id: str,
        run: Callable[[Gate], Coroutine[Any, Any, Reply]],
        command: Command | None = None,
    ) -> Reply:
        """Run a command, and return its reply. `run` passes the gate before it stores anything.

        If the request is already at work, return the same reply, marked as `seen`. Cancelling the
        caller leaves the command running. `command` is only kept for `get` while `run` is at work.
        """
        work = self._works.get(id)
        if work is not None:
            reply = await asyncio.shield(work.task)
            return replace(reply, seen=True, outbox=0, elsewhere=not (reply.outbox or reply.seen))
        gate = Gate()
        is_over = asyncio.Event()
        work = self._works[id] = RunningCommand(
            asyncio.get_running_loop().create_task(run(gate)), gate, command
        )

        def finish(_: object) -> None:
            self._works.pop(id, None)
            is_over.set()

        work.task.add_done_callback(finish)
        # not for the task: an adapter that gives up waiting must not leave half a command
        await is_over.wait()
        return work.task.result()

    def get(self, id: str) -> RunningCommand | None:
        """Return the command with this request id if it is running or in a queue, else None."""
        return self._works.get(id)

    async def finish(self) -> None:
        """Wait until all commands at work are done."""
        await asyncio.gather(*(work.task for work in self._works.values()), return_exceptions=True)
