"""Steps that would write to a unit what it cannot have are faults of the check, with their line."""

from __future__ import annotations

import pytest

from bot.packs.check import check_content
from tests.packs.conftest import FEW

GAME = """
groups: {combat: Combat}
units:
  types: [trooper, captain]
  attributes:
    men: {type: int, min: 0, max: 40, default: 4, help: men}
    armour: {type: enum, values: [none, light, heavy], default: none, help: armour}
    squad: {type: str, default: '', help: the squad}
  flags: {lethal: lethal}
  markers: [pinned]
  states: [fine, gone]
  lost: [gone]
results:
  shoot: {gone: {says: "{} is gone"}, pinned: {says: "{} is pinned"}}
"""
SEQUENCES = """
shoot:
  title: Shoot
  source: ours
  summary: A shot.
  verb: Fire
  cause: fires
  inputs: {shooters: {type: units, help: who}, targets: {type: units, help: whom}}
  outputs: {hits: int}
  odds_by: hits
  example: {shooters: trooper, targets: trooper}
"""
STEPS = """steps:
- pool: {dice: "{shooters[0].men}d6: fire", success: face >= 5, gives: hits}
  headline: "{hits} hits"
- each: targets
  """


def faults_of(step: str) -> tuple[str, ...]:
    """Return the faults of a pack whose last step, in line 5, is this one for each target."""
    files = {
        **FEW,
        "game.yaml": GAME,
        "sequences.yaml": SEQUENCES,
        "steps/shoot.yaml": f"{STEPS}{step}\n",
    }
    return check_content({name: text.encode() for name, text in files.items()}).faults


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        ("change: {set: {state: \"'gonne'\"}}", "there is no state gonne. Did you mean gone?"),
        ("change: {set: {state: \"gone if hits > 9 else 'fien'\"}}", "there is no state fien"),
        ("change: {set: {mens: 3}}", "a unit has no mens. Did you mean men?"),
        ("change: {set: {men: 99}}", "men must be a whole number from 0 to 40"),
        ("change: {set: {men: \"'many'\"}}", "men takes a number, not a text"),
        ("change: {set: {armour: \"'plate'\"}}", "armour must be one of none, light, heavy"),
        ("change: {add: {armour: 1}}", "armour is not a whole number"),
        ("change: {add: {mens: 1}}", "a unit has no mens"),
        ("change: {mark: pind}", "there is no marker pind. Did you mean pinned?"),
        ("change: {unmark: asleep}", "no marker asleep. It can be pinned, lethal."),
        ("change: {of: sqad, mark: pinned}", "there is no attribute sqad. Did you mean squad?"),
        ('change: {give: {holds: "unit"}}', "a unit has no holds"),
        ("fate: goen", "game.yaml has no result goen. Did you mean gone?"),
        ("joins: {type: crew}", "there is no unit type crew"),
        ("joins: {type: captain, state: dead}", "there is no state dead"),
        ("when: has(unit, 'lethl')\n  then: x", "there is no marker or flag lethl"),
        ("when: unit.state == 'gonne'\n  then: x", "there is no state gonne"),
        ("when: unit.type in ['troper']\n  then: x", "there is no unit type troper"),
        ("when: unit.state > 3\n  then: x", "a number cannot be more or less than a text"),
        ("when: unit.state\n  then: x", "unit.state is a word, which is always true; compare it"),
        ("when: targets[3] and hits > 1\n  then: x", "this is always true, even if there is none"),
        ("when: not unit\n  then: x", "unit is always true, even if there is none"),
        ("when: unit.state == 3\n  then: x", "a text never equals the number 3"),
    ],
)
def test_what_no_unit_can_have_is_a_fault_with_its_line(step: str, fault: str) -> None:
    (found,) = faults_of(step)
    assert fault in found
    assert found.startswith("few/steps/shoot.yaml, line 5, column")


@pytest.mark.parametrize(
    "step",
    [
        'change: {set: {state: "gone if hits > 2 else none", men: "max(0, unit.men - hits)"}}',
        "change: {add: {men: -1}, mark: [pinned, lethal], set: {armour: heavy}}",
        'change: {of: squad, mark: "{unit.state}"}',
        "fate: {is: pinned, when: hits > 1}",
        "joins: {type: captain, state: fine, mark: pinned}",
        "when: unit != none and unit.name and targets and has(unit, 'pinned')\n  then: x",
        "when: has(unit, 'pinned') and unit.state in [fine, gone]\n  then: x",
    ],
)
def test_what_units_can_have_passes(step: str) -> None:
    assert faults_of(step) == ()


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("when: hits == 4\n  then: '{1 // (hits - 4)}'", "it divides by 0"),
        ("when: hits == 0\n  then: '{[1, 2][5] + 1}'", "only numbers can be used in arithmetic"),
        ("roll: {die: 1d6}\n  then: '{[1, 2, 3, 4, 5][die - 1] + 0}'", "only numbers"),
    ],
)
def test_dice_that_come_to_no_result_are_a_fault_each_time(step: str, why: str) -> None:
    """The check rolls the lowest dice, the highest and a few others, and always the same."""
    (found,) = faults_of(step)
    assert found.startswith("few/steps/shoot.yaml, line 6, column 3, row shoot, step 2, then: ")
    assert "some rolls have no result: " in found
    assert why in found
    assert faults_of(step) == (found,)
