"""Helpers of tests/rules/declared/test_code.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from bot.rules.dice import Die
from bot.rules.sequence.sequence import play

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
