"""The host's clock is set, forward or back, by hours or by days: answers still come, and nothing
goes too early.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import pytest
from asyncpg import Pool, Record, create_pool

from adapters.delivery_loop import Delivered, Outbox, Outcome
from bot.app import App
from bot.game.game_log import GameChange, LoggedEvent
from bot.outbox import leases
from bot.outbox.waiting_answers import DueAnswer
from bot.storage.base import DAY
from bot.storage.postgres import PostgresStore
from bot.storage.records import Commit, Doc, DueRow, Outgoing
from bot.storage.retention import RetentionSweep
from bot.storage.store import Store
from bot.ui.spec import Command, Person, Place
from tests.fresh import fresh_store
from tests.standins.postgres import PostgresServer, SetClock

pytestmark = pytest.mark.sample(2)

ANNA, HERE = Person("console:anna", "Anna"), Place("console:here", "console:server")
HOUR = 3600.0
JUMPS = [-30 * DAY, -3 * HOUR, 3 * HOUR, 30 * DAY]


class Host(SetClock):
    """Its clock, which may be set, and time itself, which goes on. The database's is the same:
    it is set with it.
    """

    def __init__(self) -> None:
        super().__init__(400 * DAY)
        self.steady = 77.0

    def clock(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds
        self.steady += seconds


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture(params=["sqlite", "postgres"])
async def store(
    request: pytest.FixtureRequest, host: Host, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Store]:
    """Each kind of store in turn."""
    if request.param == "sqlite":
        yield await fresh_store(host.clock)
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    host.rules(server, monkeypatch)
    async with await PostgresStore.open(server.new_database(), clock=host.clock) as opened:
        yield opened


def app_on(store: Store, host: Host) -> App:
    return App(store, host.clock, lambda: host.steady)


@pytest.mark.parametrize("jump", JUMPS)
async def test_an_answer_left_over_comes_within_a_minute_however_the_clock_is_set(
    store: Store, host: Host, jump: float
) -> None:
    app = app_on(store, host)
    reply = await app.run_text("roll 2d6", ANNA, HERE, "r1", {"token": "t"})
    host.now += jump
    host.passes(60)
    (due,) = await app.answers.claim_due("console:")
    assert due.reply.title == reply.title
    host.now -= jump  # and back again, while it is being posted
    host.passes(61)
    assert len(await app.answers.claim_due("console:")) == 1
    await app.retry_answer(due.id, 300)
    host.now += jump
    host.passes(301)
    assert len(await app.answers.claim_due("console:")) == 1
    await app.answers.mark_delivered(due.id)
    assert await app.answers.claim_due("console:") == []


async def test_a_lease_is_kept_while_the_clock_goes_on_as_it_should(
    store: Store, host: Host
) -> None:
    app = app_on(store, host)
    await app.run_text("roll 2d6", ANNA, HERE, "r1", {"token": "t"})
    assert await app.answers.claim_due("console:") == []
    host.passes(11)
    assert len(await app.answers.claim_due("console:")) == 1
    assert await app.answers.claim_due("console:") == [], "one process has it"


@pytest.mark.parametrize("jump", JUMPS)
async def test_what_is_due_at_an_hour_waits_for_that_hour_and_comes_once(
    store: Store, host: Host, jump: float
) -> None:
    """A reminder goes by the clock on the wall, as its reader does: set back it waits, set ahead
    it comes.
    """
    at = host.now + 2 * HOUR
    await store.commit(Commit(due=[DueRow("g1/ping", at, "ping", {}, "")]))
    host.now += jump
    host.passes(60)
    assert [row.key for row in await store.load_due(10)] == (["g1/ping"] if jump > 2 * HOUR else [])
    host.now = at + 1
    assert [row.at for row in await store.load_due(10)] == [at]
    await store.commit(Commit(drop_due=[("g1/ping", at)]))
    host.now += jump  # set once more when it was seen to
    assert await store.load_due(10) == ()
    assert await store.load_due_at("g1/ping") is None


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_receipt_of_a_dead_process_is_answered_however_the_clock_is_set(
    store: Store, host: Host, jump: float
) -> None:
    command = Command(("roll",), {"dice": "2d6"}, ANNA, HERE, "r1", {"token": "t"})
    dead, app = app_on(store, host), app_on(store, host)
    assert await dead.promise_answer(command, host.now + 600) is None
    assert not await app.receipts.claim("console:"), "somebody may be at work on it"
    host.now += jump
    host.passes(60)
    (owed,) = await app.receipts.claim("console:")
    answer = await app.answer_receipt(owed)
    assert ("was not run" in answer.format_text()) is (jump > 0), "its token has died by that clock"
    await app.receipts.finish("r1")
    host.now -= jump
    host.passes(60)
    assert not await app.receipts.claim("console:")
    dead.receipts.close()


@pytest.mark.parametrize("jump", [-30 * DAY, 30 * DAY, 400 * DAY])
async def test_nothing_is_deleted_by_a_clock_that_was_just_set(
    store: Store, host: Host, jump: float
) -> None:
    await store.put_doc(Doc("draft", "d1", {"x": 1}, host.now + 20 * DAY))
    sweeping = RetentionSweep(store, 30 * DAY, host.clock, lambda: host.steady)
    assert await sweeping.sweep_if_sure()
    right = host.now
    host.now += jump
    for _ in range(20):
        host.passes(HOUR)
        assert not await sweeping.sweep_if_sure()
    restarted = RetentionSweep(store, 30 * DAY, host.clock, lambda: host.steady)
    assert not await restarted.sweep_if_sure(), "a restart does not make it believe the clock"
    host.now = right + 21 * HOUR
    assert not await restarted.sweep_if_sure(), "set right: that is another jump"
    assert await store.load_doc("draft", "d1") is not None
    for _ in range(24):
        host.passes(HOUR)
        swept = await restarted.sweep_if_sure()
    assert swept, "a day later it goes on"


async def test_a_night_asleep_and_a_week_switched_off_are_no_reason_to_keep_everything(
    store: Store, host: Host
) -> None:
    sweeping = RetentionSweep(store, 30 * DAY, host.clock, lambda: host.steady)
    assert await sweeping.sweep_if_sure()
    host.now += 9 * HOUR  # the steady clock stops in a sleeping computer
    assert await sweeping.sweep_if_sure()
    host.passes(7 * DAY)
    assert await RetentionSweep(store, 30 * DAY, host.clock, lambda: host.steady).sweep_if_sure()


async def test_requests_written_while_the_clock_was_ahead_do_not_hide_old_ones(
    store: Store, host: Host
) -> None:
    host.now += 300 * DAY
    await store.commit(Commit(request_id="ahead", reply={"text": "x"}))
    host.now -= 300 * DAY
    await store.commit(Commit(request_id="old", reply={"text": "x"}))
    host.passes(8 * DAY)
    await store.sweep(None)
    assert await store.load_earlier_reply("old") is None
    assert await store.load_earlier_reply("ahead") is not None
    host.passes(8 * DAY)
    await store.sweep(None)
    assert not (await store.commit(Commit(request_id="ahead", reply={}))).seen, (
        "it was dated back, and is gone now"
    )


async def test_what_outlived_its_request_is_never_posted_empty(store: Store, host: Host) -> None:
    start = GameChange("g1", 0, (LoggedEvent("g1", 1, "{}", "h"),))
    await store.commit(
        Commit("r1", {"title": "Anna: 7"}, changes=(start,), outbox=[Outgoing(HERE.key, {})])
    )
    host.passes(8 * DAY)
    await store.sweep(None)
    assert [row.reply for row in await store.claim_outbox(60)] in ([], [{"title": "Anna: 7"}])
    host.passes(61)
    left = await store.claim_outbox(60)
    assert all(row.reply for row in left)


def skewed(off: float) -> Callable[[], float]:
    """The clock of a machine that is off by so much."""
    return lambda: time.time() + off


class Poster:
    """The outbox of a process whose clock is off by so much, on a platform so slow that leases
    have to be renewed.
    """

    def __init__(
        self, store: Store, off: float, seen: Counter[str], database: Pool[Record]
    ) -> None:
        self._seen, self._database = seen, database
        self.app = App(store, skewed(off))
        self.outbox = Outbox(self.app, "console:", self.post, self.edit)

    async def post(self, due: DueAnswer) -> Outcome:
        self._seen[due.place] += 1
        first = await self._until(due)
        async with asyncio.timeout(60):
            while await self._until(due) == first:  # noqa: ASYNC110 -- nobody tells us
                await asyncio.sleep(0.1)
        return Delivered()

    async def _until(self, due: DueAnswer) -> object:
        """When the lease ends."""
        return await self._database.fetchval("SELECT due FROM outbox WHERE place = $1", due.place)

    async def edit(self, due: DueAnswer, _spot: Mapping[str, Any]) -> Outcome:
        return await self.post(due)


async def test_processes_whose_clocks_differ_never_post_an_answer_twice(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leases count by the database's clock, not by that of whoever holds or wants one."""
    # renewed soon, and long before they end: machines are slow at times
    monkeypatch.setattr(leases, "LEASE", 0.9)
    seen, url = Counter[str](), postgres.new_database()
    async with AsyncExitStack() as stack:
        offs = (-HOUR, -30.0, 0.0, 30.0, HOUR)
        stores = [
            await stack.enter_async_context(await PostgresStore.open(url, clock=skewed(off)))
            for off in offs
        ]
        database = await stack.enter_async_context(create_pool(url, min_size=1, max_size=4))
        posters = [
            Poster(store, off, seen, database) for store, off in zip(stores, offs, strict=True)
        ]
        looking = [asyncio.create_task(poster.outbox.run()) for poster in posters]
        for number in range(20):
            entry = Outgoing(f"console:{number}", {}, 0.3 * (number % 2), {"title": str(number)})
            await stores[number % 5].commit(Commit(f"r{number}", outbox=[entry]))
        while (await stores[0].count_waiting_answers("console:", 0.0))[0]:  # noqa: ASYNC110 -- nobody tells us
            await asyncio.sleep(0.1)
        for poster in posters:
            await poster.outbox.stop()
            poster.app.answers.close()
        await asyncio.gather(*looking)
    assert seen == Counter({f"console:{number}": 1 for number in range(20)})


async def test_a_receipt_held_by_a_process_is_not_taken_over_by_one_whose_clock_is_ahead(
    postgres: PostgresServer,
) -> None:
    url, command = (
        postgres.new_database(),
        Command(("roll",), {"dice": "2d6"}, ANNA, HERE, "r1", {"token": "t"}),
    )
    async with (
        await PostgresStore.open(url, clock=skewed(-HOUR)) as behind,
        await PostgresStore.open(url, clock=skewed(HOUR)) as ahead,
    ):
        assert await App(behind).promise_answer(command, time.time() + 600) is None
        assert not await App(ahead).receipts.claim("console:")
        assert abs(await behind.load_time() - time.time()) < 5
