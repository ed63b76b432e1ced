"""PNG from SVG: the text is really drawn, as wide as it was measured; without a rasterizer it
says what to do.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from bot.charts import png as pngs
from bot.charts.font import (
    FAMILY,
    FILES,
    load_face,
    measure_width,
    replace_missing_letters,
    shorten_text,
    wrap_text,
)
from bot.charts.png import LIBRARIES, find_rasterizer, render_png
from bot.charts.table import render_table
from bot.rulesets.catalog import find_shared_system
from tests.refusing import refuses

GIVEN = {"attack": 7, "defense": 4}


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if find_spec(request.param) is None:
        pytest.skip(f"{request.param} is for other machines")
    monkeypatch.setattr(pngs, "LIBRARIES", (request.param,))
    find_rasterizer.cache_clear()
    yield request.param
    find_rasterizer.cache_clear()


def pixels(data: bytes) -> list[list[tuple[int, int, int]]]:
    """The picture's points, row by row."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    wide, high, depth, kind = struct.unpack_from(">LLBB", data, 16)
    assert (depth, kind) == (8, 6), "eight bits, with alpha"
    packed, at = b"", 8
    while at < len(data):
        (size,) = struct.unpack_from(">L", data, at)
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += size + 12
    raw, rows = zlib.decompress(packed), []
    before = bytes(wide * 4)
    for row in range(high):
        start = row * (wide * 4 + 1)
        before = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + wide * 4]), before)
        rows.append([(before[x], before[x + 1], before[x + 2]) for x in range(0, wide * 4, 4)])
    return rows


def _unfiltered(kind: int, line: bytearray, above: bytes) -> bytes:
    for at in range(len(line) if kind else 0):
        left, corner = (line[at - 4], above[at - 4]) if at >= 4 else (0, 0)
        up = above[at]
        line[at] = (
            line[at] + (left, up, (left + up) // 2, _nearest(left, up, corner))[kind - 1]
        ) & 255
    return bytes(line)


def _nearest(left: int, up: int, corner: int) -> int:
    """What is nearest to left + up - corner, the first of those alike."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


def ink(text: str, bold: bool) -> tuple[int, int]:
    """The first and the last column with ink, of white letters of 40 px from x = 20 on."""
    weight = 700 if bold else 400
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="60" font-family="{FAMILY}">'
        f'<rect width="900" height="60"/>'
        f'<text x="20" y="42" font-size="40" fill="#fff" font-weight="{weight}">{text}</text></svg>'
    )
    lit = [x for row in pixels(render_png(svg)) for x, point in enumerate(row) if point[0] > 60]
    return min(lit), max(lit)


@pytest.mark.sample(6)
@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize(
    "text", ["14–16:S", "good order MMC", "VC Squads 5 + 6", "−3", "Wächter Łódź", "iIl1.,;"]
)
def test_letters_are_as_wide_as_they_were_measured(library: str, text: str, bold: bool) -> None:
    first, last = ink(text, bold)
    assert 19 <= first <= 26
    assert measure_width(text, 40, bold) - 8 <= last - 20 <= measure_width(text, 40, bold) + 2


@pytest.mark.sample(1)
def test_a_table_is_drawn_on_an_opaque_card_with_its_hit_cell(library: str) -> None:
    drawn = render_table(find_shared_system("lnlt").find_table("melee-odds"), GIVEN)
    rows = pixels(render_png(drawn.svg))
    assert (len(rows[0]), len(rows)) == (720, drawn.height)
    flat = [point for row in rows for point in row]
    assert flat.count((0x23, 0x26, 0x2D)) > len(flat) / 4, "paper"
    assert flat.count((0xF2, 0xB8, 0x4B)) > 1_000, "the hit cell"
    assert flat.count((0xEC, 0xE9, 0xE3)) > 1_000, "words"


def test_without_a_rasterizer_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pngs, "LIBRARIES", ("no_such_library",))
    find_rasterizer.cache_clear()
    with refuses("no-pictures"):
        render_png("<svg/>")
    find_rasterizer.cache_clear()


def test_the_font_has_its_licence_beside_it() -> None:
    for file in FILES.values():
        assert "SIL Open Font License, Version 1.1" in (file.parent / "OFL.txt").read_text(
            encoding="utf-8"
        )
        assert file.stat().st_size < 150_000
    assert {sign for sign in "−–…·½×≤≥éŁ%#" if sign not in load_face(True).advances} == set()


@pytest.mark.parametrize(
    ("typed", "drawn"),
    [
        ("Nguyễn", "Nguyễn"),
        ("Жуков", "Zhukov"),
        ("Їжак Щ", "Yizhak Shch"),
        ("山本", "??"),
        ("a\tb", "a b"),
        ("①", "1"),
        ("x\u200bz", "xz"),
        ("plain", "plain"),
    ],
)
def test_letters_that_the_font_lacks_are_replaced(typed: str, drawn: str) -> None:
    assert replace_missing_letters(typed) == drawn


def test_words_are_broken_where_they_may_be_and_where_they_must() -> None:
    assert wrap_text("over twice morale", measure_width("over twice", 20) + 1, 20) == [
        "over twice",
        "morale",
    ]
    assert "".join(wrap_text("W" * 50, 100, 20)) == "W" * 50
    assert all(measure_width(line, 20) <= 100 for line in wrap_text("W" * 50, 100, 20))
    assert shorten_text("a very long name", 60, 20).endswith("…")
