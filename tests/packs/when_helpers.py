"""Helpers of tests/packs/test_when.py, which other tests use as well."""

from __future__ import annotations

SHOOT = """
shoot:
  title: Shoot
  source: ours
  summary: One die against the range.
  dice: 1d6
  verb: Shoot
  inputs:
    range: {type: int, min: 1, max: 12, help: inches}
    rested: {type: bool, when: "range > 6", help: barrels rested on a wall}
    reply: {type: bool, help: they shoot back}
    facing: {type: enum, values: [front, far-side], when: reply, help: what they see}
    angle: {type: int, min: 0, max: 9, default: 0, when: "facing_known", help: how far round}
    facing_known: {type: enum, values: [yes-it-is, unknown], default: unknown, help: whether it is known}
  outputs: {result: hit | miss}
  odds_by: result
  example: {range: 7, rested: true}
  steps:
  - let: {needed: "4 if rested else 5"}
  - when: reply
    let: {needed: "6 if facing == front else needed"}
  - roll: {roll: "1d6: shot"}
    tell: {result: hit if roll >= needed else miss}
    headline: "{words(hit if roll >= needed else miss)}"
event:
  title: Event
  source: ours
  summary: One die and nothing to say.
  dice: 1d6
  inputs: {}
  outputs: {result: calm | storm}
  odds_by: result
  example: {}
  steps:
  - roll: {roll: "1d6: event"}
    tell: {result: storm if roll == 6 else calm}
    headline: "{words(storm if roll == 6 else calm)}"
""".replace('when: "facing_known"', "when: \"facing_known == 'yes-it-is'\"").replace(
    '- when: reply\n    let: {needed: "6 if facing == front else needed"}',
    '- let: {needed: "6 if reply and facing == front else needed"}',
)

GAME = (
    "groups: {combat: Combat}\nunits: {types: [unit]}\n"
    "phases: [{name: sky, title: Sky, buttons: [event, shoot, next]}]\n"
)

PACK = {"sequences.yaml": SHOOT, "game.yaml": GAME}
