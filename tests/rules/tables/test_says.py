"""The headline of a table, `says`: what it may be made of, and which slips are found on loading."""

from __future__ import annotations

from typing import Any

import pytest

from bot.presentation.tables import format_lookup_headline
from bot.rules.errors import TableError
from bot.rules.tables.compile import check_examples, compile_table
from bot.rules.tables.table import Table

VOLLEY: dict[str, Any] = {
    "id": "volley",
    "title": "Volley",
    "source": "an example",
    "group": "combat",
    "kind": "grid",
    "inputs": {"roll": {"type": "int", "min": 1, "max": 4}},
    "outputs": {
        "hits": "int",
        "drm": "int",
        "effect": ["none", "pinned-down", "flees"],
        "lost": "list",
        "text": "text",
    },
    "constants": {"spoken": {"flees": "it runs"}},
    "read": {
        "rows": "roll",
        "gives": ["hits", "drm", "effect", "lost"],
        "cells": {
            1: [0, 0, "none", []],
            2: [1, -1, "pinned-down", ["gun"]],
            3: [2, 1, "flees", ["gun", "mule"]],
            4: [2, 0, "none", ["gun", "mule", "half-track"]],
        },
    },
    "texts": {"1": "All is quiet. Nobody stirs.", "2": "It lies down."},
    "text_by": "roll",
}


def volley(says: object, **more: object) -> Table:
    data = {**VOLLEY, "says": says, **more}
    return compile_table(data, file="club/volley.yaml", system="club", lists={}, bounded=True)


def headline(says: object, roll: int) -> str:
    table = volley(says)
    return format_lookup_headline(table, {"roll": roll}, table.read({"roll": roll}))


@pytest.mark.parametrize(
    ("says", "roll", "sentence"),
    [
        ("{hits} hit{|s}", 2, "1 hit"),
        ("{hits} hit{|s}", 3, "2 hits"),
        ("{hits} hit{|s}{, {+drm} to morale when drm}", 2, "1 hit, −1 to morale"),
        ("{hits} hit{|s}{, {+drm} to morale when drm}", 4, "2 hits"),
        ("the squad is {effect}", 2, "The squad is pinned down"),
        ("{spoken[effect] if effect in spoken else effect}", 3, "It runs"),
        ("lost: {joined(lost)}", 4, "Lost: gun, mule and half track"),
        ("lost: {joined(lost, 'or')}", 3, "Lost: gun or mule"),
        ("lost: {joined(lost, 'and/or, or')}", 4, "Lost: gun and/or mule or half track"),
        ("{article(lost[0])} is lost", 2, "A gun is lost"),
        ("{first_sentence(text)}", 1, "All is quiet"),
        ("{text}", 2, "It lies down"),
        ([{"when": "effect == 'none'", "say": "all is well"}, "{effect}"], 1, "All is well"),
        ([{"when": "effect == 'none'", "say": "all is well"}, "{effect}"], 3, "Flees"),
    ],
)
def test_a_headline_is_written_from_the_answer(says: object, roll: int, sentence: str) -> None:
    assert headline(says, roll) == sentence


@pytest.mark.parametrize(
    ("says", "roll", "listed"),
    [
        (None, 2, "Hits 1, drm −1, effect pinned down, lost gun"),
        (None, 1, "All is quiet. Nobody stirs."),
        ([{"when": "hits > 5", "say": "a slaughter"}], 3, "Hits 2, drm 1, effect flees, lost gun, mule"),
        ("{lost[7]}", 3, "Hits 2, drm 1, effect flees, lost gun, mule"),
    ],
)  # fmt: skip
def test_without_a_sentence_that_fits_the_outputs_that_say_something_are_listed(
    says: object, roll: int, listed: str
) -> None:
    assert headline(says, roll) == listed


@pytest.mark.parametrize(
    ("outputs", "cell", "listed"),
    [
        ({"result": ["none", "hit"]}, "none", "No effect"),
        ({"losses": "int"}, 0, "Losses 0"),
        ({"moves": "bool"}, False, "Moves: no"),
        ({"marker": ["none", "smoke"]}, "none", "No marker"),
    ],
)
def test_an_answer_of_nothing_still_says_so(
    outputs: dict[str, Any], cell: object, listed: str
) -> None:
    read = {"rows": "roll", "cells": {"1-4": cell}}
    table = volley(None, outputs=outputs, read=read, texts={}, text_by=[])
    assert format_lookup_headline(table, {"roll": 1}, table.read({"roll": 1})) == listed


@pytest.mark.parametrize(
    ("says", "row", "problem"),
    [
        ("{hit} hits", "says", "names hit, which this table does not have. Did you mean hits?"),
        ("{hits hits", "says", "has a brace without its other half"),
        ("{hits +} hits", "says", "cannot be read"),
        ("hit{|s}", "says", "there is no number before {|s}"),
        (7, "says", "must be a text, or a list of {when, say}"),
        (["{hits}", {"if": "hits"}], "says 2", "must be a text, or a list of {when, say}"),
        (["{hits}", {"when": "hit", "say": "hit"}], "says 2", "names hit"),
        ([{"say": "hit", "tone": "hurt"}], "says", "has unknown keys tone"),
    ],
)
def test_a_slip_is_found_on_loading_with_its_file_and_row(
    says: object, row: str, problem: str
) -> None:
    with pytest.raises(TableError) as error:
        volley(says)
    assert str(error.value).startswith("club/volley.yaml")
    assert f"row {row}" in str(error.value)
    assert problem in str(error.value)


def test_a_sentence_that_does_not_work_is_found_with_the_example() -> None:
    table = volley("{lost[7]}", example={"roll": 1})
    with pytest.raises(TableError, match="says"):
        check_examples(table, table.printed, "club/volley.yaml")


def test_a_headline_cannot_grow_without_end() -> None:
    assert len(headline("{text}" * 60, 1)) <= 300
