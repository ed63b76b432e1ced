"""The disk under the database is full: nothing that was answered is lost, and it goes on once there
is room.

The folder is a small file system of its own. Which of a server's files finds no room is left to
chance: of a table, which the server reports, or of its write-ahead log, which ends it until the
host starts it again.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app import App
from bot.execution.promises import NOTE
from bot.storage.postgres import PostgresStore, link
from bot.storage.sqlite import SqliteStore
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games
from tests.standins.postgres import HOW, PostgresServer, binaries
from tests.storage.full_disk_helpers import (
    fill,
)
from tests.storage.full_disk_helpers import (
    small_disk as small_disk,
)

ANNA, HERE = Person("console:anna", "Anna"), Place("console:here")


@pytest.fixture
def server(small_disk: Path) -> Iterator[PostgresServer]:
    """A server on it."""
    if binaries() is None:
        pytest.skip(HOW)
    if os.geteuid() == 0:
        shutil.chown(small_disk, "nobody")
    server = PostgresServer(small_disk, "-c", "fsync=off")
    server.start()
    yield server
    server.stop()


async def roll(app: App, number: int) -> Reply:
    """A roll that takes some room."""
    label = f"{number:04} " + os.urandom(30).hex()
    return await app.run_text(f'/roll 100d6 label="{label}"', ANNA, HERE, f"r{number}")


def is_saved(reply: Reply) -> bool:
    return not reply.error and NOTE not in reply.lines


async def play_until_full(app: App, disk: Path) -> tuple[set[int], int]:
    """Roll before the disk fills, while it does, and once it has; the rolls that were answered as
    saved, and the number of the next. The room is back at the end."""
    saved = {number for number in range(20) if is_saved(await roll(app, number))}
    assert len(saved) == 20
    ballast, refused, number = await asyncio.to_thread(fill, disk), 0, 20
    while refused < 5:
        assert number < 4_000, "the disk never filled"
        reply = await roll(app, number)
        if is_saved(reply):
            saved.add(number)
        else:
            refused += 1
            assert (
                NOTE in reply.lines
                or "disk is full" in reply.title
                or "cannot be reached" in reply.title
            )
        number += 1
    ballast.unlink()
    return saved, number


async def check(store: Store, saved: set[int]) -> None:
    """What was answered is there, once, and the log is whole."""
    assert await audit_games(store) == (1, [])
    assert not await store.check()
    (game,) = await store.list_games()
    labels = [int(text.text[:4]) for text in await store.load_texts(game) if text.key == "label"]
    assert len(labels) == len(set(labels)), "nothing twice"
    assert saved <= set(labels), "nothing that was answered is lost"
    print(f"{len(saved)} saved, {len(set(labels) - saved)} saved without an answer")


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_full_disk_under_the_server(
    small_disk: Path, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SERVER_WAIT_SECONDS", 1.0)
    async with await PostgresStore.open(server.new_database()) as store:
        app = App(store)
        saved, number = await play_until_full(app, small_disk)
        await asyncio.to_thread(server.stop)  # it may have ended itself
        await asyncio.to_thread(server.start)
        assert is_saved(await roll(app, number))
        await check(store, saved | {number})


@pytest.mark.slow
async def test_a_full_disk_under_the_file(small_disk: Path) -> None:
    async with await SqliteStore.open(small_disk / "games.db") as store:
        app = App(store)
        saved, number = await play_until_full(app, small_disk)
        assert is_saved(await roll(app, number))
        await check(store, saved | {number})
