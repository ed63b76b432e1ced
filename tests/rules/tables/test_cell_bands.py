"""Cells that are small tables of their own: `17:S 18:1 19-20:K`, each roll answered once."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rules.errors import TableError
from bot.rules.tables.compile import compile_table
from bot.rules.tables.table import Table


def table(cell: str, **bands: Any) -> Table:
    data: dict[str, Any] = {
        "id": "game/fire",
        "title": "Fire",
        "source": "card",
        "group": "combat",
        "kind": "grid",
        "inputs": {
            "row": {"type": "int", "min": 1, "max": 1},
            "roll": {"type": "int", "min": 1, "max": 6},
        },
        "outputs": {"result": ["none", "hit", "kill"]},
        "results": {"H": "hit", "K": "kill"},
        "read": {
            "rows": "row",
            "bands": {"by": "roll", "below": "none", **bands},
            "cells": {1: cell},
        },
    }
    return compile_table(data, file="game/fire.yaml", system="game", lists={})


def test_each_roll_finds_its_band() -> None:
    """Under the first band nothing happens; 3 and 4 hit, 5 and 6 kill."""
    found = table("3-4:H 5-6:K")
    results = [found.read({"row": 1, "roll": roll})["result"] for roll in range(1, 7)]
    assert results == ["none", "none", "hit", "hit", "kill", "kill"]


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("3-4:H 4-6:K", "answers 4 twice"),
        ("3:H 5-6:K", r"look at \[4\]"),
        ("3-4:H 5:K", r"look at \[6\]"),
        ("3-4:H 5-7:K", "goes beyond 6"),
        ("3-4:X 5-6:K", "no value 'X'"),
        ("3/4:H 5-6:K", "is not a band"),
        ("", "look at"),
    ],
)
def test_a_cell_with_a_gap_or_overlap_is_named(cell: str, problem: str) -> None:
    with pytest.raises(TableError, match=problem) as error:
        table(cell)
    assert "game/fire.yaml, row 1" in str(error.value)


def test_the_bands_go_by_a_whole_number_with_limits() -> None:
    with pytest.raises(TableError, match="whole-number input"):
        table("3-6:H", by="shot")
