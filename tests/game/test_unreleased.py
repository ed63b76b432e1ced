"""What unreleased builds wrote is refused by name, left untouched, and never called forged.

There is one dice protocol, one export version and one schema. What a newer release wrote is refused
too.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bot.game.state import Json, from_json, to_json
from bot.rules.errors import UserError
from bot.rules.proof.fair import PROTOCOL
from bot.storage.base import StoreError
from bot.storage.postgres import PostgresStore
from bot.storage.postgres import schema as postgres_schema
from bot.storage.sqlite import schema as sqlite_schema
from bot.verification.check_file import check, check_file
from tests.playing import Channel
from tests.random_play import exported_text
from tests.standins.postgres import PostgresServer
from tools import verify_log

DATA = Path(__file__).parents[1] / "data" / "unreleased"
FILES = {
    "protocol-1.json": "export version 1",
    "export-1.json": "export version 1",
    "page.html.gz": "export version 1",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_an_unreleased_build_is_refused_by_all_who_read_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        UserError, match=r"unreleased build of Grognard \(export version 1\)"
    ) as refused:
        check_file(DATA / name)
    assert refused.value.code == "unreleased-format"
    assert "Commit e8fe7cd8" in refused.value.hint
    assert verify_log.main([str(DATA / name)]) == 2
    assert "unreleased build of Grognard (export version 1)" in capsys.readouterr().err


def test_a_seed_of_the_first_protocol_is_refused_and_not_called_forged() -> None:
    log: Json = json.loads((DATA / "protocol-1.json").read_text("utf-8"))
    log["version"] = 2
    with pytest.raises(UserError, match="dice protocol 1") as refused:
        check(log)
    assert refused.value.code == "unreleased-format"
    with pytest.raises(verify_log.UnreadableFile, match="dice protocol 1"):
        verify_log.check(log)


async def test_a_chat_refuses_such_a_file_and_keeps_its_game() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6")
    before = await channel.game()
    text = (DATA / "protocol-1.json").read_text("utf-8")
    reply = await channel.say("Anna", f"game import file='{text}'", manager=True)
    assert reply.error
    assert await channel.game() == before


async def test_a_game_starts_under_the_one_protocol() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start lnlt "Hill" sides="US, VC"', "game join US", "roll 2d6", "fair reveal"
    )
    log: Json = json.loads(await exported_text(channel))
    secrets = [row["body"]["secret"] for row in log["events"] if "secret" in row["body"]]
    assert log["version"] == 2
    assert [secret["protocol"] for secret in secrets] == [PROTOCOL, PROTOCOL]
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []


async def _stored_state() -> dict[str, Any]:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill" sides="US, VC"')
    state = to_json(await channel.game())
    assert from_json(state) == await channel.game()
    return state


async def test_a_stored_game_of_the_first_protocol_is_refused_by_name() -> None:
    state = await _stored_state()
    del state["protocol"]
    with pytest.raises(UserError, match="unreleased build") as refused:
        from_json(state)
    assert refused.value.code == "unreleased-format"


async def test_a_game_with_fields_of_a_newer_release_is_left_to_it() -> None:
    with pytest.raises(UserError, match="newer Grognard") as refused:
        from_json({**await _stored_state(), "weather_of_tomorrow": "rain"})
    assert refused.value.code == "newer-game"


# --- Schemas

NEXT_STEP = "CREATE TABLE weather (game TEXT NOT NULL)"
"""The step of a made-up next release; the statement means the same to both engines."""


@pytest.mark.parametrize("version", range(1, sqlite_schema.FIRST_VERSION))
def test_a_file_of_a_lower_schema_is_refused_and_not_touched(tmp_path: Path, version: int) -> None:
    path = tmp_path / "games.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"CREATE TABLE games (id TEXT); PRAGMA user_version = {version}")
    before = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection, pytest.raises(StoreError) as refused:
        sqlite_schema.migrate(connection, path)
    assert f"unreleased build of Grognard (schema {version})" in str(refused.value)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_next_release_copies_the_file_and_brings_it_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with closing(sqlite3.connect(path)) as connection:
        sqlite_schema.migrate(connection, path)
        sqlite_schema.migrate(connection, path, (NEXT_STEP,))
        assert connection.execute("SELECT count(*) FROM weather").fetchone() == (0,)
    copy = sqlite_schema.get_backup_path(path, sqlite_schema.FIRST_VERSION)
    assert copy.exists()
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(StoreError, match="newer Grognard"),
    ):
        sqlite_schema.migrate(connection, path)
    with closing(sqlite3.connect(copy)) as connection:
        sqlite_schema.migrate(connection, copy)


async def _set_version(dsn: str, version: int) -> None:
    async with await PostgresStore.open(dsn):
        pass
    connection = await asyncpg.connect(dsn)
    await connection.execute("UPDATE grognard_schema SET version = $1", version)
    await connection.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("version", range(1, postgres_schema.FIRST_VERSION))
async def test_a_server_of_a_lower_schema_is_refused(
    postgres: PostgresServer, version: int
) -> None:
    dsn = postgres.new_database()
    await _set_version(dsn, version)
    with pytest.raises(StoreError) as refused:
        await PostgresStore.open(dsn)
    assert f"unreleased build of Grognard (schema {version})" in str(refused.value)


async def test_the_next_release_brings_a_server_up_to_date(postgres: PostgresServer) -> None:
    dsn = postgres.new_database()
    async with await PostgresStore.open(dsn):
        pass
    connection = await asyncpg.connect(dsn)
    await postgres_schema.migrate(connection, (NEXT_STEP,))
    assert await postgres_schema.load_version(connection) == postgres_schema.FIRST_VERSION + 1
    assert await connection.fetchval("SELECT count(*) FROM weather") == 0
    await connection.close()
    with pytest.raises(StoreError, match="newer Grognard"):
        await PostgresStore.open(dsn)


def test_the_pages_of_unreleased_builds_hold_such_a_game() -> None:
    """The sample is a page, so that the refusal is not for another reason."""
    page = gzip.decompress((DATA / "page.html.gz").read_bytes()).decode()
    assert page.lstrip().startswith("<!")
    assert 'id="export"' in page
