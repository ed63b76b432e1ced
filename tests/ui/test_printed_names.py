"""A table is found by what the card prints: headings, titles, numbers; values as printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.commands.dispatch import load_shared_registry
from bot.presentation.printed_table import find_position, get_printed_table
from bot.presentation.roll import look_up_table
from bot.presentation.table_words import ANY_OTHER
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option, clean, fold_word
from bot.rulesets.system import list_builtin_systems
from bot.rulesets.table_names import get_card_numbers
from bot.runtime.entropy import create_throwaway_source
from bot.ui.registry import TABLE
from bot.ui.typing.command_text import name_other_tables, parse_text
from bot.ui.typing.complete import CompletionContext, complete_option

DATA = Path(__file__).resolve().parent.parent / "data"
HEADINGS: dict[str, dict[Any, list[str]]] = yaml.safe_load(
    (DATA / "headings.yaml").read_text("utf-8")
)


def open_tables(game: str, name: str, *, quotes: str = '"') -> set[str]:
    """Return the tables that a printed name opens whole, or offers."""
    typed = f"{game}{TABLE} {quotes}{name}{quotes}"
    try:
        parsed = parse_text(typed, load_shared_registry())
    except UserError as error:
        if error.code != "several-tables":
            raise
        return {
            parse_text(command, load_shared_registry()).spec.target
            for command in read_commands(error)
        }
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


@pytest.mark.parametrize("game", list_builtin_systems())
def test_every_table_answers_to_its_title_and_its_number(game: str) -> None:
    system = list_builtin_systems()[game]
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
    parsed = parse_text(typed, load_shared_registry())
    assert (parsed.spec.target, parsed.options) == (target, options)


def test_a_number_of_several_tables_offers_them_all() -> None:
    with pytest.raises(UserError) as caught:
        parse_text("asl-table 12b", load_shared_registry())
    assert str(caught.value) == ('2 tables are called "12b". /asl-table b-gun or /asl-table b-sw.')


def test_did_you_mean_knows_printed_names_and_never_offers_what_was_typed() -> None:
    with pytest.raises(UserError) as caught:
        parse_text("ucn-table ap-expenditur", load_shared_registry())
    assert caught.value.hint == "Did you mean ap-expenditure?"
    assert did_you_mean("smg", ["smg"]) == ""
    assert did_you_mean("SMG", ["smg"]) == "Did you mean smg?"


def test_printed_names_are_completed() -> None:
    spec = load_shared_registry().get(("help",))
    assert spec is not None
    choices = complete_option(
        spec, "topic", "ucn-table ap-ex", load_shared_registry(), CompletionContext(), {}
    )
    assert [choice.value for choice in choices] == ["ucn-table ap-expenditure"]


VALUES: tuple[tuple[str, str, dict[str, object]], ...] = (
    # game, what is typed after GAME-table, table, the inputs that are read
    ("ucn", "status-damage 13+", {"roll": 13}),
    ("ucn", "morale-failed 9+", {"failed_by": 9}),
    ("ucn", "morale-failed 3-4", {"failed_by": 3}),
    ("ucn", "morale-failed (1)", {"failed_by": 1}),
    ("nhis", "cover Path/Road", {"terrain": "path-road"}),
    ("nhis", "terrain Huts", {"terrain": "hut"}),
    ("baps", 'attack-factors "Rifle (bolt-action)" 15-60', {"weapon": "rifle-bolt", "range": 15}),
    ("baps", 'attack-factors "Light Machine Gun" 20', {"weapon": "lmg-belt", "range": 20}),
    ("baps", "attack-factors smg 20", {"weapon": "submachine-gun", "range": 20}),
    ("baps", 'artillery-sheaf "Heavy Mortars"', {"weapon": "heavy-mortar"}),
    ("baps", "crt-split (1) 4", {"entry": "roll-note-1", "roll": 4}),
    ("asl", "pillbox-tem BAZ ca", {"weapon": "heat", "from": "ca"}),
    ("asl", "pillbox-tem FT ca", {"weapon": "ft", "from": "ca"}),
    ("asl", "fp-multiplier FT motion-dfph", {"fp": "vehicular-ft", "situation": "motion-dfph"}),
    ("asl", "b-gun LA10", {"start": "circled-10"}),
    ("asl", "smoke-usage sd ce Movement", {"dispenser": "sd", "crew": "ce", "phase": "mph"}),
    ("lnlt", "tis M1", {"case": "m1-abrams"}),
    ("ucn", "vehicle-modifiers shooting", {"purpose": "shoot"}),
    ("ucn", "ap-costs movement", {"action": "move"}),
    ("ucn", 'machine-guns "Light Machine Gun"', {"weapon": "lmg"}),
    ("baps", 'attack-factors "Rifle (semi-automatic)" 15.1-60"', {"range": 15.1}),
    ("baps", 'attack-factors Pistol 300.1"+', {"weapon": "pistol", "range": 300.1}),
    ("baps", 'attack-factors Carbine 0-15"', {"weapon": "carbine", "range": 0}),
    ("baps", "flame-thrower 9.1-18″", {"range": 9.1}),
    ("baps", 'special-weapons hand-grenade <3"', {"range": 0}),
    ("baps", "special-weapons hand-grenade \u201cbeyond 18\u2033\u201d", {"range": 18.1}),
    ("baps", "special-weapons hand-grenade “3.1-9 in.”", {"range": 3.1}),
    ("baps", 'random-orders 4 "Good Morale"', {"morale": "good"}),
    ("baps", "random-marks †", {"mark": "dagger"}),
    ("baps", "random-marks ‡", {"mark": "double-dagger"}),
    ("baps", "random-marks *", {"mark": "star"}),
    (
        "baps",
        'penetration "one class below MMG" "Very Light"',
        {"weapon": "below-mmg", "armor": "very-light"},
    ),
    ("asl", "ht-case O.K. O.K.", {"passenger": "ok", "crew": "ok"}),
    ("asl", "vs-afv unmarked-ground “CT BU”", {"afv": "ct-bu"}),
    ("asl", "b-gun la10 “all three”", {"conditions": 3}),
    ("lnlt", "hero-creation 1,3,5", {"roll": 1}),
    ("lnlt", "hit-location “4, 6, 8, 10”", {"roll": 4}),
    ("lnlt", "streams 3 T", {"stream": 3, "unit": "t"}),
    ("lnlt", "mission-fp standard “first ring” 5", {"distance": 1}),
    ("lnlt", "crew-fate dft “No Effect” crew", {"vehicle": "none"}),
    ("nhis", "terrain “Wooden Building”", {"terrain": "wooden-building"}),
    ("nhis", "terrain Lava_Rock", {"terrain": "lava-rock"}),
    ("ucn", "grenade-damage 13+", {"roll": 13}),
    ("ucn", "status-damage 7–12", {"roll": 7}),
)


@pytest.mark.parametrize(("game", "typed", "read"), VALUES)
def test_values_are_read_as_the_card_prints_them(
    game: str, typed: str, read: dict[str, object]
) -> None:
    parsed = parse_text(f"{game}{TABLE} {typed}", load_shared_registry())
    table = list_builtin_systems()[game].find_table(parsed.spec.target)
    _, values = table.answer_with_values(parsed.options)
    assert {name: values[name] for name in read} == read


def test_forty_values_are_typed_as_printed() -> None:
    assert len(VALUES) >= 40


SEVERAL = ", "
"""Between the names of rows that have one line on the card."""


@pytest.mark.parametrize("game", list_builtin_systems())
def test_each_printed_head_is_read_as_its_row_or_column(game: str) -> None:
    for table in list_builtin_systems()[game].tables.values():
        options = {option.name: option for option in table.inputs if option.type != "bool"}
        for grid in get_printed_table(table).grids:
            edges = [(grid.row_by, grid.rows, grid.row_axis)]
            if grid.column_axis is not None:
                edges.append((grid.column_by, grid.columns, grid.column_axis))
            for name, heads, axis in edges:
                for position, head in enumerate(heads if name in options else ()):
                    if SEVERAL in head and not head[0].isdigit():
                        continue
                    if head in ANY_OTHER.values():
                        continue
                    value = clean(options[name], table.read_printed(name, head))
                    found = find_position(axis, name, {name: value})
                    assert found == position, (table.id, name, head, value)


def test_no_word_of_the_card_stands_for_two_values_of_one_option() -> None:
    for spec in load_shared_registry():
        for option in spec.options:
            words = [
                fold_word(word)
                for value in option.values
                for word in {value, *option.also.get(value, ())}
            ]
            assert len(words) == len(set(words)), (spec.name, option.name)


def test_only_a_range_that_the_table_prints_is_read() -> None:
    table = list_builtin_systems()["ucn"].find_table("morale-failed")
    with pytest.raises(UserError, match="must be a whole number"):
        table.read({"failed_by": "2-5"})


def pick_value(option: Option) -> str:
    """Return a value that an edge of a table takes, as typed."""
    if option.type == "enum":
        return option.values[-1]
    return f"{option.max if option.max is not None else option.min or 1:g}"


@pytest.mark.parametrize("game", list_builtin_systems())
def test_the_printed_edges_are_read_in_order_and_nothing_is_rolled(game: str) -> None:
    """Rows, columns and dice go before shifts and other numbers that may be left out."""
    for table in list_builtin_systems()[game].tables.values():
        rolled = {roll.option for roll in table.rolls}
        bodies = table.printed.get("read") or []
        printed = {
            edge
            for body in (bodies if isinstance(bodies, list) else [bodies])
            for edge in (body.get("rows"), (body.get("columns") or {}).get("by"), body.get("by"))
        }
        names = {option.name for option in table.inputs if option.type != "bool"}
        edges = (printed | rolled) & names
        ordered = [name for name in table.by_edges if name in names]
        shifts = [
            index
            for index, name in enumerate(ordered)
            if name not in edges and not table.get_option(name).is_required
        ]
        last_edge = max([ordered.index(str(name)) for name in edges], default=-1)
        assert last_edge < min(shifts, default=len(ordered)), table.id
        typed = [pick_value(table.get_option(name)) for name in ordered]
        parsed = parse_text(f"{game}{TABLE} {table.id} {' '.join(typed)}", load_shared_registry())
        assert parsed.options == dict(zip(ordered, typed, strict=True)), table.id
        assert rolled <= parsed.options.keys(), table.id


def test_firepower_and_roll_of_ranged_combat_come_before_the_shift() -> None:
    parsed = parse_text("nhis-table ranged-combat 6 3", load_shared_registry())
    assert parsed.options == {"firepower": "6", "roll": "3"}


@pytest.mark.parametrize("game", list_builtin_systems())
def test_a_table_that_rolls_says_so_in_its_first_word(game: str) -> None:
    for table in list_builtin_systems()[game].tables.values():
        rolled = {roll.option for roll in table.rolls}
        if not rolled:
            continue
        given = {name: value for name, value in table.example.items() if name not in rolled}
        outcome = look_up_table(table, given, "Anna", create_throwaway_source())
        assert outcome.record is not None, table.id
        assert outcome.reply.title.startswith("Rolled: "), table.id
        given_roll = look_up_table(table, table.example, "Anna", create_throwaway_source())
        if rolled <= table.example.keys():
            assert not given_roll.reply.title.startswith("Rolled: "), table.id
            assert given_roll.record is None, table.id


def test_a_word_of_another_table_names_that_table() -> None:
    parsed = parse_text("ucn-table firearms LMG", load_shared_registry())
    with pytest.raises(UserError) as caught:
        list_builtin_systems()["ucn"].find_table("firearms").read(parsed.options)
    name_other_tables(caught.value, parsed.spec, parsed.options, load_shared_registry())
    assert caught.value.hint == (
        "Another table has it: /ucn-table machine-guns LMG or /ucn-table save-roll LMG."
    )
