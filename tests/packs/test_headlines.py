"""The first line of a look-up in the free packs is a sentence of its game; a table without one has a
plain default.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from bot.presentation.tables import format_lookup_headline
from bot.rules.tables.table import Table
from bot.rulesets.packs.pack import load_packs_in
from tests.random_look_ups import random_look_ups

ROOT = Path(__file__).resolve().parents[2]
FIELD_LIKE = re.compile(r"None|True|False|_|\.0\b|  |[{}]")
BLANK = {"asl-fire/fire-table"}
"""Tables that whoever owns the game fills in."""


@cache
def tables() -> dict[str, Table]:
    packs, faults = load_packs_in(ROOT / "packs")
    assert faults == []
    return {
        f"{pack.id}/{table.id}": table
        for pack in packs.values()
        for table in pack.tables.values()
        if (ROOT / "packs" / pack.id / f"{table.id}.yaml").is_file()
    }


@pytest.mark.parametrize("name", sorted(tables().keys() - BLANK))
@pytest.mark.sample(50)
def test_a_look_up_in_a_free_pack_reads_as_a_sentence(name: str) -> None:
    table = tables()[name]
    assert table.headline is not None
    headlines = {
        format_lookup_headline(table, given, table.read(given)) for given in random_look_ups(table)
    }
    assert headlines
    assert [line for line in headlines if FIELD_LIKE.search(line) or len(line) > 170] == []
    assert all(line[0].isupper() or line[0] in "+−0123456789" for line in headlines)
