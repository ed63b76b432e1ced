"""A line of text means the same in every spelling that phones, keyboards and pages make of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean, is_left_out, normalize_typed
from bot.rules.inputs.units import parse_units
from bot.rules.text.normalize import comparison_key
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text
from tests.lookalikes import LOOKALIKES

SOME = 25
"""Examples of the quick run for each spelling."""


def lines() -> list[tuple[CommandSpec, str]]:
    """Return an example of each command that all have, sequences and tables too."""
    commands = load_shared_registry()
    specs = [spec for top in commands.top_names for spec in commands.list_below((top,))]
    return [(spec, spec.example) for spec in specs if spec.example]


def meaning(line: str) -> tuple[Any, ...]:
    """Return the command that a line asks for, and its options as values; texts by their keys."""
    spec, options = parse_text(line, load_shared_registry())
    return spec.path, dict(_values(spec, options))


def _values(spec: CommandSpec, options: Any) -> Iterator[tuple[str, object]]:
    for name, raw in options.items():
        option = spec.find_option(name)
        typed = normalize_typed(option, raw)
        if option is None or is_left_out(option, typed) or option.type in ("file", "dice"):
            yield name, comparison_key(str(typed))
        elif option.type == "units" and spec.system in load_shared_registry().games:
            words = load_shared_registry().games[spec.system].words[option.units or "units"]
            yield name, parse_units(str(typed), words, {}, option=name)
        elif option.type in ("int", "number", "bool", "enum", "mods"):
            yield name, clean(option, typed)
        else:
            yield name, comparison_key(str(clean(option, typed)))


def spelled_otherwise(line: str, change: str) -> str:
    """Return the line in another spelling. Letters of a unit's type stay as they are if only their
    case changes.
    """
    return LOOKALIKES[change](line)


def differences(change: str, drawn: list[tuple[CommandSpec, str]]) -> list[str]:
    """Return what is wrong with lines in this spelling."""
    found: list[str] = []
    for _, line in drawn:
        try:
            right = meaning(line)
        except UserError:
            continue  # an example that needs the roster of a game
        written = spelled_otherwise(line, change)
        try:
            read = meaning(written)
        except UserError as error:
            found.append(f"{written}: {error}")
            continue
        if read != right:
            found.append(f"{written}: {read}, not {right}")
    return found


@pytest.mark.parametrize("change", LOOKALIKES)
def test_an_example_means_the_same_in_every_spelling(change: str) -> None:
    drawn = random.Random(change).sample(lines(), SOME)
    assert not differences(change, drawn)


@pytest.mark.slow
@pytest.mark.parametrize("change", LOOKALIKES)
def test_every_example_means_the_same_in_every_spelling(change: str) -> None:
    assert not differences(change, lines())


@pytest.mark.parametrize("change", LOOKALIKES)
def test_every_name_of_an_option_is_read_in_every_spelling(change: str) -> None:
    specs = [spec for spec, _ in lines()]
    wrong: list[str] = []
    for spec in specs if change == "full width" else random.Random(change).sample(specs, SOME):
        for option in spec.options:
            if option.type not in ("int", "number") or "macro" in spec.path:
                continue
            written = LOOKALIKES[change](f"{spec.name} {option.name}=5")
            try:
                given = parse_text(written, load_shared_registry()).options
            except UserError as error:
                wrong.append(f"{written}: {error}")
                continue
            if str(normalize_typed(option, given.get(option.name))) != "5":
                wrong.append(f"{written}: {given}")
    assert not wrong
