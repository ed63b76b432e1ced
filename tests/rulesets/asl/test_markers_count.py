"""Every flag that a roster unit brings to a sequence of asl counts like the option typed; typed no
leaves it out. The cases come from the data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from bot.rules.inputs.units import RosterUnit, index_by_name
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import count_odds
from bot.rulesets.system import Sequence
from tests.examples import play_example

GAME = find_shared_system("asl")
MARKS = GAME.game["units"]["marker_flags"]


class Case(NamedTuple):
    """A flag of the unit of a sequence, the option that it brings, and the marker that sets it."""

    sequence: str
    option: str
    flag: str
    marker: str


CASES = [
    Case(sequence.id, option.name, flag, marker)
    for sequence in GAME.sequences.values()
    for option in sequence.inputs
    if option.type == "bool" and option.brings.startswith("unit.")
    for marker, flag in MARKS.items()
    if option.brings == f"unit.{flag}"
]
INSTEAD: dict[str, dict[str, object]] = {
    "malfunction": {"weapon": "gun", "start": "circled-10"},
    "smoke": {"dispenser": "sm", "usage_number": 7},
    "vs-ovr": {"size": "squad", "exposure": "ct-ce"},
}
"""Inputs instead of those of the example, which hide what a marker changes."""


def test_the_markers_of_the_card_are_among_them() -> None:
    assert {case.marker for case in CASES} == {*MARKS} - {"ce"}


def came(sequence: Sequence, given: dict[str, object], marks: tuple[str, ...]) -> Any:
    """The odds with a unit under these markers; what is told, where nothing is rolled."""
    unit = RosterUnit("Unit", "us1", "gun", "US", {"morale": 7}, "", frozenset(marks))
    roster = index_by_name([unit])
    full = {**given, "unit": "Unit"}
    if sequence.odds_by:
        return count_odds(sequence, full, (), roster)
    return play_example("asl", sequence.id, full, [], roster).out


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.sequence}-{case.marker}")
def test_a_marker_counts_like_the_option(case: Case) -> None:
    sequence = GAME.find_sequence(case.sequence)
    given = dict(INSTEAD.get(case.sequence, sequence.example))
    given = {key: value for key, value in given.items() if key not in (case.option, "first_fire")}
    base = came(sequence, given, ())
    counted = came(sequence, given, (case.marker,))
    assert counted == came(sequence, {**given, case.option: True}, ())
    assert counted == came(sequence, {**given, case.option: True}, (case.marker,)), "counts once"
    assert base == came(sequence, {**given, case.option: False}, (case.marker,)), "left out"
    assert counted != base
