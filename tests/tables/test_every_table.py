"""Every table of every game: each declared input value is answered or refused by rule, each
output is declared.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.packs.linter import is_declared, list_situations
from bot.rules.errors import UserError
from bot.rules.tables.table import Table
from bot.rulesets.catalog import load_shared_systems

TABLES = [(game.id, id) for game in load_shared_systems().values() for id in game.tables]


def read_or_refuse(table: Table, given: dict[str, Any]) -> Any:
    """The outputs, or None where the card refuses these inputs by rule; a hole in the grid is no
    rule.
    """
    try:
        return table.read(given).out
    except UserError as error:
        refusal = error
    hole = "not on the card" in refusal.message and not table.refuse and not table.rolls
    if hole:
        raise refusal
    return None


@pytest.mark.parametrize(
    ("game", "name"), TABLES, ids=[f"{game}-{table}" for game, table in TABLES]
)
def test_every_cell_is_answered_or_refused_by_rule(game: str, name: str) -> None:
    table = load_shared_systems()[game].find_table(name)
    answered = 0
    for given in list_situations(table):
        out = read_or_refuse(table, given)
        if out is None:
            continue
        answered += 1
        for name, value in out.items():
            assert is_declared(value, table.outputs[name]), (given, name, value)
    assert answered, "no combination of inputs has an answer"


@pytest.mark.parametrize(
    ("game", "name"), TABLES, ids=[f"{game}-{table}" for game, table in TABLES]
)
def test_every_table_says_what_it_is(game: str, name: str) -> None:
    table = load_shared_systems()[game].find_table(name)
    assert table.title
    assert table.source
    assert table.summary, "players read the summary in help"
    assert len(table.summary) <= 100
    assert table.read(table.example).out, "its example is shown in help"
