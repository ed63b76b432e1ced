"""Table files: what is refused at load, with file, row and column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bot.rules.errors import TableError
from bot.rules.tables.axis import build_heading_axis
from bot.rules.tables.compile import check_examples, compile_table
from bot.rules.tables.formula import compile_formula
from bot.rules.tables.table import Table
from tests.refusing import refuses

CARD: Mapping[str, Any] = {
    "id": "x/fire",
    "title": "Fire",
    "source": "6.2",
    "group": "combat",
    "kind": "roll",
    "inputs": {
        "firepower": {"type": "int", "min": 0, "max": 40},
        "roll": {"type": "int", "min": 2, "max": 12},
    },
    "outputs": {"result": ["none", "hit"]},
    "results": {"-": "none", "H": "hit"},
    "rolls": {"roll": "2d6"},
    "read": {
        "rows": "roll",
        "columns": {"by": "firepower", "from": [1, 4]},
        "off_card": "columns",
        "cells": {"2-7": ["-", "H"], "8+": ["H", "H"]},
    },
}


def load(**changes: Any) -> Table:
    return compile_table(
        {**CARD, **changes}, file="x/fire.yaml", system="x", lists={"light": ("day", "night")}
    )


def read_with(**changes: Any) -> dict[str, Any]:
    return {**CARD["read"], **changes}


def test_reads_like_the_card() -> None:
    table = load()
    assert table.read({"firepower": 3, "roll": 7}).out == {"result": "none"}
    assert table.read({"firepower": "4", "roll": "7"}).out == {"result": "hit"}
    assert table.read({"firepower": 40, "roll": 12}).out == {"result": "hit"}
    assert table(firepower=0, roll=2)["result"] == "none"


def test_a_missing_roll_is_owed() -> None:
    ((name, dice),) = load().list_needed_rolls({"firepower": 3})
    assert (name, len(dice), dice[0].sides) == ("roll", 2, 6)
    assert load().list_needed_rolls({"firepower": 3, "roll": 7}) == ()
    with refuses("missing roll"):
        load().read({"firepower": 3})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"read": read_with(cells={"2-7": ["-", "H"], "9+": ["H", "H"]})},
            "nothing answers roll 8",
        ),
        ({"read": read_with(cells={"2-7": ["-", "H"], "7+": ["H", "H"]})}, "overlaps"),
        (
            {"read": read_with(cells={"2-7": ["-"], "8+": ["H", "H"]})},
            "row 2-7: has 1 cell for 2 columns",
        ),
        (
            {"read": read_with(cells={"2-7": ["-", "X"], "8+": ["H", "H"]})},
            "row 2-7, column 2: result has no value 'X'",
        ),
        (
            {"read": read_with(columns={"by": "firepower", "from": [4, 1]})},
            "are not in ascending order",
        ),
        ({"read": read_with(columns={"by": "nothing", "from": [1, 4]})}, "names nothing"),
        ({"kind": "chart"}, "kind chart is unknown"),
        ({"extra": 1}, "unknown keys extra"),
        ({"source": ""}, "source is missing"),
        ({"rolls": {}}, "lists its dice"),
        ({"rolls": {"roll": "2x6"}}, "has no dice"),
        ({"refuse": [{"when": "__import__('os')", "say": "x"}]}, "names __import__"),
        ({"refuse": [{"when": "roll.__class__", "say": "x"}]}, "Attribute, which is not allowed"),
        ({"refuse": [{"when": "[x for x in (1,)]", "say": "x"}]}, "not allowed"),
        ({"derive": {"y": "roll +"}}, "cannot be read"),
        ({"refuse": [{"when": "roll = 7", "say": "x"}]}, "; == compares"),
        ({"refuse": [{"when": "hit == 7", "say": "x"}]}, "Quote a word: 'hit'"),
        (
            {"outputs": {"result": ["none", "hit", "rol"]}, "derive": {"y": "rol"}},
            "Quote a word: 'rol'",
        ),
        ({"inputs": {"roll": {"type": "enum", "values": [1, 2]}}}, "quote them"),
        (
            {"inputs": {"roll": {"type": "enum", "values": "ground"}}},
            "no list ground. Its lists are light",
        ),
        (
            {"inputs": {"roll": {"type:int": None}}},
            'no key "type:int". Put a space after the colon.',
        ),
        ({"inputs": {"roll": {"type": "int", "mim": 2}}}, 'no key "mim". Did you mean min?'),
    ],
)
def test_a_wrong_file_names_file_row_and_column(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TableError) as caught:
        load(**changes)
    assert str(caught.value).startswith("x/fire.yaml")
    assert message in str(caught.value)


def test_examples_must_hold() -> None:
    wrong = [{"given": {"firepower": 3, "roll": 7}, "gives": {"result": "hit"}}]
    with pytest.raises(TableError, match="example 1 gives result 'none', not 'hit'"):
        check_examples(load(), {"examples": wrong}, "x/fire.yaml")


@pytest.mark.parametrize(
    ("total", "said"), [("shiftt", "Did you mean shift?"), ("die", "The outputs are shift.")]
)
def test_a_modifier_adds_only_to_outputs(total: str, said: str) -> None:
    modifiers = {
        "kind": "modifiers", "read": None, "results": None, "rolls": None,
        "outputs": {"shift": "int", "parts": "list"},
        "rows": [{"id": "smoke", "name": "Smoke", "adds": {total: -1}}],
    }  # fmt: skip
    with pytest.raises(TableError, match=r"row smoke: adds to .* which is not an output") as caught:
        load(**modifiers)
    assert said in str(caught.value)


def test_modifiers_name_each_row_that_counts() -> None:
    table = compile_table(
        {
            "id": "x/mods", "title": "Mods", "source": "7", "group": "combat", "kind": "modifiers",
            "inputs": {"smoke": {"type": "bool"}, "tis": {"type": "bool"}, "from": {"type": "int", "default": 0}},
            "outputs": {"total": "int", "parts": "list"},
            "rows": [
                {"id": "smoke", "name": "out of smoke", "when": "smoke and not tis", "adds": {"total": -1}},
                {"id": "from", "name": "distance", "adds": {"total": "-from_ * 2"}},
            ],
        },
        file="x/mods.yaml", system="x", lists={},
    )  # fmt: skip
    answer = table.read({"smoke": True, "from": 2})
    assert answer.out == {
        "total": -5,
        "parts": [{"id": "smoke", "value": -1}, {"id": "from", "value": -4}],
    }
    assert [part.name for part in answer.parts] == ["out of smoke", "distance"]
    assert table.read({"mods": "smoke tis"}).out == {"total": 0, "parts": []}
    with refuses("given-twice smoke"):
        table.read({"mods": "smoke", "smoke": True})


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("text", ["-" * 500 + "1", "not " * 490 + "1"])
def test_a_formula_that_goes_too_deep_is_a_fault_like_any_other(text: str, bounded: bool) -> None:
    with pytest.raises(TableError, match="nested too deep"):
        compile_formula(text, set(), "x/fire.yaml", bounded=bounded)


@pytest.mark.parametrize(
    ("value", "column"), [(0.5, None), (1, 0), (2, 0), (2.5, 0), (3, 1), (5.99, 1), (6, 2), (60, 2)]
)
def test_a_column_goes_up_to_the_next_one_also_for_decimals(
    value: float, column: int | None
) -> None:
    assert build_heading_axis((1, 3, 6), meaning="from", clamp=False).find(value) == column
