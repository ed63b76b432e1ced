"""In a crowd receipts come first: nobody waits for an answer as long as if they were alone."""

from __future__ import annotations

import asyncio

from bot.outbox.receipts import CROWD, get_patience_divisor, wait_until_done


async def test_who_came_first_does_not_wait_longer_than_those_behind() -> None:
    """Alone one waits eight seconds here; once sixty others are there the receipt is due at
    once.
    """
    loop, others = asyncio.get_running_loop(), 0
    begun, never = loop.time(), loop.create_future()
    waiting = asyncio.create_task(
        wait_until_done(never, lambda: 8.0 / get_patience_divisor(others))
    )
    await asyncio.sleep(0.05)
    others = 5 * CROWD
    assert not await waiting
    assert loop.time() - begun < 8.0
    never.set_result(None)
    assert await wait_until_done(never, lambda: 0.0)
