"""Long files are compressed, and what comes in is unpacked only as far as anybody can bear."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from bot.ui.reply.packing import LONG, MOST_TEXT, Packing, read_file_text
from bot.ui.reply.reply import File, Reply
from tests.refusing import refuses


def packed_file(name: str, text: str) -> File:
    """The file to send for a text that is there whole."""
    packing = Packing(name)
    packing.add(text)
    return packing.build_file()


def test_a_short_text_stays_as_it_is() -> None:
    assert packed_file("game.json", "{}") == File("game.json", "{}")
    assert packed_file("game.json", "é").data == "é".encode()


def test_a_long_one_is_compressed_and_survives_the_outbox() -> None:
    text = "Squad 1 fires. " * LONG
    file = packed_file("game.json", text)
    assert file.name == "game.json.gz"
    (stored,) = Reply.from_json(Reply("export", files=(file,)).to_json()).files
    assert len(stored.data) < 100_000
    assert gzip.decompress(stored.data).decode() == text


def test_text_and_compressed_text_are_read_alike() -> None:
    for data in (b"\xef\xbb\xbf{}", gzip.compress(b"{}"), b"{}"):
        assert read_file_text(data, "game.json") == "{}"


def test_a_bomb_is_not_unpacked() -> None:
    """A file of 60 kB that unpacks to 60 MB: no more of it is made than may be read."""
    bomb = gzip.compress(b"0" * 3 * MOST_TEXT)
    assert len(bomb) < 100_000
    tracemalloc.start()
    with refuses("file-too-large file"):
        read_file_text(bomb, "bomb.gz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.5 * MOST_TEXT


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gzip.compress(b"{}")[:-3], "damaged-file cut off"),
        (gzip.compress(b"{}") + b"x", "damaged-file extra data"),
        (b"\x1f\x8b and no more of it", "damaged-file cannot be unpacked"),
        (b"\xff\xfe\x00", "not-text file"),
        (gzip.compress(b"\xff\xfe\x00"), "not-text file"),
        (b"a" * 10_000_001, "file-too-large 10 MB"),
    ],
    ids=[
        "cut off",
        "goes on",
        "not packed",
        "bytes",
        "packed bytes",
        "too large",
    ],  # gzip writes the time of day
)
def test_what_cannot_be_read_is_named(data: bytes, said: str) -> None:
    with refuses(said) as refused:
        read_file_text(data, "game.json.gz")
    assert "game.json.gz" in refused.value.message


def test_a_long_file_packed_piece_by_piece_is_the_one_packed_at_once() -> None:
    pieces = [f"event {number}: {number * number}\n" * 9 for number in range(5_000)]
    file = Packing("game.json")
    for piece in pieces:
        file.add(piece)
    text = "".join(pieces)
    assert len(text) > LONG
    packed = file.build_file()
    assert (packed.name, gzip.decompress(packed.data).decode()) == ("game.json.gz", text)
    assert packed.data == gzip.compress(text.encode(), 6, mtime=0)
