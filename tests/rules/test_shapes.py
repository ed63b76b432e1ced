"""Shapes: how a fault is named. That schemas agree is in tests/packs/test_schema.py."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rules.errors import TableError
from bot.rules.shapes import (
    ANY,
    FLAG,
    NUMBER,
    TEXT,
    TEXT_WITH_UNIT,
    WHOLE,
    WORDS,
    Key,
    Part,
    allow_items,
    allow_words,
    build_name_mapping,
    build_number_mapping,
    check_shape,
    either,
    ref,
)

PARTS = {
    "unit": Part(
        {
            "name": Key(TEXT, "its name"),
            "morale": Key({"type": "integer", "minimum": 1, "maximum": 9}, "its morale"),
            "moves": Key(NUMBER, "how far it moves"),
            "hidden": Key(FLAG, "nobody sees it"),
            "says": Key(TEXT_WITH_UNIT, "its line"),
            "side": Key(allow_words(("red", "blue")), "its side"),
            "marks": Key({**WORDS, "maxItems": 2}, "its markers"),
            "types": Key(either(TEXT, WORDS), "its types"),
            "hits": Key(build_name_mapping(WHOLE, "weapon"), "its hits"),
            "odds": Key(build_number_mapping(NUMBER, "result"), "its odds"),
            "crew": Key(allow_items(ref("unit")), "who is in it"),
            "title": Key({"type": "string", "maxLength": 5}, "its title"),
            "notes": Key(ANY, "anything"),
        },
        ("name",),
    )
}


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ([], "f.yaml: must be a mapping with name"),
        ({"names": "A"}, 'f.yaml: "names" is not known here. Did you mean name?'),
        ({"morale": 3}, "f.yaml: name is missing"),
        ({"name": 7}, "row name: must be a text, not 7: its name"),
        (
            {"name": "A", "morale": 10},
            "row morale: must be a whole number from 1 to 9, not 10: its morale",
        ),
        ({"name": "A", "morale": True}, "row morale: must be a whole number from 1 to 9"),
        ({"name": "A", "moves": "2"}, 'row moves: must be a number, not "2": how far'),
        ({"name": "A", "hidden": 1}, "row hidden: must be true or false, not 1: nobody"),
        ({"name": "A", "says": "Bang"}, 'row says: must be a text with {}, not "Bang": its line'),
        ({"name": "A", "side": "bleu"}, 'row side: "bleu" is not known here. Did you mean blue?'),
        ({"name": "A", "marks": ["a", 1]}, "row marks 2: must be a text"),
        (
            {"name": "A", "marks": ["a", "b", "c"]},
            "row marks: must be a list of texts of at most 2, not a list of 3",
        ),
        (
            {"name": "A", "types": 7},
            "row types: must be a text or a list of texts, not 7: its types",
        ),
        (
            {"name": "A", "hits": ["gun"]},
            "row hits: must be {weapon: whole number}, not a list: its hits",
        ),
        ({"name": "A", "hits": {"gun": "x"}}, "row hits gun: must be a whole number"),
        ({"name": "A", "hits": {True: 1}}, "row hits: quote True: it must be a text"),
        ({"name": "A", "crew": [{"name": "B", "crew": [{}]}]}, "row crew B, crew, 1: name is miss"),
        ({"name": "A", "title": "Sirius"}, "row title: must be a text of at most 5 characters"),
    ],
)
def test_a_fault_is_named_with_its_place_and_what_is_expected(unit: Any, message: str) -> None:
    with pytest.raises(TableError) as refused:
        check_shape(unit, "unit", PARTS, "f.yaml")
    assert message in str(refused.value)


def test_a_key_without_a_value_counts_as_left_out() -> None:
    check_shape({"name": "A", "morale": None, "odds": {1: 2}}, "unit", PARTS, "f.yaml")
