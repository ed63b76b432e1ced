"""Whoever is shown "thinking" is answered, or told that nothing happened: also by another
process, and never both.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app import App
from bot.outbox.leases import LEASE, Leases
from bot.outbox.receipts import Receipts, build_not_run_reply, watch
from bot.storage.base import StoreError
from bot.storage.journal import Journal
from bot.storage.records import Commit, Committed
from bot.storage.sqlite import SqliteStore, TemporaryStore
from bot.storage.sqlite.journal import JournalFile
from bot.ui.spec import Command, Person, Place, Receipt
from tests.fresh import fresh, fresh_app

ANNA, HERE = Person("console:anna", "Anna"), Place("console:here")


def roll(request_id: str = "r1", text: str = "2d6") -> Command:
    return Command(("roll",), {"dice": text}, ANNA, HERE, request_id, {"token": "t"})


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    store = await SqliteStore.open(tmp_path / "games.db")
    await store.close()
    return tmp_path / "games.db"


@pytest.fixture
async def app(path: Path, clock: Hand) -> AsyncIterator[App]:
    opened = App(await SqliteStore.open(path, clock=clock), clock)
    yield opened
    await opened.close()


@pytest.fixture
async def another(path: Path, clock: Hand) -> AsyncIterator[Callable[[], Awaitable[App]]]:
    """Opens another process's app on the same file; all are closed, also where a test fails."""
    apps = []

    async def start() -> App:
        apps.append(App(await SqliteStore.open(path, clock=clock), clock))
        return apps[-1]

    yield start
    for one in apps:
        await one.close()


async def rolls(app: App) -> int:
    """How many rolls the place's log holds."""
    loaded = await app.games.load_current(HERE.key)
    rows = await app.store.load_events(loaded.row) if loaded is not None else ()
    return sum(row.data["kind"] == "roll" for row in rows)


async def dead(path: Path, clock: Hand, *commands: Command, until: float) -> None:
    """A process that showed receipts for these commands, and was killed before it could store
    anything.
    """
    app = App(await SqliteStore.open(path, clock=clock), clock)
    for command in commands:
        assert await app.promise_answer(command, until) is None
    await app.store.close()
    clock.now += LEASE + 1


async def test_a_command_whose_process_died_is_run_once_and_answered(
    path: Path, clock: Hand, app: App
) -> None:
    await dead(path, clock, roll("r1"), roll("r2"), until=clock.now + 600)
    owed = await app.receipts.claim("console:")
    assert [one.command for one in owed] == [roll("r1"), roll("r2")]
    assert not await app.receipts.claim("console:"), "it has them"
    replies = [await app.answer_receipt(one) for one in owed]
    assert all(reply.by == "Anna rolls 2d6" and reply.outbox for reply in replies)
    for one in owed:
        await app.receipts.finish(one.command.request_id)
    assert (await app.run(roll("r1"))).seen, "delivered once more, it does not roll again"
    clock.now += 3600
    assert not await app.receipts.claim("console:")
    assert await rolls(app) == 2


@pytest.mark.parametrize(
    ("typed", "options", "said"),
    [
        (("roll",), {"dice": "2d6", "label": "l" * 80}, f"/roll dice=2d6 label={'l' * 39}: "),
        (("roll",), {"dice": "2d6", "secret": "yes"}, "/roll: "),
        (("order", "write"), {"text": "to H5"}, "/order write: "),
        (("button", "again"), {"rest": "4"}, "A button you pressed: "),
    ],
)
def test_a_command_that_was_not_run_is_named_as_far_as_others_may_read_it(
    typed: tuple[str, ...], options: dict[str, object], said: str
) -> None:
    told = build_not_run_reply(replace(roll(), path=typed, options=options))
    assert str(told.lines[0]).startswith(f"{said}the bot was stopped")


async def test_after_the_token_has_died_it_is_told_that_nothing_was_run(
    path: Path, clock: Hand, app: App
) -> None:
    await dead(path, clock, roll(), until=clock.now + 600)
    clock.now += 601
    (owed,) = await app.receipts.claim("console:")
    told = await app.answer_receipt(owed)
    assert "was not run" in told.title
    assert "/roll dice=2d6: the bot was stopped" in told.format_text(), (
        "of four commands they know which one to repeat"
    )
    assert told.outbox, "the outbox brings it, also after another crash"
    assert (await app.run(roll())).seen, "now it never runs"
    assert await rolls(app) == 0


async def test_never_both_an_answer_and_a_refusal(
    clock: Hand, app: App, another: Callable[[], Awaitable[App]]
) -> None:
    """The first process was not dead, only slow: it stores its answer while another one refuses,
    or the other way.
    """
    for first in ("run", "refuse"):
        command = roll(first)
        slow = await another()
        assert await slow.promise_answer(command, clock.now + 5) is None
        clock.now += LEASE + 1
        (owed,) = await app.receipts.claim("console:")
        if first == "run":
            answered, other = await slow.run(command), await app.answer_receipt(owed)
        else:
            answered, other = await app.answer_receipt(owed), await slow.run(command)
        assert not answered.seen
        assert other.seen, "whoever comes second posts nothing"
        await app.receipts.finish(command.request_id)
    assert await rolls(app) == 1


