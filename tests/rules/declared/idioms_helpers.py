"""Helpers of tests/rules/declared/test_idioms.py, which other tests use as well."""

from __future__ import annotations

import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Declared, Library
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Unit, UnitWords
from bot.rulesets.yaml_file import find_position

WORDS = UnitWords(
    ("squad",),
    {"morale": Option("morale", "int"), "men": Option("men", "int")},
    {"shaken": ""},
    {"steady": "", "gone": ""},
)

OUTPUTS = {
    "roll": "int",
    "total": "int",
    "result": "pass | fail",
    "hits": "int",
    "saved": "int",
    "units": "list of {unit, result: pass | fail, roll: int, fell: int, becomes: steady | gone}",
}

INPUTS = (Option("units", "units"), Option("mod", "int", default=0, min=-5, max=5))


def declared(steps: str, by: str = "result") -> Declared:
    lines = "".join(f"    {line}\n" for line in steps.strip().splitlines())
    text = f"sequences:\n  test:\n    steps:\n{lines}"
    setting = Setting(
        "test.yaml", words={"units": WORDS}, place=lambda path: find_position(text.encode(), path)
    )
    return Library(
        yaml.safe_load(text), setting, {"test": SequenceHead(INPUTS, OUTPUTS, by)}
    ).load_sequence("test")


def squad(men: int, morale: int = 7, word: str = "squad", state: str = "") -> Unit:
    return Unit(word, "squad", {"men": men, "morale": morale}, state=state)


def given(*units: Unit, mod: int = 0) -> Given:
    return Given({"units": None, "mod": mod}, {"units": units})
