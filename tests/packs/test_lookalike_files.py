"""Files of phones, spreadsheets and web pages mean the same in every spelling: sheets of tables,
rosters, decks and lists.
"""

from __future__ import annotations

import pytest

from bot.game.roster_file import build_units, read_roster
from bot.packs.importing.detect_format import import_tables
from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key, normalize_name
from bot.rulesets.catalog import find_shared_system
from tests.lookalikes import LOOKALIKES

TABLES = {
    "weather.csv": "2d6,First effect\n2-4,Rain fills O'Hara\n5-9,Wind\n10-12,Off",
    "crt.csv": "1d6,-2,-1,0,+1,+2\n1-3,A-1,A-2,-,D-1,D-2\n4-6,A-1,-,-,D-1,DE",
    "mortar.md": "| d6 | Mortar fi |\n|---|---|\n| 1-2 | A-1 |\n| 3-6 | No effect |",
}
ROSTER = "name,type,side,morale,fp\nO'Brien fi-1,leader,US,5,\nSquad 12,squad,US,4,2"
MARKS = "\n,|"


def spell_cells(text: str, change: str) -> str:
    """Return a sheet with each cell in another spelling; what parts the cells stays as it is."""
    cells: list[str] = [""]
    for sign in text:
        if sign in MARKS:
            cells += [sign, ""]
        else:
            cells[-1] += sign
    return "".join(
        cell if cell in MARKS or set(cell) <= {"-"} else LOOKALIKES[change](cell) for cell in cells
    )


@pytest.mark.parametrize("change", [name for name in LOOKALIKES if name != "upper case"])
@pytest.mark.parametrize("name", TABLES)
def test_a_table_means_the_same_in_every_spelling(name: str, change: str) -> None:
    right = import_tables(TABLES[name], name)
    written = import_tables(spell_cells(TABLES[name], change), name)
    assert len(written.files) == len(right.files)
    for one, other in zip(written.files.values(), right.files.values(), strict=True):
        assert keyed(one) == keyed(other)


def keyed(text: str) -> list[str]:
    """Return the lines of a file by their keys, without quotation marks and remarks of the importer."""
    lines = (comparison_key(line.partition(" #")[0]) for line in text.split("\n"))
    return [line.replace("'", "") for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("change", LOOKALIKES)
def test_a_roster_means_the_same_in_every_spelling(change: str) -> None:
    written = spell_cells(ROSTER, change)
    right, read = (
        build_units(read_roster(text), find_shared_system("lnlt"), str, {}, started=False)
        for text in (ROSTER, written)
    )
    for unit, other in zip(read.values(), right.values(), strict=True):
        assert comparison_key(unit.name) == comparison_key(other.name)
        assert unit.name == normalize_name(unit.name)
        assert (unit.type, unit.numbers) == (other.type, other.numbers)
        assert comparison_key(unit.side) == comparison_key(other.side)


@pytest.mark.parametrize("change", LOOKALIKES)
def test_a_roster_takes_no_name_twice(change: str) -> None:
    again = LOOKALIKES[change]("O'Brien fi-1")
    text = f"{ROSTER}\n{again},leader,US,5,"
    with pytest.raises(UserError, match="is taken"):
        build_units(read_roster(text), find_shared_system("lnlt"), str, {}, started=False)