async def test_an_answer_on_the_disk_is_not_given_again_by_who_takes_the_receipt_over(
    path: Path, clock: Hand, app: App
) -> None:
    """Killed after the commit, before the receipt was dropped."""
    await dead(path, clock, roll(), until=clock.now + 600)
    before = await app.run(roll())
    (owed,) = await app.receipts.claim("console:")
    again = await app.answer_receipt(owed)
    assert (again.seen, again.title, again.outbox) == (True, before.title, 0)


def unwritable(clock: Hand) -> Journal:
    """A journal that no file can be made for."""
    return Journal(JournalFile(Path(os.devnull) / "j.db", clock))


async def test_without_a_journal_no_receipt_and_the_command_is_called_off(
    path: Path, clock: Hand, another: Callable[[], Awaitable[App]]
) -> None:
    """The database is locked and the disk broken: it is refused now, and does not run when the
    lock is gone.
    """
    app = await another()
    app.receipts._journal = unwritable(clock)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        running = asyncio.create_task(app.run(roll()))
        async with asyncio.timeout(60):
            while app._in_flight.get("r1") is None:  # noqa: ASYNC110 -- nobody tells us
                await asyncio.sleep(0.001)
        instead = await app.promise_answer(roll(), clock.now + 600)
        assert instead is not None
        assert instead.error
        assert "Nothing was recorded" in instead.title
        other.execute("ROLLBACK")
    assert (await running).error
    assert await rolls(app) == 0
    assert not (await app.run(roll())).error, "typed again, it runs"


class Slow(TemporaryStore):
    """Stores at once, and says so when it is let."""

    written: asyncio.Event
    heard: asyncio.Event

    async def commit(self, commit: Commit) -> Committed:
        done = await super().commit(commit)
        self.written.set()
        await self.heard.wait()
        return done


@pytest.fixture
async def just_storing(clock: Hand) -> AsyncIterator[tuple[App, Slow]]:
    """A process whose commit was sent, and that cannot write receipts."""
    store = await fresh(Slow, clock)
    store.written, store.heard = asyncio.Event(), asyncio.Event()
    app = App(store, clock)
    app.receipts._journal = unwritable(clock)
    yield app, store
    await app.close()


