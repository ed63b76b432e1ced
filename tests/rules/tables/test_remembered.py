"""Tables remember their latest answers; what merely looks equal to a question is asked anew."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rules.errors import UserError
from bot.rules.tables import table as tables
from bot.rules.tables.formula import compile_formula
from bot.rulesets.catalog import find_shared_system


@pytest.fixture
def melee(monkeypatch: pytest.MonkeyPatch) -> tables.Table:
    """The melee odds, with room for two answers."""
    monkeypatch.setattr(tables, "MAX_CACHED", 2)
    found = find_shared_system("lnlt").find_table("melee-odds")
    for name in ("_answer_cache", "_column_cache"):
        monkeypatch.delitem(found.__dict__, name, raising=False)
    return found


def kept(memory: Any) -> int:
    """How many are remembered."""
    return int(memory.cache_info().currsize)


def test_the_same_question_is_answered_once(melee: tables.Table) -> None:
    first = melee(attack=7, defense=5)
    assert melee(attack=7, defense=5) is first
    assert first["odds"] == "3-2"


def test_what_is_equal_but_of_another_kind_is_asked_anew(melee: tables.Table) -> None:
    """1 == True == 1.0 in Python, not on a card."""
    assert melee(attack=1, defense=5)["odds"]
    with pytest.raises(UserError):
        melee(attack=True, defense=5)
    with pytest.raises(UserError):
        melee(attack=1, defense=5, extra=1)


def test_no_more_than_so_many_are_kept(melee: tables.Table) -> None:
    for attack in range(1, 9):
        melee(attack=attack, defense=5)
        assert kept(melee._answer_cache) <= 2


def test_a_refusal_is_not_remembered(melee: tables.Table) -> None:
    for _ in range(2):
        with pytest.raises(UserError):
            melee(attack="seven", defense=5)
    assert kept(melee._answer_cache) == 0


def test_a_formula_reads_the_values_before_the_functions_of_the_same_name() -> None:
    names = {"reach", "fp", "from"}
    assert (
        compile_formula("reach + fp if fp else from_", names, "x")({"reach": 2, "fp": 3, "from": 9})
        == 5
    )
    assert compile_formula("reach([4, 8], fp)", names, "x")({"fp": 5}) == 1
    assert compile_formula("fp in ['a', 'b']", names, "x")({"fp": "b"}) is True


def test_a_column_is_one_output_of_the_answers_one_by_one(melee: tables.Table) -> None:
    column = melee.get_column("odds", attack=range(1, 9), defense=5)
    assert column == tuple(melee(attack=attack, defense=5)["odds"] for attack in range(1, 9))
    assert melee.get_column("odds", attack=range(1, 9), defense=5) is column
    assert melee.get_column("odds", defense=5, attack=range(4, 5)) == column[3:4]


def test_no_more_columns_than_so_many_are_kept(melee: tables.Table) -> None:
    for defense in range(1, 9):
        melee.get_column("odds", attack=range(1, 4), defense=defense)
        assert kept(melee._column_cache) <= 2


def test_a_column_off_the_card_is_refused_and_not_remembered(melee: tables.Table) -> None:
    with pytest.raises(UserError):
        melee.get_column("odds", attack=range(-1, 4), defense=5)
    for wrong in (
        {"attack": 1, "defense": 5},
        {"attack": range(2), "defense": range(2)},
        {"attack": [1, 2]},
    ):
        with pytest.raises(TypeError):
            melee.get_column("odds", **wrong)
    assert kept(melee._column_cache) == 0
