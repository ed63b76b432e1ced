"""Faults for a test to order: each hits the next requests that match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

What = Literal["status", "rate", "slow", "cut", "swallowed", "lost", "unanswered"]


@dataclass(slots=True, eq=False)
class Fault:
    """One fault: which requests (a pattern on "METHOD /path"), which of them, and what happens.

    `status`: refused with that status before anything is done. `rate`: 429. `slow`: done after
    `seconds`. `cut`: connection broken before anything is done. `swallowed`: neither done nor
    answered. `lost`: done, but the connection breaks instead of an answer. `unanswered`: done, but
    no answer comes while the stand-in runs.
    """

    what: What
    pattern: re.Pattern[str]
    skip: int = 0
    times: int | None = 1
    status: int = 500
    seconds: float = 0.0
    everywhere: bool = False
    hits: int = 0

    def takes(self, call: str) -> bool:
        """True if this request is hit; counts it."""
        if not self.pattern.search(call):
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self.times is not None and self.hits >= self.times:
            return False
        self.hits += 1
        return True


class Faults:
    """All faults ordered so far."""

    def __init__(self) -> None:
        self.ordered: list[Fault] = []

    def order(self, fault: Fault) -> Fault:
        """Add one."""
        self.ordered.append(fault)
        return fault

    def hitting(self, call: str) -> list[Fault]:
        """The faults that hit "METHOD /path"."""
        return [fault for fault in self.ordered if fault.takes(call)]

    def clear(self) -> None:
        """No more faults."""
        self.ordered.clear()
