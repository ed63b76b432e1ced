"""Every figure that help prints beside a word is the card's own: held against the rows of the
files, read as text.

Generated from the tables: a new sequence, table or word joins by itself. Left out: options that are
numbers, which carry no figure in help, as their row multiplies or subtracts them; and the one table
in REFUSES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.help.help import show_help
from bot.rules.inputs.options import Option
from bot.rules.tables.table import Table
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.system import Sequence, System
from bot.ui.glossary import explain_options, format_modifier_value

WORDS = {"true": True, "false": False}
REFUSES = {("ucn", "assault-modifiers")}
"""Tables that refuse a word beside a word that they need (only the attacker charges): help names
none of theirs.
"""


def _sequences() -> list[tuple[str, str]]:
    return [
        (id, name)
        for id, game in load_shared_systems().items()
        for name, one in game.sequences.items()
        if one.modifiers
    ]


def _values(option: Option) -> tuple[Any, ...]:
    return option.values if option.type == "enum" else (True,) if option.type == "bool" else ()


def _plain(option: Option) -> Any:
    """What an input is where nobody says anything."""
    return {"bool": False, "int": 0}.get(option.type) if option.default is None else option.default


def figure(
    game: System, table: Table, option: Option, value: object, needed: Mapping[str, object]
) -> dict[str, int]:
    """What the rows of the file that name this input add when it has this value and all else is
    as by default.
    """
    rows = game.read(table.id)["rows"]
    given = {one.name: _plain(one) for one in table.inputs} | dict(needed) | {option.name: value}
    added: dict[str, int] = {}
    for row in rows:
        when = str(row.get("when", "True"))
        for total, adds in row["adds"].items():
            names = re.findall(r"[a-z_]+", re.sub(r"'[^']*'", "", f"{when} {adds}"))
            if option.name in names and _formula(when, given):
                added[total] = added.get(total, 0) + int(
                    _formula(str(adds), given | dict.fromkeys(table.outputs, 0))
                )
    return {total: number for total, number in added.items() if number}


def _right(game: System, table: Table, option: Option, value: object) -> str:
    """The figure by the file; where the table asks for something first, the one for each of that
    if they differ.
    """
    asked = [one for one in table.inputs if one.is_required and one is not option]
    if any(one.type != "enum" for one in asked):
        return ""
    names, each = [one.name for one in asked], product(*(one.values for one in asked))
    rights = {
        " ".join(words): _said(
            figure(game, table, option, value, dict(zip(names, words, strict=True))), table
        )
        for words in each
    }
    if len(set(rights.values())) == 1:
        return next(iter(rights.values()))
    return (
        ", ".join(f"{words} {said or '+0'}" for words, said in rights.items())
        if len(asked) == 1
        else ""
    )


def _formula(text: str, given: Mapping[str, object]) -> Any:
    return eval(text, {"__builtins__": {}, "min": min, "max": max, **WORDS}, dict(given))


def _said(added: Mapping[str, int], table: Table) -> str:
    first = next(name for name, kind in table.outputs.items() if kind == "int")
    named = (
        (name.removesuffix("_mod").replace("_", " "), number) for name, number in added.items()
    )
    return " ".join(
        f"{number:+d}" if total == first else f"{name} {number:+d}"
        for total, (name, number) in zip(added, named, strict=True)
    )


def _cases(game: System, sequence: Sequence) -> Iterator[tuple[Option, Any, str]]:
    """Each option of a sequence, each of its words, and what all tables of modifiers add for it."""
    for option in sequence.inputs:
        for value in option.values if option.type == "mods" else _values(option):
            name, word = (value, True) if option.type == "mods" else (option.name, value)
            told = []
            for id in sequence.modifiers:
                table = game.tables[id]
                own = next((one for one in table.inputs if one.name == name), None)
                if own is None or (own.type == "enum" and word not in own.values):
                    continue
                told.append(_right(game, table, own, word))
            yield option, value, " / ".join(dict.fromkeys(one for one in told if one))


@pytest.mark.parametrize(("game", "name"), _sequences())
def test_each_word_of_a_sequence_has_the_figure_of_its_row(game: str, name: str) -> None:
    sequence = find_shared_system(game).find_sequence(name)
    shown = {option.name: option for option in explain_options(sequence)}
    spec = load_shared_registry().get((game, name))
    assert spec is not None
    page = show_help(f"{game} {name} modifiers", load_shared_registry()).format_text().casefold()
    for option, value, right in _cases(find_shared_system(game), sequence):
        word = option.name if option.type == "bool" else value
        worth = shown[option.name].worths.get(word, "").replace("+0", "")
        several = ", " in worth
        assert several or worth == right, (
            f"{game} {name} {option.name} {value}: help says {worth!r}, the card {right!r}"
        )
        if right:
            assert right in page, (option.name, value)
            picks = spec.find_option(option.name)
            assert picks is not None
            assert picks.format_word(word).endswith(right.replace("-", "\u2212")), (
                "the menu of the form says the same"
            )


@pytest.mark.parametrize("id", sorted(load_shared_systems()))
def test_every_word_of_every_table_of_modifiers(id: str) -> None:
    """Those that no sequence's help names as well."""
    game = find_shared_system(id)
    for table in game.tables.values():
        for option in (
            table.inputs if table.kind == "modifiers" and (id, table.id) not in REFUSES else ()
        ):
            for value in _values(option):
                assert format_modifier_value(table, option.name, value) == _right(
                    game, table, option, value
                ), (
                    table.id,
                    value,
                )


def test_a_default_that_counts_is_named_and_so_is_a_zero() -> None:
    """The soldier in the open adds 3 though nobody typed it; a crack soldier adds nothing
    (Morale Checks).
    """
    page = show_help("baps morale-check modifiers", load_shared_registry()).format_text()
    assert "grade: morale grade (green +2, veteran +1, crack +0, elite -1)" in page
    assert "(open +3, light +2, medium +1, heavy +0, very-heavy -1)" in page
