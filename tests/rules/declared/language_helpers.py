"""Helpers of tests/rules/declared/test_language.py, which other tests use as well."""

from __future__ import annotations

from typing import Any

import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Declared, Library
from bot.rules.dice import Script
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Unit, UnitWords
from bot.rules.sequence.sequence import Play, play
from bot.rulesets.yaml_file import find_position

WORDS = UnitWords(
    ("squad", "leader"),
    {
        "morale": Option("morale", "int"),
        "lm": Option("lm", "int"),
        "holds": Option("holds"),
    },
    {"shaken": ""},
)

OUTPUTS = {
    "total": "int",
    "result": "pass | fails | not-allowed",
    "units": "list of {unit, roll: int, result: pass | fails}",
}

INPUTS = (
    Option("units", "units"),
    Option("mod", "int", default=0),
    Option("lucky", "bool", default=False),
)


def compiled(text: str) -> Declared:
    """The one sequence of a file, called test."""
    source: dict[str, Any] = yaml.safe_load(text)
    setting = Setting(
        "test.yaml", words={"units": WORDS}, place=lambda path: find_position(text.encode(), path)
    )
    return Library(
        source, setting, {"test": SequenceHead(INPUTS, OUTPUTS, "result")}
    ).load_sequence("test")


def steps(text: str) -> Declared:
    """A sequence with these steps."""
    lines = "".join(f"    {line}\n" for line in text.strip().splitlines())
    return compiled(f"sequences:\n  test:\n    steps:\n{lines}")


def given(*units: Unit, mod: int = 0, lucky: bool = False) -> Given:
    return Given({"units": None, "mod": mod, "lucky": lucky}, {"units": units})


def played(sequence: Declared, inputs: Given, *dice: int) -> Play:
    script = Script(dice)
    found = play(sequence.plan(inputs), script)
    script.finish()
    return found


def squad(morale: int, word: str = "squad", type_: str = "squad", **numbers: int) -> Unit:
    return Unit(word, type_, {"morale": morale, **numbers})
