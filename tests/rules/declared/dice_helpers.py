"""Helpers of tests/rules/declared/test_dice.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Declared, Library
from bot.rules.dice import Script
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.odds.odds import compute_marginals
from bot.rules.sequence.sequence import Play, play
from bot.rulesets.yaml_file import find_position

OUTPUTS = {"hits": "int", "wounds": "int", "lost": "int", "result": "pass | fail"}


def declared(steps: str, by: str = "lost", file: str = "volley.yaml", **inputs: int) -> Declared:
    """A sequence with whole numbers as its inputs."""
    lines = "".join(f"    {line}\n" for line in steps.strip().splitlines())
    text = f"sequences:\n  volley:\n    steps:\n{lines}"
    setting = Setting(file, place=lambda path: find_position(text.encode(), path))
    options = tuple(
        Option(name, "int", default=value, min=0, max=40) for name, value in inputs.items()
    )
    return Library(
        yaml.safe_load(text), setting, {"volley": SequenceHead(options, OUTPUTS, by)}
    ).load_sequence("volley")


def rolled(sequence: Declared, given: Mapping[str, int], *dice: int) -> Play:
    script = Script(dice)
    found = play(sequence.plan(Given(dict(given))), script)
    script.finish()
    return found


def counted(sequence: Declared, path: str, given: Mapping[str, int]) -> dict[Any, Fraction]:
    """The odds of an output, as whoever asks gets them."""
    return compute_marginals(sequence.plan(Given(dict(given))), [path])[path]
