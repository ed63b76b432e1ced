"""A deck out of a spreadsheet."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.packs.importing.decks import deck_of
from bot.packs.importing.folders import gathered
from bot.packs.importing.recognise import alone, imported, put
from bot.packs.review import review_file
from bot.rules.errors import UserError
from bot.systems.packs.pack import load_pack
from tests.packs.conftest import PackMaker

SHEET = """\
Name;Copies;AP;Wet;Side;after;Text
All quiet;8;;no;;back;
Rain, heavy;2;1;yes;;;Everybody moves one hex less until the end of the turn.
A guide;;2;no;blue;removed;
"""


def test_a_sheet_of_cards_becomes_a_deck_that_a_game_has(make_pack: PackMaker) -> None:
    folder = make_pack()
    told = put(SHEET.encode(), "Chances.csv", folder)
    assert told.status == 0
    assert told.lines[0].endswith("decks/chances.yaml is written")
    (made,) = load_pack(folder).decks.values()
    assert made.title == "Chances"
    assert made.deck.cards == (("all-quiet", 8), ("rain-heavy", 2), ("a-guide", 1))
    assert made.names == {"all-quiet": "All quiet", "rain-heavy": "Rain - heavy", "a-guide": "A guide"}
    assert made.said["a-guide"] == {"ap": 2, "wet": False, "side": "blue"}
    assert made.after == {"all-quiet": "back", "rain-heavy": "discard", "a-guide": "removed"}
    asked = "\n".join(told.lines)
    assert "column text is left out" in asked
    assert "Rain, heavy is called Rain - heavy" in asked


def test_a_deck_alone_is_printed_and_may_be_a_pack_of_its_own(tmp_path: Path) -> None:
    made = imported(SHEET, "us events.csv", id="events")
    assert [*made.files] == ["decks/events.yaml"]
    assert alone(made).status == 0
    assert put(SHEET.encode(), "chances.csv", tmp_path / "new").status == 0
    assert [*load_pack(tmp_path / "new").decks] == ["chances"]
    assert len(review_file(None, SHEET).decks) == 1


def test_a_deck_in_a_folder_of_tables_is_left_out_and_told(tmp_path: Path) -> None:
    found = gathered([("chances.csv", SHEET.encode()), ("a.csv", b"2d6,x\n2-7,a\n8-12,b\n")], "Tables", is_alone=False)
    assert any("a deck goes into a pack by itself" in line for line in found.left_out)
    assert not any("deck" in file for pack in found.packs for file in pack.files)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,count\nRain,two\n", "Row 2: the count is two"),
        ("name,count,after\nRain,2,gone\n", "Row 2: after is gone"),
    ],
)
def test_a_cell_that_is_none_is_refused_with_its_row(text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        imported(text)


@pytest.mark.parametrize("text", ["2d6,1-1,2-1\n2-7,a,b\n8-12,c,d\n", "name,ap\nRain,1\n", "count,ap\n1,2\n"])
def test_another_sheet_is_no_deck(text: str) -> None:
    assert deck_of(text, "T") is None


def test_a_count_of_none_and_two_alike_are_faults_of_the_deck() -> None:
    assert "count: is a whole number" in alone(imported("name,count\nRain,0\n")).lines[0]
    assert "is how rain is called" in alone(imported("name,count\nRain,1\nRain,2\n")).lines[0]


CELL = st.text(max_size=60) | st.sampled_from(
    ["name", "count", "id", "after", "ap", "1", "-2.5", "yes", "a,b", "x" * 41]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6))
def test_no_sheet_of_cards_brings_the_importer_down(rows: list[list[str]]) -> None:
    text = "\n".join("\t".join(cell.replace("\t", " ") for cell in row) for row in [["name", "count", "ap"], *rows])
    with suppress(UserError):
        alone(imported(text))
