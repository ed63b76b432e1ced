"""What the journal of receipts promises, run on each kind."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.storage.base import StoreError
from bot.storage.journal import Journal
from bot.storage.postgres import PostgresStore
from bot.storage.sqlite import SqliteStore
from bot.storage.sqlite.journal import JournalFile, get_journal_path
from bot.ui.spec import Command, Person, Place, Receipt
from tests.standins.postgres import PostgresServer
from tests.storage.contract_helpers import Clock

LEASE = 10.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgres"])
async def journal(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Journal]:
    if request.param == "sqlite":
        opened = in_file(tmp_path / "j.db", clock)
        yield opened
        await opened.close()
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        clock.rules(server, monkeypatch)
        async with await PostgresStore.open(server.new_database(), clock=clock) as store:
            yield store.journal


def in_file(path: Path, clock: Clock) -> Journal:
    """The journal in a file of its own."""
    return Journal(JournalFile(path, clock))


def receipt(id: str = "r1", user: str = "anna", place: str = "discord:1/2") -> Receipt:
    where = Place(place, place.partition("/")[0], "table")
    options: dict[str, object] = {"dice": "2d6", "secret": True, "file": {"url": "https://x"}}
    return Receipt(
        Command(("roll",), options, Person(f"discord:{user}", user), where, id, {"token": "t"}),
        2_000_000.0,
    )


def private(folder: Path, files: str) -> bool:
    """Whether these files are their owner's alone."""
    return all(file.stat().st_mode & 0o077 == 0 for file in folder.glob(files))


def content(folder: Path) -> bytes:
    """All that the files of a folder hold."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_a_receipt_is_held_until_its_lease_runs_out_and_comes_back_whole(
    journal: Journal, clock: Clock
) -> None:
    assert await journal.claim("discord:", LEASE, 10) in ([], ())
    assert await journal.note(receipt(), LEASE)
    assert not await journal.note(receipt(), LEASE), "by another process that got the same request"
    assert not await journal.claim("discord:", LEASE, 10)
    clock.now += 9
    await journal.renew(["r1", "unknown"], LEASE)
    clock.now += 9
    assert not await journal.claim("discord:", LEASE, 10)
    clock.now += 2
    assert not await journal.claim("slack:", LEASE, 10)
    assert list(await journal.claim("discord:", LEASE, 10)) == [receipt()]
    assert not await journal.claim("discord:", LEASE, 10), "one process has it"
    await journal.drop(["r1", "unknown"])
    clock.now += 60
    assert not await journal.claim("discord:", LEASE, 10)


@pytest.mark.parametrize("jump", [-86_400.0 * 30, -7200.0, 7200.0])
async def test_a_clock_that_is_set_holds_no_receipt_back(
    journal: Journal, clock: Clock, jump: float
) -> None:
    await journal.note(receipt(), LEASE)
    clock.now += jump + 11
    assert len(await journal.claim("discord:", LEASE, 10)) == 1


async def test_receipts_come_in_order_and_no_more_than_asked_for(
    journal: Journal, clock: Clock
) -> None:
    for number in range(5):
        await journal.note(receipt(f"r{number}"), LEASE)
    clock.now += 11
    first = await journal.claim("discord:", LEASE, 3)
    rest = await journal.claim("discord:", LEASE, 3)
    assert [one.command.request_id for one in (*first, *rest)] == [
        f"r{number}" for number in range(5)
    ]


async def test_what_is_about_a_person_or_a_place_can_be_deleted(
    journal: Journal, clock: Clock
) -> None:
    await journal.forget("discord:anna", [], "")
    await journal.note(receipt("r1"), LEASE)
    await journal.note(receipt("r2", "bert"), LEASE)
    await journal.note(receipt("r3", "bert", "discord:1/9"), LEASE)
    await journal.note(receipt("r4"), LEASE)
    await journal.forget("discord:anna", [], "r4")
    await journal.forget("", ["discord:1/9"], "r4")
    clock.now += 11
    assert [one.command.request_id for one in await journal.claim("discord:", LEASE, 9)] == [
        "r2",
        "r4",
    ]


async def test_the_journal_can_be_written_while_the_database_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    async with await SqliteStore.open(path) as store:
        assert not get_journal_path(path).exists(), "only a late receipt makes the file"
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await asyncio.wait_for(store.journal.note(receipt(), LEASE), 30)
            other.execute("ROLLBACK")
    assert private(tmp_path, "games.receipts.db*"), "it holds tokens"


async def test_a_receipt_outlives_its_process_and_leaves_nothing_behind_when_done(
    tmp_path: Path, clock: Clock
) -> None:
    path = tmp_path / "j.db"
    first, second = in_file(path, clock), in_file(path, clock)
    await first.note(receipt(), LEASE)
    clock.now += 11
    assert len(await second.claim("discord:", LEASE, 9)) == 1
    await second.drop(["r1"])
    await first.close()
    await second.close()
    assert b"https://x" not in content(tmp_path)


async def test_a_journal_that_cannot_be_written_says_so_soon(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "damaged.db").write_bytes(b"x" * 5000)
    for path in (tmp_path / "missing" / "j.db", tmp_path / "damaged.db"):
        journal = in_file(path, clock)
        with pytest.raises(StoreError):
            await journal.note(receipt(), LEASE)
        await journal.close()
    locked = in_file(tmp_path / "j.db", clock)
    await locked.note(receipt(), LEASE)
    with closing(sqlite3.connect(tmp_path / "j.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError):
            await asyncio.wait_for(locked.note(receipt("r2"), LEASE), 30)
    await locked.close()
