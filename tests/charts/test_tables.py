"""Every table of every game as a picture: all of it is there, nothing leaves its cell, the
answer is marked once.
"""

from __future__ import annotations

import re

import pytest

from bot.charts.font import replace_missing_letters
from bot.charts.sheet import ROW, build_layout
from bot.charts.svg import Picture
from bot.charts.table import render_table
from bot.rules.tables.table import Table
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from tests.charts.drawn import assert_all_fits, boxes, texts, words_in
from tests.refusing import refuses

TABLES = [table for game in load_shared_systems().values() for table in game.tables.values()]
NAMES = [f"{table.system}/{table.id}" for table in TABLES]


def squeezed(text: str) -> str:
    """Letters alone: lines are broken anywhere in a picture."""
    return "".join(replace_missing_letters(text).split())


def table(name: str) -> Table:
    id, _, own = name.partition("/")
    return find_shared_system(id).find_table(own)


def picture(name: str, **given: object) -> Picture:
    return render_table(table(name), given or None)


@pytest.mark.sample(8)
@pytest.mark.parametrize("table", TABLES, ids=NAMES)
def test_a_whole_table_shows_every_cell(table: Table) -> None:
    drawn = render_table(table)
    assert_all_fits(drawn)
    said = squeezed(words_in(drawn))
    for block in build_layout(table).blocks:
        for text in (*block.columns, *block.rows, *(cell for row in block.cells for cell in row)):
            assert squeezed(text) in said, text
    assert squeezed(table.title) in said
    assert not boxes(drawn, "hit")


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    "table", [table for table in TABLES if table.example], ids=lambda table: table.id
)
def test_the_answer_is_marked_once_in_each_block_that_has_it(table: Table) -> None:
    drawn, sheet = render_table(table, table.example), build_layout(table, table.example)
    assert_all_fits(drawn)
    hits = boxes(drawn, "hit")
    assert len(hits) == sum(block.hit is not None for block in sheet.blocks)
    assert hits or all(
        block.counts or table.kind == "modifiers" or not table.bodies for block in sheet.blocks
    )
    for box, block in zip(hits, [block for block in sheet.blocks if block.hit], strict=True):
        assert block.hit is not None
        row, column = block.hit
        left, top, right, bottom = box
        within = [
            text
            for text, reach in texts(drawn)
            if left <= reach[0] <= right and top <= reach[1] <= bottom
        ]
        inside = squeezed("".join(within))
        if column != ROW:
            assert inside == squeezed(block.cells[row][column])
        assert block.rows[row] in drawn.alt


def test_the_hit_cell_of_a_fire_is_where_the_card_has_it() -> None:
    """11 against morale 5 is over twice the morale of a good order squad: casualties."""
    drawn = picture("lnlt/dct", unit="good-order-mmc", morale=5, total=11)
    (block,) = build_layout(
        table("lnlt/dct"), {"unit": "good-order-mmc", "morale": 5, "total": 11}
    ).blocks
    assert block.hit == (2, 0)
    assert "Marked: row band 2x Morale, column unit good order MMC: casualties." in drawn.alt


def test_a_wide_table_is_a_window_around_the_answer_that_says_so() -> None:
    drawn = picture("lnlt/melee-odds", attack=7, defense=4)
    assert "Columns 3 to 11 of 1 to 14." in words_in(drawn)
    assert "Columns 3 to 11 of 1 to 14." in drawn.alt
    assert "2-1" in words_in(drawn)
    at_the_edge = picture("lnlt/melee-odds", attack=14, defense=4)
    assert "Columns 6 to 14 of 1 to 14." in words_in(at_the_edge)


def test_a_table_whose_letters_would_be_too_small_for_a_phone_is_a_narrower_window() -> None:
    drawn = picture("baps/crt", row=2, men=10, roll=17)
    assert "Columns 3 to 10 of 1 to 10." in words_in(drawn)
    assert "Rows 6 to 12 of 16." in words_in(drawn), "its rows are many, and each holds four lines"


def test_codes_have_their_meaning_below() -> None:
    assert "D2: Damaged -2" in words_in(picture("nhis/ranged-combat", firepower=9, roll=7))


def test_modifiers_that_count_are_lit_with_what_they_add() -> None:
    drawn = picture("lnlt/oft-mods", lm=1, adjacent=True)
    counted = build_layout(table("lnlt/oft-mods"), {"lm": 1, "adjacent": True}).blocks[0]
    assert [counted.rows[at] for at in counted.counts] == ["leader", "adjacent"]
    assert [counted.cells[at][-1] for at in counted.counts] == ["−1", "−2"]
    assert_all_fits(drawn)


def test_what_the_card_refuses_is_refused_in_its_words() -> None:
    with refuses("bad-value morale"):
        picture("lnlt/dct", unit="good-order-mmc", morale=500, total=11)


def test_the_words_say_no_more_than_a_platform_takes() -> None:
    for table in TABLES:
        said = render_table(table).alt
        assert said.startswith(f"{table.title}.")
        assert len(said) <= 1_000


def test_every_picture_of_a_table_is_read_on_a_phone() -> None:
    """At 390 pixels a letter of 18 is one of 9.75; only what has few columns of long words goes
    below.
    """
    for game in load_shared_systems().values():
        for one in game.tables.values():
            for given in (None, one.example or None):
                sizes = map(
                    float, re.findall(r'font-size="([0-9.]+)"', render_table(one, given).svg)
                )
                assert min(sizes) >= 17, one.id
