"""How many states the odds of a sequence can have is known when it is loaded, and is never too
few.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from bot.rules.declared.declared import Declared
from bot.rules.inputs.input_values import Given
from bot.rules.odds.odds import Meter, OddsCount
from bot.rules.sequence.sequence import build_row
from tests.rules.declared.code_helpers import CHOSEN, NESTED, OWN, POOL
from tests.rules.declared.language_helpers import given, squad, steps
from tests.rules.declared.pools_helpers import CHOICES, ROUNDS


def bound(sequence: Declared, path: str, units: int) -> Any:
    return sequence.bound(units, path)


def states(sequence: Declared, inputs: Given, path: str) -> int:
    """How many states the odds of an output really have."""
    count = OddsCount(Meter())
    count.count_one_by_one(sequence.plan(inputs), (build_row(path),))
    return count.meter.states


WAITING = """
- let: {sum: 0}
- each: units
  steps:
  - roll: {a: 1d3}
    let: {more: a > unit.morale}
  - when: more
    roll: {b: 1d3}
    let: {sum: "min(sum + b, 20)"}
- tell: {total: sum}
"""


@pytest.mark.parametrize(
    ("text", "path"),
    [
        *product([OWN, CHOSEN, POOL, ROUNDS, CHOICES], ["total", "units[0].result"]),
        (NESTED, "total"),
        (WAITING, "total"),
    ],
)
@pytest.mark.parametrize("lucky", [True, False])
def test_there_are_never_more_states_than_said(text: str, path: str, lucky: bool) -> None:
    sequence, nobody = steps(text), [()] if text != CHOSEN else []
    for units in (*nobody, (squad(5),), (squad(1), squad(7), squad(6))):
        inputs = given(*units, lucky=lucky)
        seen, said = states(sequence, inputs, path), bound(sequence, path, len(units))
        assert said.least <= seen or not units, "what comes for sure"
        assert seen <= said.most, (units, said)


def test_a_count_of_forty_units_has_few_states() -> None:
    """None to 39 have passed before the last of 40 rolls."""
    passing = """
- let: {passed: 0}
- each: units
  roll: {roll: 2d6}
  let: {passed: passed + (1 if roll + mod <= unit.morale else 0)}
- tell: {total: passed}
"""
    assert bound(steps(passing), "total", 40).most == sum(range(1, 41))


def test_rolls_that_are_all_remembered_surely_have_many() -> None:
    """Six dice are kept until the seventh has fallen; one that is told at once or read twice is
    counted once.
    """
    rolls = "\n".join(f"- roll: {{d{at}: 1d20}}\n  let: {{e{at}: d{at}}}" for at in range(7))
    reads = " + ".join(f"d{at} * e{at}" for at in range(7))
    assert bound(steps(f"{rolls}\n- tell: {{total: {reads}}}"), "total", 0).least == 20**6
    assert bound(steps(f"{rolls}\n- tell: {{total: d6}}"), "total", 40).most == 1


def test_what_cannot_be_known_is_not_said() -> None:
    summed = "- let: {sum: 0}\n- each: units\n  roll: {roll: 1d6}\n  let: {sum: sum + roll * unit.morale}\n"
    assert bound(steps(f"{summed}- tell: {{total: sum}}"), "total", 40).most > 10**20
