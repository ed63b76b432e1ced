"""The cells around an answer, as printed."""

from __future__ import annotations

from bot.answers.tables import card_of
from bot.systems.catalog import systems


def test_one_and_yes_are_different_cells_and_words_are_the_games_own() -> None:
    table = next(table for table in systems()["lnlt"].tables.values() if table.id == "melee-odds")
    grid = card_of(table)
    assert grid is not None
    values = {grid.row_by: 5, grid.column_by: 7}
    plain = grid.around(values, {})
    assert grid.around({**values, grid.row_by: True}, {}) != plain
    assert grid.around(values, {grid.row_by: "the defenders"}) != plain
    assert grid.around(values, {}) == plain
