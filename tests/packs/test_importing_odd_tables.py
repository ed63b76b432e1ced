"""Tables as spreadsheets, notes and manuals have them are read right, or asked about: each case of
tests/data/odd_tables.yaml.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.packs.check import check_content
from bot.packs.importing import Imported, import_tables
from bot.packs.importing.headings import normalize_word
from bot.packs.importing.table_draft import make_word
from bot.rules.tables.table import Table
from bot.rulesets.packs.pack import PackSystem
from tests.refusing import refuses

CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "odd_tables.yaml").read_text(encoding="utf-8")
)
NAMES = sorted(CASES)


def tables_of(made: Imported) -> list[Table]:
    """Return the tables that a text became, without a fault."""
    content = made.pack("tryout")
    assert check_content(content).faults == ()
    return list(PackSystem(content).tables.values())


def chances_of(table: Table) -> dict[str, Fraction]:
    """Return how likely each result is, from every throw of the table's dice."""
    if len(table.rolls) == 2:
        throws = [{"tens": tens, "ones": ones} for tens, ones in product(range(1, 7), repeat=2)]
    else:
        (dice,) = table.rolls[0].dice.values()
        faces = [range(1, die.sides + 1) for die in dice]
        throws = [{"roll": sum(throw)} for throw in product(*faces)]
    results = Counter(str(next(iter(table.read(throw).out.values()))) for throw in throws)
    return {result: Fraction(count, len(throws)) for result, count in results.items()}


def check_questions(made: Imported, expected: list[str]) -> None:
    """Assert that each question is expected, and each expected one is asked."""
    for part in expected:
        assert any(part in question for question in made.questions), made.questions
    for question in made.questions:
        assert any(part in question for part in expected), question


@pytest.mark.parametrize("name", NAMES)
def test_an_odd_table_is_read_right_or_asked_about(name: str) -> None:
    case = CASES[name]
    if "refused" in case:
        with refuses("not-a-table") as caught:
            import_tables(case["text"], "our table.csv")
        assert case["refused"] in caught.value.message
        assert case.get("hint", "") in str(caught.value.hint)
        return
    made = import_tables(case["text"], "our table.csv")
    check_questions(made, case.get("asks", []))
    tables = tables_of(made)
    assert [table.title for table in tables] == case.get("tables", [case.get("title", "Our table")])
    if "chances" in case:
        chances = {text: Fraction(chance) for text, chance in case["chances"].items()}
        assert chances_of(tables[0]) == chances
    if "reads" in case:
        assert made.understood == (f"our-table: {case['reads']}",)
    for inputs, result in case.get("look_ups", []):
        assert tables[0].read(inputs).out == {"result": result}


SHORT_HEADINGS = (
    "-2 +2 −2 4- +10 3:1 1-2 (3) 1¹ ½ 1,000 a-b -a- a, b=c O'Brien 'quoted' * § 2.5 -0 N/A ≤3"
)
ODD_HEADINGS = [*SHORT_HEADINGS.split(), "Light woods", "hills, steep", " - ", "x" * 60]


@pytest.mark.parametrize("heading", ODD_HEADINGS)
def test_a_heading_stays_what_it_is_or_is_asked_about(heading: str) -> None:
    """The name of a column reads back as its heading; if more than blanks and case differ, the
    importer asks.
    """
    sheet = f"terrain\t{heading.replace(chr(9), ' ')}\tother words\nwoods\tA\tB\nhills\tB\tC\n"
    made = import_tables(sheet, "odd.csv")
    (text,) = made.files.values()
    columns = yaml.safe_load(text)["read"]["columns"]
    column = str(next(iter(columns[key] for key in ("heads", "from") if key in columns))[0])
    is_same = normalize_word(column) == normalize_word(heading.strip())
    is_asked = any(heading.strip()[:10] in question for question in made.questions)
    assert is_same or is_asked, (column, made.questions)
    sign = re.match(r"[-+−≤]", heading.strip())
    if sign and make_word(heading):
        assert column.startswith(sign[0])
