"""The examples in the docstrings of the central types run."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from bot.rules import declared as declared_package
from bot.rules.declared import declared, formula, program
from bot.rules.declared.compile_context import Name
from bot.rules.declared.formulas import Formulas
from bot.rules.dice import Script
from bot.rules.inputs.input_values import Given
from bot.rules.sequence.sequence import play


@pytest.mark.parametrize("module", [declared_package, declared, formula, program])
def test_the_worked_examples_of_the_language_run(module: ModuleType) -> None:
    more = {
        "Given": Given,
        "Script": Script,
        "play": play,
        "declared": declared,
        "Formulas": Formulas,
        "Name": Name,
    }
    found = doctest.testmod(module, extraglobs=more)
    assert found.attempted
    assert not found.failed
