"""The cells around an answer, as printed."""

from __future__ import annotations

from bot.presentation.printed_table import get_printed_table
from bot.presentation.tables import HERE, crop_around_cell
from bot.rulesets.catalog import find_shared_system


def test_one_and_yes_are_different_cells() -> None:
    (grid,) = get_printed_table(find_shared_system("lnlt").find_table("melee-odds")).grids
    values = {grid.row_by: 1, grid.column_by: 7}
    assert grid.find_cell(values) == (0, 6)
    assert grid.find_cell({**values, grid.row_by: "1"}) is None


def test_the_cell_is_marked_between_its_neighbors() -> None:
    (grid,) = get_printed_table(find_shared_system("nhis").find_table("move-cost")).grids
    place = grid.find_cell({"terrain": "beach", "japanese": False})
    assert place is not None
    rows = crop_around_cell(grid, place, most=1)
    assert [row[0] for row in rows] == [grid.corner, "brush", "beach", "water"]
    marked = [cell for row in rows for cell in row if cell.startswith(HERE)]
    assert marked == [f"{HERE}2"]
