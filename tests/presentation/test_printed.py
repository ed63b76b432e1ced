"""A table shown is the table of its card: all values of a cell, each modifier with its number."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bot.charts.sheet import build_layout
from bot.packs.linter import list_values
from bot.presentation.printed_table import get_printed_table
from bot.presentation.tables import build_lookup_reply, build_whole_table_reply
from bot.rules.errors import UserError
from bot.rules.tables.print_pattern import fill_pattern
from bot.rules.tables.table import Doubt, Table
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.ui.reply.parts import Small
from tests.playing import Channel
from tools.game_pages.page import build_page

TABLES = [table for game in load_shared_systems().values() for table in game.tables.values()]
NOT_ON_A_CARD = re.compile(r"\b(varies|None|True|False|its number)\b")


def grid_texts(table: Table) -> list[str]:
    """Return all heads and cells of a table, of the text and of the picture."""
    texts = [
        cell for sheet in get_printed_table(table).sheets for row in sheet.rows for cell in row
    ]
    for block in build_layout(table).blocks:
        texts += [cell for row in block.grid for cell in row]
    return texts


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.system}/{table.id}")
def test_no_whole_view_holds_a_word_of_the_program(table: Table) -> None:
    for text in grid_texts(table):
        assert not NOT_ON_A_CARD.search(text), text


@pytest.mark.parametrize("game", load_shared_systems())
def test_no_docs_of_a_table_hold_a_word_of_the_program(game: str) -> None:
    rows = [
        line
        for line in build_page(load_shared_systems()[game]).split("\n")
        if line.startswith("| ")
    ]
    for row in rows:
        assert not NOT_ON_A_CARD.search(row), row


CELLS = [
    ("asl", "vs-afv", 1, "unmarked ground", "CT CE", "A, B, C, D"),
    ("asl", "vs-afv", 1, "unmarked upper", "OT BU, OT CE", "A OT, B, C"),
    ("asl", "vs-ovr", 1, "unmarked", "CT BU after", "C or G"),
    ("asl", "vs-ovr", 1, "concealed", "CT BU before", "E and/or B"),
    ("asl", "vs-ovr", 1, "concealed", "CE OT before", "E and/or A or B"),
    ("asl", "vs-ovr", 1, "final fire", "CE OT before", "-"),
    ("asl", "sw-phase", 0, "rally", "transfer", "A, T"),
    ("asl", "sw-phase", 0, "rally", "recovery", "B, E"),
    ("asl", "sw-phase", 0, "friendly MPh", "transfer", "T, G"),
    ("asl", "mp-cost", 0, "BU FT, BU HT", "open ground", "2[1] -- 1"),
    ("asl", "mp-cost", 0, "CE AC", "open ground", "4[1] -- 3"),
    ("asl", "b-sw", 0, "Inexp. only", "B10", "B9, X10"),
    ("asl", "b-sw", 0, "Inexp. only", "X10", "X9"),
    ("asl", "b-gun", 0, "no condition", "circled B9", "LA9, B12, X n/a"),
    ("asl", "b-gun", 0, "one of IF, Capt., Non-Qual.", "B11", "B9, X11"),
    ("asl", "wp-mods", 0, "woods", "indirect", "TH 0, MC +1"),
    ("asl", "melee-actions", 0, "movement", "mobile in motion", "Infantry may leave; AFV TPBF, may leave *5"),
    ("asl", "rfp-hindrance", 0, "residual FP", "target location", "DRM, FFMO applies"),
    ("baps", "vehicle-movement", 0, "very light", "quickly", '50-100"'),
    ("baps", "artillery-delay", 1, "pre planned", "can see: yes", "lay n, fire n+1, impact n+2"),
    ("baps", "vehicle-to-hit", 0, "medium", "3", '600.1-900"'),
    ("baps", "vehicle-to-hit", 0, "machine gun", "5", '300"+'),
    ("baps", "vehicle-to-hit", 1, "Roll to Hit", "4", "17-20"),
    ("baps", "vehicle-actions", 2, "any other", "exclusive", "no"),
    ("nhis", "terrain", 0, "foxhole", "example hex", "–"),
    ("baps", "at-to-hit", 0, "AT rifle", "4", '180.1-240"'),
    ("baps", "special-weapons", 2, '120.1-600"', "first shot", "10-20, scatter 3d10"),
    ("baps", "random-orders", 0, "1", "bad morale", "attempt to surrender ‡"),
    ("nhis", "morale-fail", 0, "shaken", "shakeable", "reduced, remains shaken"),
    ("nhis", "damaged-effect", 0, "shaken", "no damage point", "remains shaken"),
    ("asl", "sw-use", 0, "Sustained Fire", "TH DRM", "N/A"),
    ("asl", "sw-use", 0, "inexperienced", "ROF", "NE"),
    ("asl", "gun-use", 0, "Intensive Fire", "ROF", "N/A"),
    ("nhis", "fire-modifiers", 0, "infantry against a tank", "shift", "2 columns left"),
    ("nhis", "fire-modifiers", 0, "each unit beyond its printed range", "total", "½"),
    ("nhis", "fire-modifiers", 0, "charging", "total", "−2 each"),
    ("ucn", "vehicle-modifiers", 0, "target moving", "adds", "+4 / −4"),
    ("ucn", "vehicle-modifiers", 0, "target fired its main weapon", "adds", "+6 / 0"),
    ("ucn", "vehicle-modifiers", 0, "attacking vehicle moving", "adds", "+4 / −10"),
    ("ucn", "assault-modifiers", 0, "SMGs", "adds", "+4 each"),
    ("ucn", "morale-modifiers", 0, "Suppression markers", "adds", "−6 each"),
    ("lnlt", "melee-kill", 0, "kill", "3-2", "7"),
    ("lnlt", "oft-mods", 0, "vehicle assault", "adds", "+2 / +1 modern"),
]  # fmt: skip
"""Cells as the cards print them: game, table, part of it, row, column, cell."""


@pytest.mark.parametrize(("game", "name", "part", "row", "column", "cell"), CELLS)
def test_a_cell_is_shown_as_its_card_prints_it(
    game: str, name: str, part: int, row: str, column: str, cell: str
) -> None:
    heads, *rows = get_printed_table(find_shared_system(game).find_table(name)).sheets[part].rows
    (line,) = (cells for cells in rows if cells[0] == row)
    assert line[heads.index(column)] == cell


@pytest.mark.parametrize(("game", "name", "part", "row", "column", "cell"), CELLS)
def test_the_picture_has_the_cell_of_the_text(
    game: str, name: str, part: int, row: str, column: str, cell: str
) -> None:
    cells = [
        text
        for block in build_layout(find_shared_system(game).find_table(name)).blocks
        for row in block.cells
        for text in row
    ]
    assert cell in cells


@pytest.mark.parametrize(
    "table",
    [table for table in TABLES if table.modifiers],
    ids=lambda table: f"{table.system}/{table.id}",
)
async def test_a_modifier_table_with_nothing_given_is_shown_whole(table: Table) -> None:
    reply = await (await Channel.fresh()).do("Anna", f"{table.system}-table {table.id}")
    assert (reply.private, reply.error) == (True, False)
    for row in table.printed["rows"]:
        assert row["name"].split()[0] in reply.format_text()


DOUBTFUL = [(table, doubt) for table in TABLES for doubt in table.unsure if doubt.when is not None]
MOST_TRIES = 20_000


@pytest.mark.slow_sample(30)
@pytest.mark.parametrize(
    ("table", "doubt"), DOUBTFUL, ids=lambda it: it.id if isinstance(it, Table) else it.where
)
def test_an_answer_that_rests_on_a_lost_cell_says_so(table: Table, doubt: Doubt) -> None:
    """The doubt stands under a look-up that it is about, and not under another."""
    shown = dict[bool, bool]()
    for given in random_look_ups(table):
        answer, values = table.answer_with_values(given)
        is_about = doubt.concerns(values)
        if is_about not in shown:
            lines = build_lookup_reply(table, given, answer).lines
            shown[is_about] = Small(doubt.text) in lines
        if len(shown) == len((True, False)):
            break
    assert shown.get(True), "no look-up shows it"
    assert not shown.get(False)


def random_look_ups(table: Table) -> Iterator[dict[str, Any]]:
    """Yield inputs that the table answers, drawn by its name so that each run has the same."""
    draw = random.Random(table.id)
    domains = {option.name: list(list_values(option)) for option in table.inputs}
    for option in table.inputs:
        if option.type == "number":
            domains[option.name] += [number / 2 for number in range(2, 40)]
    for _ in range(MOST_TRIES):
        given = {name: draw.choice(values) for name, values in domains.items()}
        try:
            table.read(given)
        except UserError:
            continue
        yield given


def test_footnotes_stand_under_the_table() -> None:
    reply = build_whole_table_reply(find_shared_system("lnlt").find_table("dct"), "/help")
    texts = [part.text for part in reply.lines if isinstance(part, Small)]
    assert any("With morale 1, the second band is empty." in text for text in texts)


@pytest.mark.parametrize(
    ("pattern", "values", "text"),
    [
        ("{enter}[{extra}] -- {exit}", {"enter": 2, "extra": 1, "exit": 1}, "2[1] -- 1"),
        ("{+th}, {+mc}", {"th": 2, "mc": 0}, "+2, 0"),
        ("<B{b}><, X{x}>", {"b": 9, "x": "none"}, "B9"),
        ("<B{b}><, X{x}>", {"b": "none", "x": 10}, "X10"),
        ("X{x| n/a}", {"x": "none"}, "X n/a"),
        ("{held}< *{note?}>", {"held": "held", "note": 0}, "held"),
        ("<may leave{leave}>", {"leave": True}, "may leave"),
        ("{letters: and/or, or}", {"letters": ["E", "A", "B"]}, "E and/or A or B"),
        ("{letters|-: or}", {"letters": ["none"]}, "-"),
        ("{n+call}, {n+fire}", {"call": 0, "fire": 2}, "n, n+2"),
        ("{to.1}-{to.2}", {"to": [15, 60]}, "15-60"),
    ],
)
def test_a_pattern_prints_what_a_cell_has(pattern: str, values: dict[str, Any], text: str) -> None:
    assert fill_pattern(pattern, values, str) == text
