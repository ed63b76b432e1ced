"""Steps become closures: these play and count alike, refuse before the dice, and are no Python
source.
"""

from __future__ import annotations

from itertools import product
from typing import Any
from unittest.mock import patch

import pytest

from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.odds.odds import compute_marginals
from bot.rules.sequence.sequence import play
from tests.rules.declared.code_helpers import (
    CHOSEN,
    NESTED,
    OWN,
    POOL,
    counted,
)
from tests.rules.declared.language_helpers import given, played, squad, steps


@pytest.mark.parametrize(
    ("text", "path"),
    [
        *product([OWN], ["total", "units[0].result"]),
        (NESTED, "total"),
        *product([CHOSEN], ["total", "units[0].result"]),
    ],
)
def test_odds_are_those_of_every_way_that_the_dice_can_fall(text: str, path: str) -> None:
    sequence, inputs = steps(text), given(squad(5), squad(6))
    assert compute_marginals(sequence.plan(inputs), [path])[path] == counted(sequence, inputs, path)


LATE = """
- each: units
  steps:
  - roll: {roll: 2d6}
  - let: {needed: unit.morale}
    tell: {unit: unit.word, roll: roll, result: pass if roll <= needed else fails}
"""
AFTER = "- roll: {die: 1d6}\n- when: lucky\n  refuse: {say: no luck today}\n- tell: {total: die}"
EITHER = "- roll: {die: 1d6}\n- when: die > 3\n  let: {needed: 'units[0].morale'}\n  tell: {total: needed}"


@pytest.mark.parametrize(
    ("text", "inputs", "says"),
    [
        (LATE, given(squad(5), squad(6), squad(None)), "squad needs morale"),  # type: ignore[arg-type]
        (AFTER, given(lucky=True), "no luck today"),
        (EITHER, given(squad(None)), "squad needs morale"),  # type: ignore[arg-type]
    ],
)
def test_what_inputs_decide_is_refused_before_the_first_die(
    text: str, inputs: Any, says: str
) -> None:
    sequence = steps(text)
    with pytest.raises(UserError, match=says):
        sequence.plan(inputs)


def test_a_plan_is_played_twice_with_the_same_answer() -> None:
    plan = steps(OWN).plan(given(squad(5), squad(6)))
    one, two = (play(plan, Script([2, 1, 2])) for _ in range(2))
    units = [
        {"unit": "squad", "roll": 2, "result": "pass"},
        {"unit": "squad", "roll": 1, "result": "pass"},
    ]
    assert one.out == two.out == {"units": units, "total": 2}


def test_names_of_the_code_cannot_be_taken() -> None:
    """They are what they say, whatever Python or the code has under such a name."""
    names = (
        "told",
        "lines",
        "notes",
        "dice",
        "state",
        "faces",
        "open",
        "now",
        "__debug__",
        "__class__",
        "print",
    )
    lets = "\n".join(f"  - let: {{{name}: die + {at}}}" for at, name in enumerate(names))
    sequence = steps(
        f"- roll: {{die: 1d6}}\n- steps:\n{lets}\n- tell: {{total: {' + '.join(names)}}}"
    )
    assert played(sequence, given(), 2).out["total"] == 2 * len(names) + sum(range(len(names)))


def test_many_rolls_that_may_not_come_are_no_burden() -> None:
    text = "- let: {x: 0}\n" + "\n".join(
        f"- when: x < {at}\n  roll: {{d{at}: 1d6}}\n  let: {{x: x + d{at}}}" for at in range(1, 120)
    )
    sequence = steps(f"{text}\n- tell: {{total: x}}")
    assert played(sequence, given(), *[6] * 20).out["total"] == 120


def test_a_sequence_is_worked_out_without_python_source() -> None:
    """Nothing is compiled or executed: parts of a formula are closures, and call what they are
    given.
    """
    with (
        patch("builtins.exec", side_effect=AssertionError),
        patch("builtins.eval", side_effect=AssertionError),
    ):
        for text in (OWN, NESTED, CHOSEN, LATE, POOL):
            compute_marginals(steps(text).plan(given(squad(5), squad(6))), ["total"])
