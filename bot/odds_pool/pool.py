"""Odds within a time limit: quick ones at once, larger ones in a worker process within five
seconds.

However many users ask at once, nobody else waits for their odds. One calculation at a time runs
inline, with a pause after it as long as it took. The rest goes to the worker. Equal requests share
one calculation.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar, cast

from cachetools import LRUCache

from bot.odds_pool.process import SIZE, Refused, get_function_path, pack_value
from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster
from bot.rules.odds.odds import Distribution
from bot.rules.odds.rolls import TooManyStates
from bot.rules.text.phrase import text_from_json
from bot.rulesets.play_once import compute_each_odds
from bot.rulesets.system import Sequence

INLINE_STATES = 300
INLINE_ROLLS = 6_000
INLINE_SECONDS = 0.03
"""Limits of an inline calculation: about ten milliseconds, on a slow machine no more than thirty.
"""
WORKER_SECONDS = 5.0
START_SECONDS = 60.0
BUSY_SECONDS = 60.0
"""Extra seconds by the clock for a calculation while the machine is busy with other work."""
WAITING = 500
"""Maximum number of calculations in line for the worker."""
LINE_SECONDS = 20.0
"""Maximum number of seconds in line: by then nobody looks at the screen any more."""
HERE = 4
"""Number of inline calculations in line before the worker is used."""
MAX_CACHED_PLANS = 256
"""Results of the worker that are cached."""
_SECRET = ("TOKEN", "SECRET", "KEY", "PASS", "DATABASE_URL")
_ROOT = Path(__file__).resolve().parents[2]

BUSY = "The odds calculator is busy."

T = TypeVar("T")


class OddsService:
    """The odds for chat. Equal requests share one calculation; the latest few hundred are cached."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._kept = LRUCache[str, dict[str, Distribution]](MAX_CACHED_PLANS)
        self._under_way: dict[str, asyncio.Task[dict[str, Distribution]]] = {}
        self._inline_turn = asyncio.Semaphore()
        self._waiting = 0

    async def count(
        self, sequence: Sequence, raw: Mapping[str, object], paths: Many[str], roster: Roster
    ) -> dict[str, Distribution]:
        """Return the distribution of each output of `paths`. Do not change it: it is cached.

        Raise UserError, also if the calculation takes too long.
        """
        # The inputs as they were understood, so with all that a roster unit brought.
        key = repr(
            (sequence.system.key, sequence.id, tuple(paths), sequence.read_inputs(raw, roster))
        )
        if key in self._kept:
            return self._kept[key]
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(
                self._count(sequence, raw, paths, roster)
            )
            task.add_done_callback(partial(self._keep, key))
        return await asyncio.shield(task)

    async def _count(
        self, sequence: Sequence, raw: Mapping[str, object], paths: Many[str], roster: Roster
    ) -> dict[str, Distribution]:
        if self._waiting < HERE:
            with contextlib.suppress(TooManyStates):
                return await self._count_here(sequence, raw, paths, roster)
        return await self._worker.run(
            compute_each_odds, sequence, dict(raw), tuple(paths), dict(roster)
        )

    async def _count_here(
        self, sequence: Sequence, raw: Mapping[str, object], paths: Many[str], roster: Roster
    ) -> dict[str, Distribution]:
        """Calculate quick odds inline. Raise TooManyStates for others."""
        self._waiting += 1
        try:
            await self._inline_turn.acquire()
        finally:
            self._waiting -= 1
        start = monotonic()
        try:
            return compute_each_odds(
                sequence,
                raw,
                paths,
                roster,
                budget=INLINE_STATES,
                rolls=INLINE_ROLLS,
                seconds=INLINE_SECONDS,
            )
        finally:  # the next one does not begin before everybody else had as much time
            asyncio.get_running_loop().call_later(monotonic() - start, self._inline_turn.release)

    def _keep(self, key: str, task: asyncio.Task[dict[str, Distribution]]) -> None:
        del self._under_way[key]
        if not task.cancelled() and task.exception() is None:
            self._kept[key] = task.result()


