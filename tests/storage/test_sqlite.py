"""The SQLite file: made, brought up to date, refused; and what happens when disk or process give
up.
"""

# ruff: noqa: ASYNC240
# Nothing else runs on a test's event loop while it looks at a file or waits for a process.
from __future__ import annotations

import asyncio
import errno
import inspect
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from bot.game.game_log import GameChange, LoggedEvent
from bot.storage.base import Conflict, StoreError
from bot.storage.records import Binding, Commit, Json, Outgoing
from bot.storage.sqlite import SqliteStore, TemporaryStore, faults, link, schema
from bot.storage.sqlite.link import SqliteLink
from bot.storage.sqlite.schema import FIRST_VERSION, MIGRATIONS, get_backup_path, migrate
from bot.storage.store import Store
from bot.ui.spec import Command, Person, Place, Receipt
from tests.refusing import refuses


def event(number: int, game: str = "g1", body: str = "{}") -> LoggedEvent:
    return LoggedEvent(game, number, body, f"hash{number}")


def start(game: str = "g1") -> Commit:
    return Commit(
        request_id=f"start {game}",
        changes=(GameChange(game, 0, (event(1, game),)),),
        bindings=[Binding(f"place {game}", game, None)],
    )


def roll(number: int, game: str = "g1", body: str = "{}") -> Commit:
    return Commit(
        request_id=f"{game} {number}",
        reply={"number": number},
        changes=(GameChange(game, number - 1, (event(number, game, body),)),),
        outbox=[Outgoing(f"place {game}", {}, 0.0)],
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "folder" / "games.db"


async def test_a_missing_folder_is_made(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
    assert path.exists()
    assert [file.name for file in path.parent.iterdir()] == ["games.db"], (
        "closing tidies the log file away"
    )


async def test_a_temporary_store_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store, other = await TemporaryStore.make(), await TemporaryStore.make()
    await store.commit(start())
    assert await store.journal.note(
        Receipt(Command(("roll",), {}, Person("a", "Anna"), Place("b"), "r1"), 1.0), 1.0
    )
    assert await store.load_game_version("place g1") == ("g1", 1, False)
    assert await other.load_game_version("place g1") is None, "each has a folder of its own"
    assert [folder.stat().st_mode & 0o077 for folder in tmp_path.iterdir()] == [0, 0]
    await store.close()
    await other.close()
    assert not list(tmp_path.iterdir())


async def test_without_a_place_for_temporary_files_the_host_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    with pytest.raises(
        StoreError,
        match=r"No temporary folder can be created: No such file or directory\. Set TMPDIR",
    ):
        await TemporaryStore.make()


async def test_everything_is_there_after_reopening(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        await store.commit(roll(2))
    async with await SqliteStore.open(path) as store:
        saved = await store.load_game("place g1")
        assert saved is not None
        assert [row.number for row in saved.events] == [1, 2]
        assert await store.load_earlier_reply("g1 2") == {"number": 2}
        assert (await store.commit(roll(2))).seen
        assert len(await store.claim_outbox(1)) == 1
        assert not await store.check()


async def test_a_commit_survives_a_power_cut(path: Path) -> None:
    async with await SqliteStore.open(path) as store:

        def modes(conn: sqlite3.Connection) -> list[object]:
            return [
                conn.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous")
            ]

        assert await store._writer.run(modes) == ["wal", 1 + 1]


async def test_waiting_commits_share_one(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await asyncio.gather(*(store.commit(start(f"g{n}")) for n in range(50)))
        begun: list[str] = []
        await store._reader.run(lambda conn: None)
        await store._writer.run(lambda conn: conn.set_trace_callback(begun.append))
        await asyncio.gather(*(store.commit(roll(2, f"g{n}")) for n in range(50)))
        await store._writer.run(lambda conn: conn.set_trace_callback(None))
        assert begun.count("COMMIT") <= 4
        assert len(await store.list_games()) == 50


async def test_one_bad_job_among_others_undoes_only_itself(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        await store.commit(start("g2"))

        def broken(conn: sqlite3.Connection) -> None:
            conn.execute("DELETE FROM games")
            raise LookupError("our bug")

        def twice(conn: sqlite3.Connection) -> None:
            conn.execute("DELETE FROM events")
            conn.execute("INSERT INTO games SELECT * FROM games")

        results = await asyncio.gather(
            store.commit(roll(2)),
            store._writer.run(broken),
            store.commit(roll(7)),
            store._writer.run(twice),
            store.commit(roll(2, "g2")),
            return_exceptions=True,
        )
        kinds = [type(result).__name__ for result in results]
        assert kinds == ["Committed", "LookupError", "Conflict", "IntegrityError", "Committed"]
        assert await store.load_game_version("place g1") == ("g1", 2, False)
        assert len(await store.load_events("g2")) == 2


async def test_giving_up_waiting_does_not_undo(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        task = asyncio.create_task(store.commit(roll(2)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await store.commit(roll(3))
        assert await store.load_game_version("place g1") == ("g1", 3, False)


def assert_ended(before: set[threading.Thread]) -> None:
    """No thread is left that was not there before."""
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()


async def test_closing_writes_what_waits_and_ends_the_threads(path: Path) -> None:
    before = set(threading.enumerate())
    async with await SqliteStore.open(path) as store:
        waiting = [asyncio.create_task(store.commit(start(f"g{n}"))) for n in range(20)]
        await asyncio.sleep(0)
    assert all(task.done() and not task.exception() for task in waiting)
    assert_ended(before)
    with refuses("store-closed"):
        await store.commit(start("late"))
    with refuses("store-closed"):
        await store.load_game_version("place g1")
    await store.close()


async def test_whoever_reads_while_it_closes_is_told_so(path: Path) -> None:
    store = await SqliteStore.open(path)
    closing_it = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    with refuses("store-closed"):
        await store.load_game_version("place g1")
    await closing_it


async def commit_and_fail(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        raise LookupError


async def test_leaving_by_an_error_closes_too(path: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(LookupError):
        await commit_and_fail(path)
    assert_ended(before)


# --- Files that cannot be used -------------------------------------------------------------------------------


async def refused(path: Path) -> str:
    """What opening the file says. No thread and no file handle stays."""
    before = set(threading.enumerate())
    with pytest.raises(StoreError) as caught:
        await SqliteStore.open(path, busy_seconds=0.05)
    assert_ended(before)
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def test_a_file_of_another_kind_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("These are my notes. " * 100)
    assert "is not an SQLite database" in await refused(path)
    assert path.read_text() == "These are my notes. " * 100


async def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE recipes (name TEXT)")
    before = path.read_bytes()
    assert "belongs to another program" in await refused(path)
    assert path.read_bytes() == before


async def test_a_folder_in_the_place_of_the_file(path: Path) -> None:
    path.mkdir(parents=True)
    assert "is a folder" in await refused(path)


async def test_a_file_in_the_place_of_the_folder(path: Path) -> None:
    path.parent.parent.mkdir()
    path.parent.write_text("")
    assert "GROGNARD_DATA" in await refused(path)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another program that writes and does not finish."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_a_locked_file_is_waited_for_and_then_named(path: Path) -> None:
    async with await SqliteStore.open(path, busy_seconds=0.1) as store:
        await store.commit(start())
        with held(path):
            with refuses("store-locked"):
                await store.commit(roll(2))
            assert await store.load_game_version("place g1") == ("g1", 1, False), "reading goes on"
            assert "locked" in await refused(path)
        assert not (await store.commit(roll(2))).seen


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """For how many milliseconds each commit would wait for a locked file."""
    found, commit_together = list[int](), link.commit_together

    def commit(conn: sqlite3.Connection, jobs: list[link.Job]) -> list[Any]:
        found.append(conn.execute("PRAGMA busy_timeout").fetchone()[0])
        return commit_together(conn, jobs)

    monkeypatch.setattr(link, "commit_together", commit)
    return found


async def test_a_locked_file_makes_a_channel_wait_once(path: Path, waits: list[int]) -> None:
    async with await SqliteStore.open(path, busy_seconds=0.5) as store:
        await store.commit(start())
        waits.clear()
        with held(path):
            for _ in range(15):  # one after the other, as commands of one channel are
                with refuses("store-locked"):
                    await store.commit(roll(2))
            assert waits == [500, *(14 * [link.IMPATIENT])], "not fifteen times half a second"
            at_once = await asyncio.gather(
                *(store.commit(roll(2)) for _ in range(30)), return_exceptions=True
            )
            assert all(isinstance(result, StoreError) for result in at_once)
        assert not (await store.commit(roll(2))).seen, "free again, and at once"
        timeouts = await store._writer.run(
            lambda conn: conn.execute("PRAGMA busy_timeout").fetchone()
        )
        assert timeouts == (500,), "and the next lock is waited for as ever"


async def test_a_locked_file_refuses_those_who_wait_with_the_one_who_waited(
    path: Path, waits: list[int]
) -> None:
    async with await SqliteStore.open(path, busy_seconds=1.5) as store:
        await store.commit(start())
        waits.clear()
        with held(path):
            first = asyncio.create_task(store.commit(roll(2)))
            await asyncio.sleep(0.05)
            more = [store.commit(roll(2, "g1", "{}")) for _ in range(600)]
            results = await asyncio.gather(first, *more, return_exceptions=True)
            assert waits.count(1_500) == 1, "one wait for all, not one for each of four batches"
        assert all(isinstance(result, StoreError) for result in results)


async def test_a_fault_is_in_the_hosts_log_and_players_see_no_path(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with await SqliteStore.open(path, busy_seconds=0.05) as store:
        await store.commit(start())
        with held(path):
            for _ in range(5):
                with pytest.raises(StoreError) as refused_by:
                    await store.commit(roll(2))
                assert str(path.parent) not in str(refused_by.value)
    lines = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(lines) <= 1, "each kind once a minute"
    assert all(str(path) in record.getMessage() for record in lines)


@pytest.mark.parametrize("what", ["deleted", "replaced", "log deleted"])
async def test_a_file_that_is_taken_away_is_noticed_before_anything_more_is_said_to_be_saved(
    path: Path, what: str
) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        await store.commit(roll(2))
        if what == "replaced":
            async with await SqliteStore.open(path.with_name("other.db")) as other:
                await other.commit(start("g2"))
            path.with_name("other.db").replace(path)
        else:
            (path if what == "deleted" else path.with_name("games.db-wal")).unlink()
        for number in range(3, 13):
            with refuses("store-gone"):
                await store.commit(roll(number))
        with refuses("store-gone"):
            await store.load_game("place g1")
        message = await asyncio.wait_for(store.watch_for_removal(), 30)
        rescued = next(path.parent.glob("*.rescued-*"))
        assert str(rescued) in message
    async with await SqliteStore.open(rescued) as saved:
        assert len(await saved.load_events("g1")) >= 2, (
            "what was answered before is in the rescued copy"
        )


async def test_a_temporary_file_that_is_taken_away_is_not_said_to_be_rescued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = await TemporaryStore.make()
    await store.commit(start())
    next(tmp_path.glob("*/games.db")).unlink()
    with pytest.raises(StoreError, match="moved or replaced"):
        await store.commit(roll(2))
    assert "its games are lost" in await asyncio.wait_for(store.watch_for_removal(), 30)
    await store.close()
    assert not list(tmp_path.iterdir())


async def test_while_the_file_is_there_nobody_is_alarmed(path: Path) -> None:
    async with await SqliteStore.open(path) as store, await SqliteStore.open(path) as other:
        await store.commit(start())
        await other.commit(roll(2))
        with closing(sqlite3.connect(path)) as third:
            third.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await store.commit(roll(3))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(store.watch_for_removal(), 0.05)


async def test_nobody_is_alarmed_when_the_last_other_process_ends_while_this_one_begins(
    path: Path,
) -> None:
    """Who closes a file last takes its write-ahead log away, and this one makes another."""
    other, go_on = await SqliteStore.open(path), threading.Event()
    await other.commit(start())
    link = await SqliteLink.open(path, 5)

    def begin(conn: sqlite3.Connection) -> int:
        go_on.wait(30)
        return int(conn.execute("SELECT count(*) FROM games").fetchone()[0])

    try:
        begun = asyncio.create_task(link.run(begin))
        await asyncio.sleep(0.01)
        await other.close()
        assert not path.with_name("games.db-wal").exists()
        path.with_name(
            "another"
        ).touch()  # which a file system may give the place of the one taken away
        go_on.set()
        assert await begun == 1
        await link.run(lambda conn: conn.execute("UPDATE games SET version = 7"))
        link.check_file()
        path.with_name("games.db-wal").unlink()
        with refuses("store-gone"):
            link.check_file()
    finally:
        await link.close()


async def test_database_log_and_backup_copy_are_for_their_owner_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        async with await SqliteStore.open(path) as store:
            await store.commit(start())
            schema._back_up(path, 1)
            modes = {
                file.name: file.stat().st_mode & 0o777
                for file in (path.parent, *path.parent.iterdir())
            }
    finally:
        os.umask(before)
    assert modes.pop("folder") == 0o700
    assert len(modes) == 4
    assert set(modes.values()) == {0o600}


async def test_a_short_lock_is_not_noticed(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        with held(path):
            task = asyncio.create_task(store.commit(roll(2)))
            await asyncio.sleep(0.05)
        await task


async def test_a_full_disk_loses_nothing_that_was_answered(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        await store._writer.run(lambda conn: conn.execute("PRAGMA max_page_count = 1").fetchall())
        big = [roll(2, body="x" * 50_000), roll(2, body="y" * 90_000)]
        results = await asyncio.gather(*map(store.commit, big), return_exceptions=True)
        assert all(
            isinstance(result, StoreError) and "disk is full" in str(result) for result in results
        )
        assert await store.load_earlier_reply("g1 2") is None
        await store._writer.run(
            lambda conn: conn.execute("PRAGMA max_page_count = 100000").fetchall()
        )
        assert not (await store.commit(roll(2))).seen
        assert [row.number for row in await store.load_events("g1")] == [1, 2]
        assert not await store.check()


async def test_an_error_of_the_disk_keeps_no_old_state_in_sight(path: Path) -> None:
    """What the error leaves behind, and whoever keeps it, must not hold the reader at that
    moment.
    """

    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        await store._reader.run_anyhow(lambda conn: conn.set_progress_handler(lambda: 1, 1))
        with pytest.raises(StoreError, match="interrupted") as kept:
            await store.load_game_by_id("g1")
        await store._reader.run_anyhow(lambda conn: conn.set_progress_handler(None, 1))
        await store.commit(roll(2))
        assert [row.number for row in await store.load_events("g1")] == [1, 2]
        saved = await store.load_game_by_id("g1")
        assert saved is not None
        assert saved.game.version == 2
        assert "interrupted" in str(kept.value)


async def test_a_file_that_became_read_only(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        await store._writer.run(lambda conn: conn.execute("PRAGMA query_only = 1"))
        with refuses("store-failed cannot be written") as caught:
            await store.commit(roll(2))
        assert "let the bot's user write" in caught.value.hint
        assert await store.load_game_version("place g1") == ("g1", 1, False)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
async def test_a_read_only_file_is_told_when_opening(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert "right to" in await refused(path)
    finally:
        path.parent.chmod(0o755)


async def test_damage_is_reported(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        await store.commit(
            Commit(
                changes=(
                    GameChange("g1", 1, tuple(event(n, body="x" * 900) for n in range(2, 80))),
                )
            )
        )
    data = bytearray(path.read_bytes())
    for page in range(2, len(data) // 4096):
        if b"x" * 900 in data[page * 4096 : page * 4096 + 4096]:
            data[page * 4096 : page * 4096 + 16] = b"\xff" * 16
    path.write_bytes(data)
    store = await SqliteStore.open(path)
    try:
        assert await store.check()
        with refuses("store-failed damaged"):
            await store.load_events("g1")
    finally:
        await store.close()


# --- Schema --------------------------------------------------------------------------------------------------


async def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    async with await SqliteStore.open(path):
        pass
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    text = await refused(path)
    assert "newer Grognard (schema 99" in text
    assert path.read_bytes() == before


def columns(path: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(path)) as conn:
        return [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]


def run_migrations(path: Path, steps: tuple[str, ...]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        migrate(conn, path, steps)


async def test_an_older_file_is_copied_and_brought_up_to_date(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
    later = (
        *MIGRATIONS,
        "ALTER TABLE games ADD COLUMN name TEXT;\nUPDATE games SET name = 'x; y';\n",
    )
    run_migrations(path, later)
    assert "name" in columns(path, "games")
    copy = get_backup_path(path, FIRST_VERSION)
    assert "name" not in columns(copy, "games")
    async with await SqliteStore.open(copy) as store:
        assert await store.load_game_version("place g1") == ("g1", 1, False)
    run_migrations(path, later)  # nothing left to do


async def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
    steps = (
        *MIGRATIONS,
        "ALTER TABLE games ADD COLUMN name TEXT;\n",
        "INSERT INTO nowhere VALUES (1);\n",
    )
    with pytest.raises(sqlite3.OperationalError):
        run_migrations(path, steps)
    assert "name" not in columns(path, "games")
    async with await SqliteStore.open(path) as store:
        assert await store.load_game_version("place g1") == ("g1", 1, False)


async def test_processes_that_start_at_once_make_one_file(path: Path) -> None:
    stores = await asyncio.gather(*(SqliteStore.open(path) for _ in range(6)))
    try:
        results = await asyncio.gather(
            *(store.commit(start()) for store in stores), return_exceptions=True
        )
        assert (
            sum(not result.seen for result in results if not isinstance(result, BaseException)) == 1
        )
    finally:
        for store in stores:
            await store.close()


# --- Several processes, and their end ------------------------------------------------------------------------


async def add_events(store: Store, name: str, count: int) -> None:
    """Add events to one game against others who do the same: load, commit, on conflict load
    again.
    """
    for number in range(count):
        while True:
            saved = await store.load_game_by_id("g1")
            assert saved is not None
            counter: Json = saved.state
            body = f'{{"by":"{name} {number}"}}'
            change = GameChange(
                "g1",
                saved.game.version,
                (event(saved.game.next_event, body=body),),
                {"count": counter.get("count", 0) + 1},
            )
            try:
                await store.commit(Commit(request_id=f"{name} {number}", changes=(change,)))
                break
            except Conflict:
                await asyncio.sleep(0)


def other_process(*words: str) -> subprocess.Popen[str]:
    """This file as a program of its own, see `main`."""
    command = [sys.executable, __file__, *words]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
async def test_two_processes_on_one_file_lose_no_update(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
    workers = [other_process("add", str(path), name, "60") for name in ("a", "b")]
    for worker in workers:
        assert worker.communicate(timeout=60)[0] == ""
        assert worker.returncode == 0
    async with await SqliteStore.open(path) as store:
        saved = await store.load_game_by_id("g1")
        assert saved is not None
        assert saved.state == {"count": 120}
        events = await store.load_events("g1")
        assert [row.number for row in events] == list(range(1, 122))
        assert {row.data["by"] for row in events[1:]} == {
            f"{name} {n}" for name in "ab" for n in range(60)
        }


@pytest.mark.slow
def test_what_was_answered_outlives_a_kill(path: Path) -> None:
    """A process commits in several games at once and says what was answered; it is killed at
    random moments.
    """
    chance = random.Random(3)
    answered: list[str] = []
    for _ in range(8):
        worker = other_process("load", str(path))
        assert worker.stdout is not None
        answered += [worker.stdout.readline().strip() for _ in range(chance.randrange(1, 120))]
        worker.send_signal(signal.SIGKILL)
        answered += [line for line in worker.stdout.read().split("\n")[:-1] if line]
        worker.stdout.close()
        worker.wait(60)
    assert len(answered) > 100
    asyncio.run(check_after_kills(path, answered))


async def check_after_kills(path: Path, answered: list[str]) -> None:
    async with await SqliteStore.open(path) as store:
        assert not await store.check()
        logs = {
            game: [row.number for row in await store.load_events(game)]
            for game in await store.list_games()
        }
        for numbers in logs.values():
            assert numbers == list(range(1, len(numbers) + 1)), "no number missing or doubled"
        for request in answered:
            game, number = request.split()
            assert int(number) in logs[game], "what was answered is in the log"
            assert await store.load_earlier_reply(request) is not None
        waiting = {row.request_id for row in await store.claim_outbox(1, limit=10**6)}
        assert waiting >= set(answered), "and is still to be posted"


async def work_until_killed(store: Store) -> None:
    async def play(game: str) -> None:
        saved = await store.load_game_by_id(game)
        if saved is None:
            await store.commit(start(game))
            number = 2
        else:
            number = saved.game.next_event
        while True:
            await store.commit(roll(number, game))
            print(game, number, flush=True)
            number += 1

    await asyncio.gather(*(play(f"g{n}") for n in range(6)))


async def main() -> None:
    """Be the other process of a test."""
    task, path, *rest = sys.argv[1:]
    async with await SqliteStore.open(Path(path)) as store:
        if task == "add":
            await add_events(store, rest[0], int(rest[1]))
        else:
            async with asyncio.timeout(30):  # nobody killed us
                await work_until_killed(store)


if __name__ == "__main__":
    asyncio.run(main())


async def test_aiosqlite_still_has_the_private_call_that_carries_a_whole_function(
    tmp_path: Path,
) -> None:
    """`SqliteLink.run_anyhow` is its one user; a release that renames it is seen here first."""
    kinds = [
        one.kind.name
        for one in inspect.signature(aiosqlite.Connection._execute).parameters.values()
    ]
    assert kinds == [
        "POSITIONAL_OR_KEYWORD",
        "POSITIONAL_OR_KEYWORD",
        "VAR_POSITIONAL",
        "VAR_KEYWORD",
    ]
    async with aiosqlite.connect(tmp_path / "a.db") as connection:
        assert isinstance(connection._conn, sqlite3.Connection)
        ran_on = connection._execute(lambda _conn: threading.get_ident(), connection._conn)  # type: ignore[no-untyped-call]
        assert await ran_on != threading.get_ident(), "on the connection's own thread"


async def test_dice_are_shown_once_a_fault_of_the_disk_is_known(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first commit that fails may be stored. Those after it are not tried while the disk
    still fails.
    """
    async with await SqliteStore.open(path) as store:
        await store.commit(start())
        writing, tried = store._writer._link, []

        async def fail(job: Any) -> Any:
            tried.append(job)
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = "SQLITE_IOERR_WRITE"
            raise writing.build_store_error(error)

        def fail_to_write(_: Path) -> None:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(writing, "run", fail)
        with refuses("store-failed the disk reports an error") as first:
            await store.commit(roll(2))
        monkeypatch.setattr(faults, "create_probe", fail_to_write)
        later = []
        for _ in range(2):
            with refuses("store-failed the disk reports an error") as caught:
                await store.commit(roll(2))
            later.append(caught.value)
        assert not first.value.is_sure  # type: ignore[attr-defined]
        assert [error.is_sure for error in later] == [True, True]  # type: ignore[attr-defined]
        assert len(tried) == 1
        monkeypatch.undo()
        await store.commit(roll(2))
        assert await store.load_game_version("place g1") == ("g1", 2, False)
        assert [file.name for file in path.parent.glob("*.probe")] == []
