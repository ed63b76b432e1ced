"""Steps become closures: these play and count alike, refuse before the dice, and are no Python
source.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import Any
from unittest.mock import patch

import pytest

from bot.rules.dice import Die, Script
from bot.rules.errors import UserError
from bot.rules.odds.odds import compute_marginals
from bot.rules.sequence.sequence import play
from tests.rules.declared.test_language import given, played, squad, steps

OWN = """
- each: units
  roll: {roll: 1d3}
  let: {unit.hit: roll > 1, first: roll}
- let: {sum: 0}
- each: units
  row: "{unit}"
  steps:
  - when: unit.hit
    roll: {save: 1d2}
    let: {sum: sum + save}
    tell: {result: "pass if save == 2 else fails"}
    else:
    - tell: {result: pass}
- tell: {total: sum}
"""
NESTED = """
- let: {sum: 0}
- each: units
  as: one
  steps:
  - each: numbers(2)
    as: n
    when: sum < 3
    roll: {die: 1d3}
    let: {sum: sum + die * (n + 1)}
- tell: {total: sum}
"""
CHOSEN = """
- roll: {who: "1d{len(units)}"}
- each: units
  only: who - 1
  steps:
  - roll: {roll: 1d3}
    let: {found: roll + unit.morale}
    tell: {roll: roll, result: pass if found > 7 else fails}
- roll: {last: 1d2}
  stop: last == 1
- tell: {total: last + who}
"""


POOL = """
- roll: {roll: 4d3}
- each: units
  tell: {result: "pass if faces(roll)[at] > 2 and lucky else fails"}
- tell: {total: "how_many(roll, face == 2)"}
"""


class Owed(Exception):
    """One more die is needed."""


class Faces:
    """Dice that show what is wanted, as long as there is any; then it says which die it would
    need.
    """

    def __init__(self, faces: Iterable[int]) -> None:
        self.faces, self.owed = list(faces), 0

    def draw(self, die: Die) -> int:
        """The next face."""
        if not self.faces:
            self.owed = die.sides
            raise Owed
        return self.faces.pop(0)


def counted(sequence: Any, inputs: Any, path: str) -> dict[Any, Fraction]:
    """The odds of an output by playing every way the dice can fall."""
    found: dict[Any, Fraction] = {}
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    name, _, key = path.partition("[0].")
    while waiting:
        faces, chance = waiting.pop()
        source_ = Faces(faces)
        try:
            out = play(sequence.plan(inputs), source_).out
        except Owed:
            waiting += [
                ((*faces, face), chance / source_.owed) for face in range(1, source_.owed + 1)
            ]
            continue
        value = out[name][0].get(key, "none") if key else out.get(name, "none")
        found[value] = found.get(value, Fraction(0)) + chance
    return found


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