class Worker:
    """One process outside the bot, started when first needed, for calculations that would block it."""

    def __init__(
        self, seconds: float = WORKER_SECONDS, *, stays: bool = True, busy: str = BUSY
    ) -> None:
        """Prepare a worker. A process that `stays` waits for more; else it ends when nobody waits.

        `busy` is the message if too many wait.
        """
        self.seconds = seconds
        self._stays = stays
        self._busy = busy
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._waiting = self.given_up = 0

    @property
    def waiting(self) -> int:
        """Return how many sums are at work or in line."""
        return self._waiting

    async def run(self, function: Callable[..., T], *arguments: Any, seconds: float = 0) -> T:
        """Run `function(*arguments)` in the worker, and return its result.

        The function must belong to a module, and its arguments must be picklable. Of a rule set or
        sequence the worker gets the id, or the files of its pack, and loads it itself. Raise the
        function's UserError, and TooManyStates after the time limit (`seconds`, if it has its own):
        then the process is ended.
        """
        if self._waiting >= WAITING:
            raise UserError(self._busy, hint="Try again in half a minute.", code="busy")
        self._waiting += 1
        start = monotonic()
        try:
            async with self._turn:
                if monotonic() - start > LINE_SECONDS:
                    raise UserError(self._busy, hint="Try again in half a minute.", code="busy")
                limit = seconds or self.seconds
                path = get_function_path(function)
                question = pack_value((path, limit, pickle.dumps(arguments)))
                result, refused = await self._ask(question, limit)
        finally:
            self._waiting -= 1
            if not (self._stays or self._waiting):
                await self.close()
        if refused is not None:
            message, hint, option, code = refused
            raise UserError(message, hint=text_from_json(hint), option=option, code=code)
        return cast("T", result)

    async def close(self) -> None:
        """End the process."""
        process = self._process
        self._process = None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            if process.stdin is not None:
                process.stdin.close()

    async def _ask(self, question: bytes, seconds: float) -> tuple[object, Refused | None]:
        try:
            process = await self._ensure_process()
            assert process.stdin is not None
            process.stdin.write(question)
            # it has read the packs: no part of the sum
            await asyncio.wait_for(_read_answer(process), START_SECONDS)
            answer: tuple[object, Refused | None] = await _read_within(process, seconds)
        except (TimeoutError, EOFError, OSError):
            self.given_up += 1
            await self.close()
            raise TooManyStates from None
        except BaseException:
            await self.close()  # its answer would be taken for the next one's
            raise
        return answer

    async def _ensure_process(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "bot.odds_pool.process",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=_build_environment(),
                limit=2**24,
            )
            await asyncio.wait_for(_read_answer(self._process), START_SECONDS)
        return self._process


def _build_environment() -> dict[str, str]:
    """This process's environment without its secrets, and with the way to our own modules."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not any(word in name for word in _SECRET)
    }
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


async def _read_within(process: asyncio.subprocess.Process, seconds: float) -> Any:
    """Return the process's answer if it comes within `seconds` of its own processor time.

    A busy machine may need more time by the clock, at most BUSY_SECONDS more. Raise TimeoutError.
    """
    reading = asyncio.ensure_future(_read_answer(process))
    try:
        used_before = _get_processor_seconds(process.pid)
        deadline = monotonic() + seconds + BUSY_SECONDS
        finished, _ = await asyncio.wait({reading}, timeout=seconds)
        while not finished and monotonic() < deadline:
            if _get_processor_seconds(process.pid) - used_before >= seconds:
                break
            finished, _ = await asyncio.wait({reading}, timeout=min(seconds, 2.0) / 10)
        if not finished:
            raise TimeoutError
        return await reading
    finally:
        reading.cancel()


def _get_processor_seconds(pid: int) -> float:
    """Return the processor seconds used by a process, infinity if the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return inf


async def _read_answer(process: asyncio.subprocess.Process) -> Any:
    assert process.stdout is not None
    head = await process.stdout.readexactly(SIZE.size)
    return pickle.loads(await process.stdout.readexactly(SIZE.unpack(head)[0]))
