"""Odds within a time limit: quick ones at once, larger ones in a worker process that gives up after five seconds."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from typing import Any, TypeVar, cast

from bot.charts import Sequence, system
from bot.procedures import each_odds
from bot.rules.errors import UserError
from bot.rules.odds import Distribution, TooManyStates
from bot.rules.units import Roster

INLINE_STATES = 300
INLINE_ROLLS = 12_000
"""What is counted on the spot, about ten milliseconds."""
WORKER_SECONDS = 5.0
WAITING = 20
"""How many may wait for the worker before it is said to be busy."""

T = TypeVar("T")


class Worker:
    """One process beside the bot, started when first needed, for sums that would hold everybody else up."""

    def __init__(self, seconds: float = WORKER_SECONDS) -> None:
        self.seconds = seconds
        self._pool: ProcessPoolExecutor | None = None
        self._waiting = 0

    async def odds(
        self, sequence: Sequence, raw: Mapping[str, object], paths: Many[str], roster: Roster
    ) -> dict[str, Distribution]:
        """The distribution of each output of `paths`. Raises UserError, also for what takes too long."""
        try:
            return each_odds(sequence, raw, paths, roster, budget=INLINE_STATES, rolls=INLINE_ROLLS)
        except TooManyStates:
            names = (sequence.system.id, sequence.id)
            return await self.run(_count, *names, dict(raw), tuple(paths), dict(roster))

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """What `function(*arguments)` returns, run in the worker. Raises TooManyStates after the time limit."""
        if self._waiting >= WAITING:
            raise UserError("Too many sums are waiting.", hint="Try again in half a minute.")
        self._waiting += 1
        try:
            if self._pool is None:
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=500)
            loop = asyncio.get_running_loop()
            limit = self.seconds * (self._waiting + 1) + 10
            work = loop.run_in_executor(self._pool, _limited, self.seconds, function, arguments)
            result, refused = await asyncio.wait_for(work, limit)
        except (BrokenExecutor, TimeoutError):
            await self.close()
            raise TooManyStates from None
        finally:
            self._waiting -= 1
        if refused is not None:
            raise UserError(refused[0], hint=refused[1])
        return cast("T", result)

    async def close(self) -> None:
        """End the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)


class _TimeIsUp(BaseException):
    """Raised in the worker by its alarm; no `except Exception` on the way can swallow it."""


def _limited(
    seconds: float, function: Callable[..., T], arguments: tuple[Any, ...]
) -> tuple[T | None, tuple[str, str] | None]:
    """(result, None), or (None, (what was wrong, hint)): errors cross between processes as plain texts."""

    def stop(*_: object) -> None:
        raise _TimeIsUp

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*arguments), None
    except _TimeIsUp:
        late = TooManyStates()
        return None, (late.message, late.hint)
    except UserError as error:
        return None, (error.message, str(error.hint))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _count(
    system_id: str, sequence_id: str, raw: Mapping[str, object], paths: tuple[str, ...], roster: Roster
) -> dict[str, Distribution]:
    return each_odds(system(system_id).sequence(sequence_id), raw, paths, roster)
