"""`grognard export-table`: a table as a sheet, which the importer reads back cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bot.__main__ import main
from bot.packs.check import check_content
from bot.packs.csv_export import format_csv
from bot.packs.importing import import_tables
from bot.rules.tables.printed_edges import list_bodies
from bot.rulesets.system import list_builtin_systems
from tests.refusing import refuses

TABLES = {
    f"{id}/{name}": table
    for id, system in list_builtin_systems().items()
    for name, table in system.tables.items()
}
ONE = [
    name
    for name, table in TABLES.items()
    if sum("cells" in body for body in list_bodies(table.printed)) == 1
]
FAULTS = {"baps/flame-thrower": "each row has bands of its own"}
"""Of the tables of the house: those that come back otherwise, and why."""


def cells(printed: dict[str, object]) -> list[list[str]]:
    """The cells of a table, row by row, as they would be read aloud."""
    (body,) = [body for body in list_bodies(printed) if "cells" in body]
    rows = [row if isinstance(row, list) else [row] for row in body["cells"].values()]
    return [
        [" / ".join(map(said, cell)) if isinstance(cell, list) else said(cell) for cell in row]
        for row in rows
    ]


def said(cell: object) -> str:
    return {"True": "yes", "False": "no", "None": "-"}.get(
        str(cell), " ".join(str(cell).split())
    ) or "-"


def test_most_tables_of_the_house_are_sheets() -> None:
    assert len(ONE) > 100


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", ONE)
def test_a_table_of_the_house_comes_back_cell_by_cell(name: str) -> None:
    table = TABLES[name]
    made = import_tables(format_csv(table), f"{table.id}.csv")
    (text,) = made.files.values()
    there, back = cells(dict(table.printed)), cells(yaml.safe_load(text))
    assert back in (there, [list(row) for row in zip(*there, strict=True)])
    assert bool(check_content(made.pack("tryout")).faults) == (name in FAULTS)


def test_a_modifier_list_and_a_table_of_several_bodies_are_sheets_too() -> None:
    modifiers = next(table for table in TABLES.values() if table.printed["kind"] == "modifiers")
    first, second, *_ = format_csv(modifiers).splitlines()
    assert first.startswith("modifier,when,")
    assert modifiers.printed["rows"][0]["name"] in second
    several = next(
        table
        for table in TABLES.values()
        if sum("cells" in body for body in list_bodies(table.printed)) > 1
    )
    assert "\n\n" in format_csv(several)


def test_a_table_of_formulas_alone_is_none() -> None:
    formulas = next(
        table
        for table in TABLES.values()
        if table.printed["kind"] != "modifiers"
        and not any("cells" in body for body in list_bodies(table.printed))
    )
    with refuses("not-a-table"):
        format_csv(formulas)


def test_the_command_prints_it_or_writes_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export-table", "lnlt", "dct"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("band \\ unit,good-order-mmc,")
    assert main(["export-table", "lnlt", "dct", "-o", str(tmp_path / "dct.csv")]) == 0
    assert (tmp_path / "dct.csv").read_text(encoding="utf-8") == printed
    assert "wrote" in capsys.readouterr().out
    assert main(["export-table", "lnlt", "dtc"]) == 2
    assert main(["export-table", "lnlt", "dct", "-o", str(tmp_path / "no" / "dct.csv")]) == 2


def test_what_was_imported_goes_back_as_it_came(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], use_packs: Callable[[Path], None]
) -> None:
    sheet = "2d6 \\ odds,1-1,2-1,3-1\n2-5,AE,AR,NE\n6-9,AR,NE,DR\n10-12,NE,DR,DE\n"
    (tmp_path / "crt.csv").write_text(sheet, encoding="utf-8")
    assert main(["import", str(tmp_path / "crt.csv"), "--pack", str(tmp_path / "few-acres")]) == 0
    capsys.readouterr()
    use_packs(tmp_path / "few-acres")
    assert main(["export-table", "few-acres", "crt"]) == 0
    assert capsys.readouterr().out == sheet
