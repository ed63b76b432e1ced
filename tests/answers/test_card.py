"""The cells around an answer, as printed."""

from __future__ import annotations

from bot.answers.printed_table import printed
from bot.answers.tables import HERE, rows_around
from bot.systems.catalog import system


def test_one_and_yes_are_different_cells() -> None:
    (grid,) = printed(system("lnlt").table("melee-odds")).grids
    values = {grid.row_by: 1, grid.column_by: 7}
    assert grid.find(values) == (0, 6)
    assert grid.find({**values, grid.row_by: "1"}) is None


def test_the_cell_is_marked_between_its_neighbors() -> None:
    (grid,) = printed(system("nhis").table("move-cost")).grids
    place = grid.find({"terrain": "beach", "japanese": False})
    assert place is not None
    rows = rows_around(grid, place, most=1)
    assert [row[0] for row in rows] == [grid.corner, "brush", "beach", "water"]
    marked = [cell for row in rows for cell in row if cell.startswith(HERE)]
    assert marked == [f"{HERE}2"]
