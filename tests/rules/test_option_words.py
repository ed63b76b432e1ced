"""How the value of an option is said to people."""

from __future__ import annotations

import re

import pytest

from bot.rules.inputs.options import Option, make_missing_option_error
from bot.rulesets.catalog import load_shared_systems
from tests.packs.conftest import packs as packs
from tests.packs.conftest import use_packs as use_packs


@pytest.mark.parametrize(
    ("label", "value", "words"),
    [
        ("Range in inches", 30, 'Range 30"'),
        ("Range in inches", "4.5", 'Range 4.5"'),
        ("Distance in hexes", 5, "Distance 5 hexes"),
        ("Distance in hexes", 1, "Distance 1 hex"),
        ("Enemies in sight", 2, "Enemies in sight 2"),
        ("", 2, "Far off 2"),
    ],
)
def test_a_number_is_said_with_its_unit_after_it(label: str, value: object, words: str) -> None:
    assert Option("far_off", "number", "how far", label=label).format_value(value) == words


def test_no_number_of_a_game_is_said_with_its_unit_before_it(packs: None) -> None:
    for system in load_shared_systems().values():
        for sequence in system.sequences.values():
            for option in sequence.inputs:
                if option.type in ("int", "number"):
                    words = option.format_value(3)
                    assert not re.search(r" in (?!the |sight )\w+ 3$", words), words


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Who's firing", "Who's firing? demo fire needs at least one unit in attackers."),
        ("", "demo fire needs at least one unit in attackers."),
    ],
)
def test_units_left_out_are_asked_for_by_the_label_if_there_is_one(label: str, said: str) -> None:
    option = Option("attackers", "units", label=label)
    assert make_missing_option_error(option, "demo fire").message == said
