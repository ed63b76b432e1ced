"""A byte that flips on the disk is noticed, wherever it is: answers, what is on its way,
documents, snapshots.
"""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path

import pytest

from bot.app import App
from bot.storage.records import Commit, Doc, Outgoing, add_checksum, is_whole
from bot.storage.sqlite import SqliteStore
from tests.playing import Channel

TEXTS = [
    ("requests", "reply"),
    ("outbox", "reply"),
    ("outbox", "delivery"),
    ("docs", "data"),
    ("snapshots", "state"),
]


async def filled(path: Path) -> None:
    """A file with something in each table."""
    async with await SqliteStore.open(path) as store:
        channel = Channel(App(store))
        await channel.say("Anna", "roll 2d6", token="t")
        for _ in range(30):
            await channel.do("Anna", "roll 2d6")
        await store.put_doc(Doc("draft", "d1", {"text": "squad; leader"}))
        await store.commit(
            Commit(
                "r", {"title": "hello"}, outbox=[Outgoing("p", {"token": "t"}, 0.0, {"title": "x"})]
            )
        )
        assert not await store.check()


@pytest.mark.sample(2)
@pytest.mark.parametrize(("table", "column"), TEXTS, ids=[".".join(text) for text in TEXTS])
async def test_any_flipped_bit_of_a_stored_text_is_noticed(
    table: str, column: str, tmp_path: Path
) -> None:
    path = tmp_path / "games.db"
    await filled(path)
    draw = random.Random(f"{table} {column}")
    for _ in range(20):
        conn = sqlite3.connect(path)
        row = (
            f"SELECT rowid, CAST({column} AS BLOB) FROM {table} WHERE {column} IS NOT NULL LIMIT 1"
        )
        if table == "docs":
            row = row.replace("rowid", "key")
        key, stored = conn.execute(row).fetchone()
        flipped = bytearray(stored)
        flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
        where = "key" if table == "docs" else "rowid"
        update = f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE {where} = ?"
        conn.execute(update, (bytes(flipped), key))
        conn.commit()
        async with await SqliteStore.open(path) as store:
            (problem,) = await store.check()
        assert problem.startswith(f"table {table}, ")
        assert column in problem
        conn.execute(update, (stored, key))
        conn.commit()
        conn.close()


def test_an_earlier_grognards_texts_have_no_sum_and_are_whole() -> None:
    assert is_whole(b'{"title":"hello"}')
    assert not is_whole(b'{"title":"hello}')
    assert json.loads(add_checksum('{"title":"hello"}')) == {"title": "hello"}, "and it reads ours"


def test_a_changed_word_is_noticed_although_it_is_json_still() -> None:
    stored = add_checksum('{"title":"Squad 1 misses"}').encode()
    assert is_whole(stored)
    assert not is_whole(stored.replace(b"misses", b"killed"))
