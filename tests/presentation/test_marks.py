"""The marked cell of a table holds the answer, in the text and in the picture alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bot.charts.sheet import ROW, Block, build_layout
from bot.presentation.printed_table import PrintedGrid, get_printed_table
from bot.presentation.tables import HERE, build_lookup_reply, find_answering_grids
from bot.rules.tables.table import Table
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.ui.reply.parts import Grid, Whole
from tests.random_look_ups import random_look_ups

TABLES = [table for game in load_shared_systems().values() for table in game.tables.values()]


def grids(body: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each part of a table that has rows and cells, or always the same answer."""
    if isinstance(body, list):
        for part in body:
            yield from grids(part)
    elif isinstance(body, Mapping) and "pick" in body:
        yield from grids(list(body["pick"].values()))
    elif isinstance(body, Mapping) and "always" in body:
        yield {"cells": {"*": body["always"]}}
    elif isinstance(body, Mapping):
        yield body


def holds_answer(table: Table, body: Mapping[str, Any], place: tuple[int, int], given: Any) -> bool:
    """Return whether the cell of the data at `place` says what the table answers."""
    answer, values = table.answer_with_values(given)
    worked = {**values, **answer.out}
    row, column = place
    if body.get("across"):
        row = column
    cell = list(body["cells"].values())[row]
    if body.get("columns"):
        if column >= len(cell):
            return False
        cell = cell[column]
    if "bands" in body:
        return True  # the cells are ranges of a die, which a later roll reads
    changed_later = table.printed.get("then") or {}
    results = table.printed.get("results") or {}
    if isinstance(cell, str | int) and cell in results:
        cell = results[cell]
    no_cells = {"text", "parts", *(table.printed.get("derive") or {}), *changed_later}
    gives = body.get("gives") or [name for name in table.outputs if name not in no_cells]
    gives = [gives] if isinstance(gives, str) else list(gives)
    if isinstance(cell, Mapping):
        cells = cell
    elif isinstance(cell, list) and len(gives) > 1:
        cells = dict(zip(gives, cell, strict=True))
    else:
        cells = {gives[0]: cell}
    return all(
        worked.get(name) == value for name, value in cells.items() if name not in changed_later
    )


def marks_of(
    table: Table, given: Mapping[str, Any]
) -> Iterator[tuple[PrintedGrid, tuple[int, int]]]:
    """Yield the grids that the text of a look-up shows, with the row and column that it marks."""
    answer, values = table.answer_with_values(given)
    reply = build_lookup_reply(table, given, answer)
    shown = [part for part in reply.lines if isinstance(part, Grid | Whole)]
    for (grid, _), part in zip(find_answering_grids(table, values), shown, strict=True):
        rows = part.rows if isinstance(part, Grid) else part.sheets[0].rows
        marks = [
            (grid.rows.index(line[0]), grid.columns.index(rows[0][position].removeprefix("  ")))
            for line in rows[1:]
            for position, cell in enumerate(line)
            if cell.startswith(HERE)
        ]
        (mark,) = marks
        yield grid, mark


@pytest.mark.sample(12)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.system}/{table.id}")
def test_the_marked_cell_holds_the_answer(table: Table) -> None:
    bodies = list(grids(table.printed.get("read")))
    for given in random_look_ups(table):
        marks: dict[object, list[tuple[int, int]]] = {}
        for grid, mark in marks_of(table, given):
            marks.setdefault((grid.rows, len(grid.columns)), []).append(mark)
            if grid.body is not None:
                assert holds_answer(table, grid.body, mark, given), (given, mark)
        for block in build_layout(table, given).blocks:
            if block.hit is not None:
                assert_block_holds_answer(table, block, bodies, given)
                of_text = marks.get((block.rows, len(block.columns)), [])
                whole_rows = [(row, ROW) for row, _ in of_text]
                assert not of_text or block.hit in (*of_text, *whole_rows), (given, of_text)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.system}/{table.id}")
def test_a_look_up_of_a_printed_grid_shows_its_place_on_the_card(table: Table) -> None:
    for given in random_look_ups(table):
        values = table.answer_with_values(given)[1]
        in_cells = [
            grid for grid in get_printed_table(table).grids if grid.body and grid.is_case_of(values)
        ]
        if in_cells:
            assert list(marks_of(table, given)), given


def assert_block_holds_answer(
    table: Table, block: Block, bodies: list[Mapping[str, Any]], given: Mapping[str, Any]
) -> None:
    """Fail unless the answer stands at the marked cell of one of the parts that the block may be."""
    assert block.hit is not None
    row, column = block.hit
    place = (row, max(column, 0))
    of_its_size = [
        body
        for body in bodies
        if len(body["cells"]) == len(block.columns if body.get("across") else block.rows)
    ]
    assert any(holds_answer(table, body, place, given) for body in of_its_size), (given, block.hit)


@pytest.mark.parametrize(
    ("game", "name", "given", "head", "cell"),
    [
        ("ucn", "morale-failed", {"failed_by": 3}, "3-4", "hesitant"),
        ("baps", "crash", {"roll": 13}, "11-16", "½ move 45° right, then stop"),
        ("baps", "ammo-check", {"kind": "automatic", "roll": 4}, "3-6", "ok"),
        ("lnlt", "loose-fp", {"fp": 5}, "5-6", "2"),
    ],
)
def test_ranges_beside_a_single_number_are_marked(
    game: str, name: str, given: dict[str, Any], head: str, cell: str
) -> None:
    """These four were marked on another row; the rows are those of the cards."""
    table = find_shared_system(game).find_table(name)
    reply = build_lookup_reply(table, given, table.read(given))
    (shown,) = (part for part in reply.lines if isinstance(part, Grid | Whole))
    rows = shown.rows if isinstance(shown, Grid) else shown.sheets[0].rows
    (line,) = (row for row in rows if any(text.startswith(HERE) for text in row))
    assert line[0] == head
    assert f"{HERE}{cell}" in line
