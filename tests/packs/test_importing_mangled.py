"""Thousands of mangled tables: whatever the importer reads without a question is what was drawn, and
other signs for the same table are read right, asked about or refused.
"""

from __future__ import annotations

import pytest

from bot.packs.check import check_content
from bot.packs.importing import import_tables
from bot.packs.importing.figures import find_named_dice
from bot.rules.errors import UserError
from tests.packs.mangled_tables import differences, mangle, read_back


def fault_of(seed: int) -> str:
    """Return what is wrong with how a mangled table was read, "" if nothing is."""
    table = mangle(seed)
    try:
        made = import_tables(table.text, "club table.txt")
    except UserError:
        return ""
    if len(made.files) != 1:
        return "" if made.questions else f"{len(made.files)} tables"
    dice, results = read_back(made)
    wrong = differences(table, results)
    is_said = find_named_dice(table.corner) or not table.is_damaged
    if dice != table.dice and is_said:
        wrong.append(f"{dice or 'nothing'} is rolled, not {table.dice}")
    if not wrong:
        return ""
    if made.questions and (table.is_damaged or dice == f"{table.dice}?"):
        return ""
    if table.is_damaged and check_content(made.pack("tryout")).faults:
        return ""
    return f"seed {seed}, {', '.join(table.steps)}: {wrong[:3]} {made.questions[:2]}\n{table.text}"


@pytest.mark.parametrize("count", [100, pytest.param(5_000, marks=pytest.mark.thorough)])
def test_no_mangled_table_is_changed_silently(count: int) -> None:
    faults = [fault for seed in range(count) if (fault := fault_of(seed))]
    assert not faults, f"{len(faults)} of {count}:\n" + "\n".join(faults[:5])


def test_most_mangled_tables_are_read() -> None:
    """The fuzz test would say nothing if everything were refused."""
    read = 0
    for seed in range(100):
        table = mangle(seed)
        try:
            import_tables(table.text, "club table.txt")
            read += not table.is_damaged
        except UserError:
            continue
    assert read > 40
