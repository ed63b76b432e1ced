"""The roster of every scenario as a phone shows it, in 36 columns: all names differ, alike units
share a line, and no word of a unit is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from bot.game.counter_faces import format_word
from bot.ui.reply.bars import COLUMNS
from bot.ui.reply.unit_table import UnitTable
from tests.playing import Channel

ROOT = Path(__file__).parents[2]
FILES = [*ROOT.glob("tables/*/scenarios/*.yaml"), *ROOT.glob("packs/*/scenarios/*.yaml")]


def pieces(row: tuple[str, ...]) -> Iterator[str]:
    """Yield what a row has to say besides its handle, its name and its columns of numbers."""
    yield from filter(None, (row[3].upper(), *row[4].split(", ")))


def check_table(table: UnitTable) -> None:
    """Assert that a table keeps to its columns, tells all units apart and loses no word."""
    lines = table.format_lines()
    text = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= COLUMNS, lines
    handles = max(line.find(" ") for line in lines if line[:1].isalnum())
    names = [line[:COLUMNS] for line in lines[1:] if line[:1].strip()]
    assert len(names) == len({*names}), "each line differs"
    cells = [re.sub(r"^\S+\s+", "", line) for line in names]
    assert len(cells) == len({*cells}), "also without the handles"
    assert handles > 0
    for row in table.rows:
        for piece in pieces(row):
            assert piece in text, (piece, lines)
        for key, value in zip(table.keys, row[6:], strict=False):
            assert not value or value in text, (key, value, lines)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
async def test_a_roster_fits_a_phone(file: Path, use_packs: Callable[[Path], None]) -> None:
    if file.parts[-4] == "packs":
        use_packs(file.parents[1])
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {file.parts[-3]} scenario={file.stem}")
    shown = await channel.do("Anna", "unit list")
    tables = [part for part in shown.lines if isinstance(part, UnitTable)]
    assert tables
    for table in tables:
        print("\n".join(table.format_lines()))
        check_table(table)


def test_alike_units_share_a_line_until_one_of_them_is_hurt() -> None:
    rows = [
        (f"us{n}", f"GI {n}", "soldier", "wounded" if n == 5 else "", "rifle-semi", "", "4")
        for n in range(1, 13)
    ]
    table = UnitTable("US · Anna", ("morale",), tuple(rows))
    names = [" ".join(line.split()) for line in table.format_lines()[1:]]
    assert names[0] == "us1-4 GI 1-4 rifle-semi 4"
    assert names[1].startswith("us5 GI 5 WOUNDED")
    assert names[-1] == "us6-12 GI 6-12 rifle-semi 4"
    check_table(table)


def test_what_has_no_room_goes_to_a_line_of_its_own() -> None:
    row = ("vc5", "Rocket Team with a long name", "team", "", "penetration 5, he 2", "", "4", "1")
    table = UnitTable("VC", ("morale", "fp"), (row,))
    assert table.format_lines()[-1].strip() == "penetration 5, he 2"
    check_table(table)


def test_a_long_name_reaches_into_the_blanks_before_the_first_number() -> None:
    rows = (
        ("germ1", "Captured Tank", "vehicle", "", "hull 6", "", "11", "13"),
        ("germ10", "Fw Kranz", "leader", "", "", "", "12", "14"),
    )
    table = UnitTable("German", ("firearms", "morale"), rows)
    lines = table.format_lines()
    assert lines[1].split() == ["germ1", "Captured", "Tank", "11", "13"]
    ends = [line.rindex(number) for line, number in zip(lines[1::2], ("13", "14"), strict=False)]
    assert len({*ends}) == 1, "numbers stay below each other"
    check_table(table)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
async def test_a_unit_in_good_order_has_the_word_of_its_game(
    file: Path, use_packs: Callable[[Path], None]
) -> None:
    """Never a word that is no state of the game, and none that other types of units have."""
    if file.parts[-4] == "packs":
        use_packs(file.parents[1])
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {file.parts[-3]} scenario={file.stem}")
    shown = await channel.do("Anna", "unit list")
    units = yaml.safe_load((file.parents[1] / "game.yaml").read_text("utf-8"))["units"]
    words = {format_word(state) for state in units.get("well") or units["states"][:1]}
    for table in shown.lines:
        if isinstance(table, UnitTable):
            assert {table.get_normal_state(row) for row in table.rows} <= words
