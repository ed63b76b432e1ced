"""Makes a failing history short: steps are dropped as long as the same promise stays broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

S = TypeVar("S")
TRIES = 400


def shrunk(
    steps: tuple[S, ...], fails: Callable[[tuple[S, ...]], bool], tries: int = TRIES
) -> tuple[S, ...]:
    """The fewest of `steps` found with which it still fails: delta debugging, at most `tries`
    runs.
    """
    size = max(1, len(steps) // 2)
    while True:
        at, dropped = 0, False
        while at < len(steps) and tries:
            fewer = steps[:at] + steps[at + size :]
            tries -= 1
            if fewer and fails(fewer):
                steps, dropped = fewer, True
            else:
                at += size
        if not tries or (size == 1 and not dropped):
            return steps
        if not dropped:
            size = max(1, size // 2)
