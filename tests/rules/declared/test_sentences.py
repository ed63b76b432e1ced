"""Sentences, tables and inputs of declared sequences: what formulas say of them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Declared, Library, build_values
from bot.rules.declared.formula_functions import MOST_TEXT, TableReader
from bot.rules.dice import Script
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Play, play
from bot.rules.tables.compile import compile_table

INPUTS = (
    Option("unit", "unit", optional=True),
    Option("cover", "int", optional=True),
    Option("night", "bool", default=False),
    Option("mods", "mods", values=("rain", "flank")),
)
FIRE = compile_table(
    {
        "id": "test/fire",
        "title": "Fire",
        "source": "none",
        "group": "all",
        "kind": "reference",
        "inputs": {"night": {"type": "bool"}, "roll": {"type": "int", "min": 1, "max": 6}},
        "outputs": {"value": "int"},
        "then": {"value": "roll - (1 if night else 0)"},
    },
    file="test/fire.yaml",
    system="test",
    lists={},
)


def one_line(said: str) -> Declared:
    """A sequence that rolls a die and says so."""
    step = {"roll": {"die": "1d6"}, "let": {"row": "fire(night=night, roll=die)"}, "headline": said}
    head = SequenceHead(INPUTS, {"value": "int"}, "")
    setting = Setting("test.yaml", tables={"fire": FIRE})
    return Library(
        {"sequences": {"test": {"steps": [step]}}}, setting, {"test": head}
    ).load_sequence("test")


def played(said: str, face: int = 4, **values: Any) -> Play:
    unit = values.pop("unit", None)
    given = Given(
        {"cover": None, "night": False, "mods": (), **values}, {}, {"unit": unit} if unit else {}
    )
    return play(one_line(said).plan(given), Script([face]))


@pytest.mark.parametrize(
    ("said", "values", "read"),
    [
        ("{unit} at {die}, {row.value}", {"unit": Unit("US Squad 3", "squad")}, "US Squad 3 at 4, 4"),
        ("{unit}: {row.value} ({night})", {"night": True}, "none: 3 (True)"),
        ("{unit.name} {unit.state}", {"unit": Unit("Leader", "leader", name="Sgt. Rock", state="shaken")},
         "Sgt. Rock shaken"),
        ("{unit.type}{cover}", {"cover": 2}, "none2"),
        ("{cover} {rain} {flank}", {"mods": ("flank",)}, "none False True"),
        ("{text('x', 1, true)}", {}, "x1True"),
        ("{cover}", {}, ""),
    ],
)  # fmt: skip
def test_a_sentence_names_units_and_numbers(said: str, values: dict[str, Any], read: str) -> None:
    assert played(said, **values).resolution.headline == read


def test_a_sentence_is_cut_where_it_is_too_long() -> None:
    unit = Unit("x" * MOST_TEXT, "squad")
    assert len(played("{unit} and {unit}", unit=unit).resolution.headline) == MOST_TEXT


def test_a_table_gives_the_same_row_to_the_same_question() -> None:
    fire = TableReader({"fire": FIRE}, "fire")
    asked = fire.by(("night", "roll"))
    assert asked(True, 3) is fire.by(("night", "roll"))(True, 3)
    assert asked(False, 3) is not asked(0, 3), "0 is no False"
    assert asked(True, 3).out == {"value": 2}


def test_inputs_have_the_values_that_are_typed_or_none() -> None:
    squad = Unit("squad", "squad")
    given = Given(
        {"cover": 2, "night": False, "mods": ("rain", "night")},
        {},
        {"unit": squad},
        frozenset({"cover"}),
    )
    read = ("rain", "cover", "unit", "night", "cover_typed", "flank")
    assert [build_values(INPUTS, given, {})[name] for name in read] == [
        True,
        2,
        squad,
        True,
        True,
        False,
    ]
    blank = build_values(INPUTS, Given({"cover": None, "night": False, "mods": ()}), {})
    assert [blank[name] for name in read] == [False, "none", "none", False, False, False]
