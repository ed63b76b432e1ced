"""What can go wrong on Slack's side, asked for by a test: errors, 429 and 500, slow answers,
answers held back.
"""

from __future__ import annotations

import asyncio
import fnmatch
from dataclasses import dataclass, field


@dataclass
class Fault:
    """Applies to calls whose method fits `pattern`, `times` times; to those for `channel` alone, if
    one is named.

    `after` lets the call take effect first.
    """

    pattern: str
    times: int
    status: int = 200
    error: str | None = None
    retry_after: int | None = None
    seconds: float = 0.0
    after: bool = False
    gate: asyncio.Event | None = None
    channel: str = ""
    hits: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        """Hold the call as long as the fault says."""
        self.reached.set()
        if self.seconds:
            await asyncio.sleep(self.seconds)
        if self.gate is not None:
            await self.gate.wait()


class Faults:
    """The faults waiting to happen. Methods are Web API names, `response_url` or `upload`; `*`
    fits all.
    """

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def ratelimit(self, pattern: str, *, retry_after: int = 1, times: int = 1) -> Fault:
        """HTTP 429 with Retry-After."""
        return self._add(Fault(pattern, times, 429, "ratelimited", retry_after))

    def server_error(
        self, pattern: str, *, times: int = 1, after: bool = False, channel: str = ""
    ) -> Fault:
        """HTTP 500; with `after` the call has taken effect all the same."""
        return self._add(Fault(pattern, times, 500, "internal_error", after=after, channel=channel))

    def error(self, pattern: str, error: str, *, times: int = 1, after: bool = False) -> Fault:
        """`{"ok": false, "error": error}` with HTTP 200."""
        return self._add(Fault(pattern, times, 200, error, after=after))

    def slow(self, pattern: str, seconds: float, *, times: int = 1, channel: str = "") -> Fault:
        """The call is served late by so many seconds."""
        return self._add(Fault(pattern, times, seconds=seconds, channel=channel))

    def hold(self, pattern: str, *, times: int = 1, after: bool = False) -> Fault:
        """The call waits until the test sets `.gate`; `.reached` is set once a call waits there."""
        return self._add(Fault(pattern, times, gate=asyncio.Event(), after=after))

    def clear(self) -> None:
        """Forget all faults not yet happened, and let go of what is held."""
        for fault in self._waiting:
            if fault.gate is not None:
                fault.gate.set()
        self._waiting.clear()

    def take(self, method: str, channel: str = "") -> Fault | None:
        """The fault that happens to this call, if any; it is used up by it."""
        for fault in self._waiting:
            fits = fnmatch.fnmatch(method, fault.pattern) and fault.channel in ("", channel)
            if fault.times > fault.hits and fits:
                fault.hits += 1
                return fault
        return None

    def _add(self, fault: Fault) -> Fault:
        self._waiting.append(fault)
        return fault
