"""Receipts in a crowd: the more are at work at once, the sooner each is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

CROWD = 12
"""With so many at work at once receipts are shown sooner, and with five times as many at once."""
STEP = 0.1
"""Seconds after which somebody who waits for an answer looks how many others have come."""


def hurry(at_work: int) -> int:
    """What patience is divided by while so many are at work at once."""
    return 1 if at_work < CROWD else 4 if at_work < 5 * CROWD else 16


async def done_within(work: asyncio.Future[Any], patience: Callable[[], float], spent: float = 0.0) -> bool:
    """Whether the work is done before so many seconds are over, of which some are `spent`; they may become fewer as
    others come."""
    clock = asyncio.get_running_loop().time
    begun = clock() - spent
    await asyncio.wait({work}, timeout=max(0.0, min(patience() - spent, STEP)))
    while not work.done() and (left := begun + patience() - clock()) > 0:
        await asyncio.wait({work}, timeout=min(left, STEP))
    return work.done()
