"""`grognard copy`: games go from SQLite to PostgreSQL and back, all of them or none, and verify
there.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from bot.__main__ import main
from bot.app import App
from bot.storage.copying import NUMBERED
from bot.storage.postgres import PostgresStore
from bot.storage.records import TABLES, Commit, Doc, DueRow, MarkRow, Outgoing
from bot.storage.sqlite import SqliteStore
from bot.storage.sqlite.journal import get_journal_path
from bot.storage.store import Store
from bot.ui.spec import Command, Person, Place, Receipt
from tests.playing import Channel, two_sides
from tests.standins.postgres import PostgresServer

BESIDE = {"requests": {"attempt"}}
"""Columns of PostgreSQL alone."""


async def play(store: Store) -> None:
    """A game and what goes with it: a row at least in each table."""
    channel = Channel(App(store))
    await two_sides(channel)
    await channel.do(
        "Anna", "roll 2d6 label=one", "lnlt fire attackers=us1 targets=vc1", *["roll d6"] * 20
    )
    answers = tuple(Outgoing("discord:1:2", {"to": n}, 0.0, about="game/1") for n in range(3))
    done = await store.commit(
        Commit(
            "discord:9",
            {"title": "hello"},
            "discord:7",
            outbox=[*answers],
            due=[DueRow("game/1", 5e9, "go", {})],
        )
    )
    await store.mark_outbox_done(done.outbox[0], done.outbox[2], spot={"message": 5})
    await store.put_doc(
        Doc("note", "discord:x", {"words": "naïve “quotes” \\ \n"}, None, "discord:1")
    )
    game = (await store.list_games())[0]
    await store.save_index_blocks([MarkRow(game, "unit:squad 1", 0, "1 4")])
    anna = Person("discord:7", "Anna")
    await store.journal.note(
        Receipt(Command(("roll",), {}, anna, Place("discord:1:2"), "discord:10"), 5e9), 10.0
    )


def rows_of_file(path: Path) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    for table, columns in TABLES.items():
        with closing(
            sqlite3.connect(get_journal_path(path) if table == "receipts" else path)
        ) as db:
            names = ", ".join(f'"{column}"' for column in columns)
            found[table] = sorted(db.execute(f"SELECT {names} FROM {table}"), key=repr)
    return found


async def rows_of_server(url: str) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    connection = await asyncpg.connect(url)
    for table, columns in TABLES.items():
        names = ", ".join(f'"{column}"' for column in columns)
        rows = [tuple(row) for row in await connection.fetch(f"SELECT {names} FROM {table}")]
        found[table] = sorted(
            (tuple(int(v) if isinstance(v, bool) else v for v in row) for row in rows), key=repr
        )
    await connection.close()
    return found


async def copied(*words: str) -> int:
    """The exit status of `grognard copy`, which has a loop of its own."""
    return await asyncio.to_thread(main, ["copy", *words])


async def test_there_and_back_every_row_is_the_same_and_play_goes_on(
    tmp_path: Path,
    postgres: PostgresServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    first, last, url = tmp_path / "first.db", tmp_path / "last.db", postgres.new_database()
    async with await SqliteStore.open(first) as store:
        await play(store)
    with closing(sqlite3.connect(first)) as db:
        db.execute("INSERT INTO tombstones VALUES (?, 1.5)", ("0" * 64,))
        db.commit()
    before = rows_of_file(first)
    assert all(before.values()), {table for table, rows in before.items() if not rows}

    assert await copied("sqlite:///first.db", url) == 0
    said = capsys.readouterr().out
    assert said.startswith("Copied: 1 game, ")
    assert said.endswith(
        "Log, chain, dice and state of every game agree. Set DATABASE_URL to the new one, then start the bot.\n"
    )
    assert await rows_of_server(url) == before
    assert await copied(url, "sqlite:///last.db") == 0
    assert rows_of_file(last) == before
    assert rows_of_file(first) == before, "the source is as it was"

    async with await PostgresStore.open(url) as there, await SqliteStore.open(last) as back:
        numbers = []
        stores: tuple[Store, ...] = (there, back)
        for one in stores:
            channel = Channel(App(one), prefix="u")
            assert not (await channel.do("Anna", "roll 2d6", "game status")).error
            done = await one.commit(
                Commit(
                    "discord:11",
                    {"title": "on"},
                    "discord:7",
                    outbox=[Outgoing("discord:1:2", {}, 0.0)],
                )
            )
            numbers.append(done.outbox[0])
        assert numbers == [4, 4], (
            "no number of the outbox is given out twice, also of rows that are gone"
        )


async def test_nothing_is_copied_where_something_is(
    tmp_path: Path,
    postgres: PostgresServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    url = postgres.new_database()
    async with await SqliteStore.open(tmp_path / "first.db") as store:
        await play(store)
    async with await PostgresStore.open(url) as held:
        await held.put_doc(Doc("note", "mine", {}))
    assert await copied("sqlite:///first.db", url) == 2
    assert "The second database is not empty. Nothing was copied." in capsys.readouterr().err
    found = await rows_of_server(url)
    assert {table: len(rows) for table, rows in found.items() if rows} == {"docs": 1}


async def test_a_copy_that_breaks_off_leaves_nothing(
    tmp_path: Path,
    postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    url = postgres.new_database()
    async with await SqliteStore.open(tmp_path / "first.db") as store:
        await play(store)
    with closing(sqlite3.connect(tmp_path / "first.db")) as db:
        db.execute("UPDATE due SET at = 'tomorrow'")
        db.commit()
    with pytest.raises(Exception, match="must be real number"):
        await copied("sqlite:///first.db", url)
    assert not any((await rows_of_server(url)).values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sqlite:///no.db", "sqlite:///new.db"), "There is no database"),
        (
            ("sqlite:///a.db", "sqlite:///a.db"),
            "Both are the same database. Give a different database second.",
        ),
        (
            ("sqlite:///grognard.db",),
            "Both are the same database. Give the empty database second, or set DATABASE_URL",
        ),
        (("sqlite:///:memory:", "sqlite:///a.db"), "A temporary database cannot be copied."),
        (("mysql://x", "sqlite:///a.db"), "is neither an SQLite file nor a PostgreSQL database"),
        ((), "FROM is missing."),
        (("nowhere.env", "sqlite:///a.db"), "nowhere.env is neither an address nor a file."),
        ((__file__, "sqlite:///a.db"), "is not a setting"),
        (("/dev/null", "sqlite:///a.db"), "/dev/null has no DATABASE_URL=... line."),
    ],
)
def test_what_cannot_be_copied_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str],
    said: str,
) -> None:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    assert main(["copy", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:hidden@db.example.org/grognard",
        "postgresql://anna@db.example.org/grognard?password=hidden",
        "postgresql://anna:hidden@[db.example.org/grognard",
    ],
)
@pytest.mark.parametrize("position", [0, 1])
def test_a_password_on_the_command_line_is_refused_and_not_shown(
    capsys: pytest.CaptureFixture[str], url: str, position: int
) -> None:
    words = ["sqlite:///a.db", "sqlite:///b.db"]
    words[position] = url
    assert main(["copy", *words]) == 2
    text = capsys.readouterr().err
    assert "Put DATABASE_URL=... in .env, and give that file instead of the address." in text
    assert "hidden" not in text


async def test_addresses_are_read_from_the_settings_and_from_a_file(
    tmp_path: Path,
    postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As the page says: into DATABASE_URL, and back from the file that has it."""
    url = postgres.new_database()
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path))
    async with await SqliteStore.open(tmp_path / "first.db") as store:
        await play(store)
    monkeypatch.setenv("DATABASE_URL", url)
    assert await copied("sqlite:///first.db") == 0
    assert capsys.readouterr().out.endswith(" agree. Start the bot.\n"), (
        "the settings name it already"
    )
    monkeypatch.delenv("DATABASE_URL")
    file = tmp_path / "grognard.env"
    file.write_text(f"# the database\nDATABASE_URL={url}\n")
    assert await copied(str(file), "sqlite:///last.db") == 0
    assert rows_of_file(tmp_path / "last.db") == rows_of_file(tmp_path / "first.db")


async def test_the_list_of_tables_is_that_of_both_stores(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    path, url = tmp_path / "a.db", postgres.new_database()
    async with await SqliteStore.open(path) as store:
        await play(store)
    in_file: dict[str, set[str]] = {}
    for file in (path, get_journal_path(path)):
        with closing(sqlite3.connect(file)) as db:
            tables = db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            )
            for (table,) in tables.fetchall():
                in_file[table] = {column[1] for column in db.execute(f"PRAGMA table_info({table})")}
    assert in_file == {table: set(columns) for table, columns in TABLES.items()}

    async with await PostgresStore.open(url) as shared:
        await shared.list_games()
    connection = await asyncpg.connect(url)
    query = "SELECT table_name, column_name, is_identity FROM information_schema.columns WHERE table_schema = 'public'"
    there: dict[str, set[str]] = {}
    numbered = {}
    for table, column, identity in await connection.fetch(query):
        there.setdefault(table, set()).add(column)
        if identity == "YES":
            numbered[table] = column
    await connection.close()
    del there["grognard_schema"]
    assert there == {
        table: set(columns) | BESIDE.get(table, set()) for table, columns in TABLES.items()
    }
    assert numbered == NUMBERED
