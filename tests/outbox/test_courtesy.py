"""In a crowd receipts come first: nobody waits for an answer as long as if they were alone."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from bot.interface.spec import Person, Place
from bot.outbox.courtesy import CROWD, LONGEST, done_within, hurry
from tests.fresh import fresh_app

HERE = Place("console:here")
ANNA = Person("console:anna", "Anna")


async def test_a_command_waits_while_many_receipts_are_on_their_way() -> None:
    app = await fresh_app()
    with ExitStack() as receipts:
        for _ in range(CROWD):
            receipts.enter_context(app.courtesy.receipt())
        roll = asyncio.create_task(app.run_text("/roll 2d6", ANNA, HERE, "r1"))
        await asyncio.sleep(0.1)
        assert not roll.done()
        receipts.pop_all().close()
        assert "2d6" in (await roll).by


async def test_it_does_not_wait_for_long() -> None:
    app = await fresh_app()
    with ExitStack() as receipts:
        for _ in range(CROWD):
            receipts.enter_context(app.courtesy.receipt())
        async with asyncio.timeout(LONGEST + 2):
            assert not (await app.run_text("/roll 2d6", ANNA, HERE, "r1")).error


async def test_few_receipts_hold_nobody_up() -> None:
    app = await fresh_app()
    with app.courtesy.receipt():
        async with asyncio.timeout(LONGEST / 2):
            await app.run_text("/roll 2d6", ANNA, HERE, "r1")


async def test_who_came_first_does_not_wait_longer_than_those_behind() -> None:
    """Alone one waits a second and a half for the answer; once sixty others are there the receipt is due at once."""
    loop, others = asyncio.get_running_loop(), 0
    begun, never = loop.time(), loop.create_future()
    waiting = asyncio.create_task(done_within(never, lambda: begun + 1.5 / hurry(others) - loop.time()))
    await asyncio.sleep(0.05)
    others = 5 * CROWD
    assert not await waiting
    assert loop.time() - begun < 1.0
    never.set_result(None)
    assert await done_within(never, lambda: 0.0)
