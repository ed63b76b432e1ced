"""What is remembered of printed tables is what would be made anew."""

from __future__ import annotations

import pytest

from bot.play import card, sheets
from bot.play.card import card_of
from bot.play.lookup import words_of
from bot.play.sheets import sheets_of
from bot.systems.catalog import built_in, systems


@pytest.mark.parametrize("id", built_in())
def test_the_cells_around_an_answer_are_those_of_a_table_read_for_the_first_time(id: str) -> None:
    """Each table at several of its rows, twice, against a look with nothing remembered."""
    seen = 0
    for table in systems()[id].tables.values():
        words, grid = words_of(table), card_of(table)
        assert sheets_of(table, words) is sheets_of(table, words)
        if grid is None:
            continue
        for row in grid.rows[:4]:
            values = {grid.row_by: row, grid.column_by: grid.columns[-1]}
            first, again = grid.around(values, words), grid.around(values, words)
            card._GRIDS.clear()
            card._CARDS.clear()
            anew = card_of(table)
            assert anew is not None
            assert anew is not grid
            assert first == again == anew.around(values, words)
            seen += first is not None
    assert seen or id not in ("lnlt", "asl")


def test_one_and_yes_are_different_cells_and_other_words_are_not_mixed_up() -> None:
    table = next(table for table in systems()["lnlt"].tables.values() if table.id == "melee-odds")
    grid = card_of(table)
    assert grid is not None
    values = {grid.row_by: 5, grid.column_by: 7}
    plain = grid.around(values, {})
    assert grid.around({**values, grid.row_by: True}, {}) != plain
    assert grid.around(values, {grid.row_by: "the defenders"}) != plain
    assert grid.around(values, {}) == plain


def test_what_is_remembered_is_bounded() -> None:
    table = next(table for table in systems()["lnlt"].tables.values() if table.id == "melee-odds")
    grid = card_of(table)
    assert grid is not None
    for number in range(card.MOST_GRIDS + 5):
        grid.around({grid.row_by: number, grid.column_by: 7}, {})
    assert len(card._GRIDS) == card.MOST_GRIDS
    assert len(sheets._SHEETS) <= sheets.MOST_TABLES