async def test_what_was_just_stored_is_answered_although_no_receipt_could_be_written(
    clock: Hand, just_storing: tuple[App, Slow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.execution.promises.STORED_WITHIN", 60.0)
    app, store = just_storing
    running = asyncio.create_task(app.run(roll()))
    await store.written.wait()
    asyncio.get_running_loop().call_later(0.05, store.heard.set)
    instead = await app.promise_answer(roll(), clock.now + 600)
    assert instead is not None
    assert instead == await running
    assert instead.outbox


async def test_a_store_that_does_not_say_whether_it_has_it_keeps_nobody_from_a_receipt(
    clock: Hand, just_storing: tuple[App, Slow]
) -> None:
    """The server went away in mid-commit: called off it cannot be, and in three seconds
    something has to be seen.
    """
    app, store = just_storing
    running = asyncio.create_task(app.run(roll()))
    await store.written.wait()
    async with asyncio.timeout(30):
        assert await app.promise_answer(roll(), clock.now + 600) is None
    store.heard.set()
    assert (await running).outbox, "the answer behind the receipt"


async def test_a_receipt_that_could_not_be_answered_now_comes_again(clock: Hand) -> None:
    app = await fresh_app(clock)
    assert await app.promise_answer(roll(), clock.now + 600) is None
    await app.receipts.finish("another's")
    app.receipts.release("r1")
    clock.now += LEASE + 1
    assert len(await app.receipts.claim("console:")) == 1
    await app.receipts.finish("r1")
    clock.now += LEASE + 1
    assert not await app.receipts.claim("console:")
    await app.close()


async def test_a_refusal_belongs_to_one_of_two_deliveries_and_so_does_its_receipt() -> None:
    app = await fresh_app()
    bad, good = roll("bad", "2d"), roll("good")
    first, second = await asyncio.gather(app.run(bad), app.run(bad))
    assert first.error
    assert (first.elsewhere, second.seen, second.elsewhere) == (False, True, True)
    first, second = await asyncio.gather(app.run(good), app.run(good))
    assert first.outbox
    assert (second.seen, second.elsewhere) == (True, False), "stored: the outbox brings it"


@pytest.mark.parametrize("deletion", ["privacy delete confirm", "game delete confirm"])
async def test_deletions_reach_the_journal(
    path: Path, clock: Hand, app: App, deletion: str
) -> None:
    await app.run(roll("before"))
    await dead(path, clock, roll("left"), until=clock.now + 600)
    assert not (await app.run_text(deletion, ANNA, HERE, "d")).error
    assert not await app.receipts.claim("console:")


async def test_receipts_and_answers_at_work_are_kept_from_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Posting may take longer than a lease: it is renewed for as long as it takes, and not a
    moment longer.
    """
    monkeypatch.setattr("bot.outbox.leases.LEASE", 0.03)
    renewed: list[int] = []
    went_on = asyncio.Event()

    async def renew(ids: Sequence[int]) -> None:
        renewed.extend(ids)
        if len(renewed) > 3:
            went_on.set()
        if len(renewed) == 1:
            raise StoreError("locked for a moment")

    leases = Leases[int](renew)
    with leases.hold_during(7), leases.hold_during(7, 8):
        await asyncio.wait_for(went_on.wait(), 30)  # trouble once does not end it
        assert 7 in leases
    assert set(renewed) == {7, 8}
    before = len(renewed)
    await asyncio.sleep(0.05)
    assert len(renewed) == before
    assert len(leases) == 0


async def test_an_answer_that_takes_long_to_post_is_not_taken_over_also_when_the_clock_is_set(
    clock: Hand,
) -> None:
    app = await fresh_app(clock)
    reply = await app.run(roll())
    with app.answers.hold_while_posting(reply):
        clock.now += 86_400
        assert await app.answers.claim_due("console:") == [], (
            "its own outbox does not send it a second time"
        )
    clock.now += LEASE + 1
    assert len(await app.answers.claim_due("console:")) == 1
    await app.close()


async def test_trouble_with_one_receipt_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("bot.outbox.receipts.EVERY", 0.0)
    rounds = iter([[Receipt(roll("bad"), 0.0)], None, [Receipt(roll("good"), 0.0)]])
    answered = asyncio.Event()
    again: list[str] = []

    class Troubled(Receipts):
        async def claim(self, platform: str) -> list[Receipt]:
            found = next(rounds, [])
            if found is None:
                raise StoreError("locked")
            return found

        def release(self, id: str) -> None:
            again.append(id)

    async def answer(receipt: Receipt) -> None:
        if receipt.command.request_id == "bad":
            raise RuntimeError("boom")
        answered.set()

    task = asyncio.create_task(
        watch(Troubled(Journal(JournalFile(tmp_path, Hand()))), "console:", answer)
    )
    await asyncio.wait_for(answered.wait(), 30)
    task.cancel()
    assert again == ["bad"], "it is let go, to be claimed again"


class Stuck(Journal):
    """A journal on a slow disk: it writes only when `go` is set, and what it is to drop stays
    once.
    """

    def __init__(self, path: Path, clock: Hand) -> None:
        super().__init__(JournalFile(path, clock))
        self.go, self.stayed, self.is_broken = asyncio.Event(), asyncio.Event(), False

    async def note(self, receipt: Receipt, lease: float) -> bool:
        await self.go.wait()
        if self.is_broken:
            raise StoreError("The journal is broken.")
        return await super().note(receipt, lease)

    async def drop(self, ids: Sequence[str]) -> None:
        if not self.stayed.is_set():
            self.stayed.set()
            raise StoreError("The journal is busy.")
        await super().drop(ids)


@pytest.fixture
async def stuck(
    tmp_path: Path, clock: Hand, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Stuck]:
    monkeypatch.setattr("bot.outbox.receipts.RECEIPT_WRITE_SECONDS", 0.2)
    journal = Stuck(tmp_path / "slow.db", clock)
    yield journal
    await journal.close()


async def test_an_answer_that_is_stored_meanwhile_is_not_called_undone(
    clock: Hand, stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ends while its receipt is still being written down, in vain: what is told is
    its answer.
    """
    app = await fresh_app(clock)
    app.receipts._journal = stuck
    monkeypatch.setattr("bot.outbox.receipts.RECEIPT_WRITE_SECONDS", 60.0)
    work = asyncio.create_task(app.run(roll()))
    await asyncio.sleep(0)
    promise = asyncio.create_task(app.promise_answer(roll(), clock.now + 600))
    answer = await work
    stuck.is_broken = True
    stuck.go.set()
    told = await promise
    assert await app.store.load_earlier_reply("r1") is not None
    assert told is not None
    assert (told.error, told.title) == (False, answer.title)
    await app.close()


async def test_what_was_refused_is_not_run_later_though_its_receipt_was_written_after_all(
    clock: Hand, stuck: Stuck
) -> None:
    app = await fresh_app(clock)
    app.receipts._journal = stuck
    told = await app.promise_answer(roll(), clock.now + 600)
    assert told is not None
    assert "Nothing was recorded" in told.format_text()
    stuck.go.set()
    await asyncio.wait_for(stuck.stayed.wait(), 30)  # it is written, and could not be dropped
    clock.now += LEASE + 1
    assert not await app.receipts.claim("console:")
    clock.now += LEASE + 1
    assert not await stuck.claim("console:", LEASE, 9), "it has gone by now"
    await app.close()
