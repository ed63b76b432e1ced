"""What is drawn of a table is its printed form: a text file that was proofread against the card.

The whole view, the picture, the page of the game and the CSV are compared with that file cell by
cell. How the forms were made is told in `typed/differences.md`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bot.charts.font import replace_missing_letters
from bot.charts.sheet import Block, build_layout
from bot.packs.csv_export import format_csv
from bot.presentation.printed_table import get_printed_table
from bot.presentation.tables import build_whole_table_reply
from bot.rules.tables.table import Table
from bot.rulesets.system import list_builtin_systems
from bot.ui.reply.parts import Sheet, Small, Whole
from tools.game_pages.option_tables import format_cell
from tools.game_pages.page import build_page
from tools.game_pages.printed_tables import describe_modifier
from tools.printed_form import FORMS, Form, form_of, path_of, read_form

TABLES = [table for game in list_builtin_systems().values() for table in game.tables.values()]
BY_NAME = {f"{table.system}/{table.id}": table for table in TABLES}
OPEN_END = "10000"
"""Where a table keeps the last figure of a band that is open on the card."""
NO_GRID = ("how it is worked out",)
"""The column of a table that only calculates, which has no grid on the card."""


def form_at(path: Path, table: Table) -> Form:
    """Return the form of `table`. Fails with what to do if it has none."""
    if not path.exists():
        pytest.fail(
            f"{table.system}/{table.id} has no printed form. Write its draft with "
            f'`make form ARGS="{table.system} {table.id}"`, then compare each cell of '
            f"tests/tables/printed_forms/{table.system}/{table.id}.txt with the card."
        )
    return read_form(path.read_text("utf-8"))


@cache
def form(name: str) -> Form:
    """Return the form of a table by its name, `nhis/cover`."""
    return form_at(path_of(BY_NAME[name]), BY_NAME[name])


def differences(form: Form, shown: Form) -> list[str]:
    """Return each heading, cell and doubt in which `shown` is not the form."""
    found = []
    if len(form.sheets) != len(shown.sheets):
        found.append(f"{len(shown.sheets)} grids instead of {len(form.sheets)}")
    for number, (expected, actual) in enumerate(zip(form.sheets, shown.sheets, strict=False), 1):
        if expected.heading != actual.heading:
            found.append(f"grid {number} is headed {actual.heading!r}, not {expected.heading!r}")
        if len(expected.rows) != len(actual.rows):
            found.append(f"grid {number}: {len(actual.rows)} rows, not {len(expected.rows)}")
        for row, (cells, drawn) in enumerate(zip(expected.rows, actual.rows, strict=False)):
            if len(cells) != len(drawn):
                found.append(f"grid {number}, row {row}: {len(drawn)} cells, not {len(cells)}")
            for column, (cell, text) in enumerate(zip(cells, drawn, strict=False)):
                if cell != text:
                    found.append(
                        f"grid {number}, row {row}, column {column}: {text!r}, not {cell!r}"
                    )
    if form.doubts != shown.doubts:
        found.append(f"the doubts are {shown.doubts}, not {form.doubts}")
    return found


def is_rule(name: str) -> bool:
    """Return whether a table only calculates."""
    return set(NO_GRID) <= set(form_of(BY_NAME[name]).sheets[0].rows[0])


@pytest.mark.parametrize("name", BY_NAME)
def test_the_whole_view_is_the_printed_form(name: str) -> None:
    reply = build_whole_table_reply(BY_NAME[name], "/help")
    small = [part.text for part in reply.lines if isinstance(part, Small)]
    doubts = tuple(text for text in small if text in form(name).doubts)
    sheets = next((part.sheets for part in reply.lines if isinstance(part, Whole)), None)
    if sheets is None:
        assert is_rule(name)
        sheets = form_of(BY_NAME[name]).sheets
    assert not differences(form(name), Form(sheets, doubts))


def drawn_sheet(block: Block, legend: dict[str, str], width: int) -> Sheet:
    """Return a block of a picture as a sheet: its codes as the legend says them, without texts."""
    rows = []
    for row in block.grid[:1] + block.grid[1:]:
        cells = row[:width]
        in_words = [cells[0], *(legend.get(cell, cell) for cell in cells[1:])]
        rows.append(tuple(in_words))
    return Sheet(block.heading, tuple(rows))


@pytest.mark.parametrize("name", BY_NAME)
def test_the_picture_is_the_printed_form(name: str) -> None:
    drawn = build_layout(BY_NAME[name])
    blocks = [block for block in drawn.blocks if block.corner != "in short"]
    expected = [
        Sheet(sheet.heading, tuple(tuple(map(replace_missing_letters, row)) for row in sheet.rows))
        for sheet in form(name).sheets
    ]
    words = {
        replace_missing_letters(cell) for sheet in expected for row in sheet.rows for cell in row
    }
    legend = {
        replace_missing_letters(code): replace_missing_letters(meaning)
        for code, meaning in drawn.legend
        if replace_missing_letters(code) not in words
    }
    sheets = tuple(
        drawn_sheet(block, legend, len(sheet.rows[0]))
        for block, sheet in zip(blocks, expected, strict=True)
    )
    assert drawn.doubts == form(name).doubts
    assert not differences(Form(tuple(expected), ()), Form(sheets, ()))


@cache
def parts_of_page(game: str) -> dict[str, str]:
    """Return the part of the page of a game that is about each table."""
    text = build_page(list_builtin_systems()[game])
    found = re.findall(r"^### .*: `([\w-]+)`\n((?:(?!#).*\n)*)", text, re.MULTILINE)
    return dict(found)


def grids_of_page(text: str) -> Iterator[Sheet]:
    """Yield the grids in a part of a page with their headings."""
    for heading, grid in re.findall(r"(?:^\*(.+)\*\n\n)?((?:^\|.*\n)+)", text, re.MULTILINE):
        head, _, *rows = [
            tuple(cell.strip() for cell in line.strip().removeprefix("|").split("|")[:-1])
            for line in grid.splitlines()
        ]
        corner = head[0].split(" \\ ")[0]
        yield Sheet(heading, ((corner, *head[1:]), *rows))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", BY_NAME)
def test_the_page_of_the_game_is_the_printed_form(name: str) -> None:
    table = BY_NAME[name]
    text = parts_of_page(table.system)[table.id]
    sheets = form(name).sheets
    if is_rule(name):
        return
    if table.modifiers:
        _, *modifiers = next(grids_of_page(text)).rows
        helps = {option.name: option.help for option in table.inputs}
        ids = [row["id"] for row in table.printed["rows"]]
        for id, row, (_, *cells) in zip(ids, sheets[0].rows[1:], modifiers, strict=True):
            about = describe_modifier(row[0], helps.get(id, ""))
            assert cells == [*row[1:], format_cell(about)]
        sheets = sheets[1:]
    doubts = tuple(re.findall(r"^Unsure: (.*)\.$", text, re.MULTILINE))
    shown = Form(tuple(grids_of_page(text))[1 if table.modifiers else 0 :], doubts)
    assert not differences(Form(sheets, form(name).doubts), shown)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_csv_has_the_figures_of_the_printed_form(name: str) -> None:
    """A CSV holds tokens for the importer, so its figures are compared, row by row."""
    table = BY_NAME[name]
    if is_rule(name):
        return
    text = format_csv(table)
    grids = [list(csv.reader(io.StringIO(part))) for part in text.split("\n\n")]
    always = [sheet for sheet in form(name).sheets if sheet.rows[0][1:] == ("always",)]
    sheets = [sheet for sheet in form(name).sheets if sheet not in always]
    sheets = sheets[:1] if table.modifiers else sheets
    parts = [grid for grid in get_printed_table(table).grids if grid.columns != ("always",)]
    bodies = [part.body or {} for part in parts] or [{}]
    assert len(grids) == len(sheets)
    for grid, sheet, body in zip(grids, sheets, bodies, strict=True):
        rows = tuple(zip(*sheet.rows, strict=True)) if body.get("across") else sheet.rows
        named = {str(key) for key in body.get("names") or {}}
        assert len(grid) == len(rows)
        for line, row in zip(grid[1:], rows[1:], strict=True):
            cells = line[1:] if line[0] in named else line
            halves = " ".join(cells).replace(".5", "½")
            written = set(re.findall(r"\d+", halves)) - {"0", OPEN_END}
            shown = set(re.findall(r"\d+", " ".join(row)))
            assert table.modifiers or written <= shown, (line, row)


def test_every_table_has_a_form_and_every_form_a_table() -> None:
    for name in BY_NAME:
        assert form(name).sheets, name
    there = {f"{path.parent.name}/{path.stem}" for path in FORMS.glob("*/*.txt")}
    assert there == BY_NAME.keys()


def test_a_table_without_a_form_fails_and_says_what_to_do(tmp_path: Path) -> None:
    table = BY_NAME["nhis/ranged-combat"]
    with pytest.raises(pytest.fail.Exception, match='make form ARGS="nhis ranged-combat"'):
        form_at(tmp_path / "none.txt", table)


def planted(form: Form, sheet: int, row: int, column: int, text: str) -> Form:
    """Return the form with another text in one cell."""
    rows = [list(cells) for cells in form.sheets[sheet].rows]
    rows[row][column] = text
    changed = form.sheets[sheet]._replace(rows=tuple(map(tuple, rows)))
    return form._replace(sheets=(*form.sheets[:sheet], changed, *form.sheets[sheet + 1 :]))


def without_row(form: Form, sheet: int, row: int) -> Form:
    """Return the form without one of its rows."""
    rows = form.sheets[sheet].rows
    changed = form.sheets[sheet]._replace(rows=(*rows[:row], *rows[row + 1 :]))
    return form._replace(sheets=(*form.sheets[:sheet], changed, *form.sheets[sheet + 1 :]))


ERRORS = [
    ("nhis/ranged-combat", "a figure", lambda it: planted(it, 0, 4, 3, "Damaged -2")),
    ("nhis/ranged-combat", "a blank", lambda it: planted(it, 0, 1, 1, "\u2013")),
    ("nhis/ranged-combat", "a row that is gone", lambda it: without_row(it, 0, 7)),
    ("nhis/move-cost", "one cell for its neighbor", lambda it: planted(it, 0, 12, 1, "2")),
    ("nhis/fire-modifiers", "a sign", lambda it: planted(it, 0, 1, 1, "\u22122")),
    ("nhis/cover", "a grid that is gone", lambda it: it._replace(sheets=it.sheets[:1])),
    ("asl/vs-afv", "a letter", lambda it: planted(it, 1, 1, 1, "A, B, C, E")),
    ("asl/b-gun", "the first value of several", lambda it: planted(it, 0, 2, 4, "LA9")),
    ("asl/b-gun", "a head", lambda it: planted(it, 0, 0, 1, "B11")),
    ("asl/case-jl", "a heading", lambda it: it._replace(
        sheets=(it.sheets[0], it.sheets[1]._replace(heading=""), it.sheets[2]))),
]  # fmt: skip
"""Ten errors as slips of typing or of drawing make them: table, what is planted, and how."""


@pytest.mark.parametrize(("name", "error", "plant"), ERRORS, ids=[error[1] for error in ERRORS])
def test_an_error_planted_in_a_copy_is_caught(name: str, error: str, plant: object) -> None:
    drawn = form_of(BY_NAME[name])
    assert callable(plant)
    assert plant(drawn) != drawn, error
    assert differences(form(name), plant(drawn))
