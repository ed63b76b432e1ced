"""The examples in docstrings of the engine come to what they say."""

from __future__ import annotations

import doctest

import pytest

from bot.rules.odds import odds
from bot.rules.sequence import sequence


@pytest.mark.parametrize(("module", "examples"), [(odds, 1), (sequence, 3)])
def test_examples_come_to_what_they_say(module: object, examples: int) -> None:
    found = [one for one in doctest.DocTestFinder().find(module) if one.examples]
    assert len(found) == examples
    runner = doctest.DocTestRunner()
    for one in found:
        assert runner.run(one).failed == 0, one.name
