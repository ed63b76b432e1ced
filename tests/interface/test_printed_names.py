"""A table is found by what the card prints: headings, titles, numbers; values as printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.interface.registry import TABLE, registry
from bot.interface.typing.command_text import parse_text
from bot.interface.typing.complete import Known, complete_option
from bot.rules.errors import UserError, did_you_mean
from bot.systems.system import built_in
from bot.systems.table_names import get_card_numbers

DATA = Path(__file__).resolve().parent.parent / "data"
HEADINGS: dict[str, dict[Any, list[str]]] = yaml.safe_load(
    (DATA / "headings.yaml").read_text("utf-8")
)


def open_tables(game: str, name: str, *, quotes: str = '"') -> set[str]:
    """Return the tables that a printed name opens whole, or offers."""
    typed = f"{game}{TABLE} {quotes}{name}{quotes}"
    try:
        parsed = parse_text(typed, registry())
    except UserError as error:
        if error.code != "several-tables":
            raise
        return {parse_text(command, registry()).spec.target for command in read_commands(error)}
    assert parsed.spec.wants_whole(parsed.options), typed
    assert parsed.spec.is_private(parsed.options), typed
    return {parsed.spec.target}


def read_commands(error: UserError) -> list[str]:
    """Return the commands that the hint of an error offers."""
    return error.hint.rstrip(".").replace(" or ", ", ").split(", ")


def list_headings() -> Iterator[tuple[str, str, set[str]]]:
    for game, headings in HEADINGS.items():
        for heading, tables in headings.items():
            yield game, str(heading), set(tables)


def test_every_heading_of_the_cards_opens_its_table_without_a_roll() -> None:
    headings = list(list_headings())
    assert len(headings) == 78
    opened = [(game, heading, open_tables(game, heading)) for game, heading, _ in headings]
    assert opened == headings


@pytest.mark.parametrize("game", built_in())
def test_every_table_answers_to_its_title_and_its_number(game: str) -> None:
    system = built_in()[game]
    for table in system.tables.values():
        for name in (table.title, *table.also):
            assert table.id in open_tables(game, name), name
            assert table.id in open_tables(game, name.upper().replace(" ", "  ")), name
        for number in get_card_numbers(table.source):
            offered = open_tables(game, number)
            notes = "note" in table.source
            assert table.id in offered or (notes and offered), (table.id, number)


@pytest.mark.parametrize(
    ("typed", "target", "options"),
    [
        (
            'lnlt-table "melee odds ratio" 7 4',
            "melee-odds",
            {"attack": "7", "defense": "4"},
        ),
        ("lnlt-table Melee Odds Ratio 7 4", "melee-odds", {"attack": "7", "defense": "4"}),
        ('lnlt-table combat "melee odds ratio" 7 4', "melee-odds", {"attack": "7", "defense": "4"}),
        ("asl-table table 6a unmarked-ground", "vs-afv", {"defender": "unmarked-ground"}),
        ("asl-table 6a", "vs-afv", {"whole": True}),
        ("ucn-table status-damage", "status-damage", {}),
        ("ucn-table status damage", "status-damage", {"whole": True}),
        ("nhis-table terrain terrain hill", "terrain", {"terrain": "hill"}),
    ],
)
def test_a_printed_name_may_be_quoted_or_not_and_inputs_follow(
    typed: str, target: str, options: dict[str, object]
) -> None:
    parsed = parse_text(typed, registry())
    assert (parsed.spec.target, parsed.options) == (target, options)


def test_a_number_of_several_tables_offers_them_all() -> None:
    with pytest.raises(UserError) as caught:
        parse_text("asl-table 12b", registry())
    assert str(caught.value) == (
        '2 tables have the name "12b". /asl-table b-gun or /asl-table b-sw.'
    )


def test_did_you_mean_knows_printed_names_and_never_offers_what_was_typed() -> None:
    with pytest.raises(UserError) as caught:
        parse_text("ucn-table ap-expenditur", registry())
    assert caught.value.hint == "Did you mean ap-expenditure?"
    assert did_you_mean("smg", ["smg"]) == ""
    assert did_you_mean("SMG", ["smg"]) == "Did you mean smg?"


def test_printed_names_are_completed() -> None:
    spec = registry().get(("help",))
    assert spec is not None
    choices = complete_option(spec, "topic", "ucn-table ap-ex", registry(), Known(), {})
    assert [choice.value for choice in choices] == ["ucn-table ap-expenditure"]
