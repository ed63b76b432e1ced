"""Helpers of tests/rules/declared/test_pools.py, which other tests use as well."""

from __future__ import annotations

ROUNDS = """
- each: units
  roll: {roll: "3d3: attack"}
  let: {needed: unit.morale - 4, unit.hits: "how_many(roll, face >= needed)", spare: "faces(roll)[len(units) - 1]"}
  steps:
  - when: unit.hits > 1 and spare > 1
    roll: {saves: 2d2}
    let: {unit.hits: "unit.hits - how_many(saves, face == 2 if needed == 2 else face == 1)"}
- let: {sum: 0}
- each: units
  row: "{unit}"
  let: {sum: sum + unit.hits}
  tell: {result: "pass if unit.hits > 0 else fails"}
- tell: {total: sum}
"""

CHOICES = """
- roll: {roll: "4d3"}
- let: {better: lucky, sum: 0}
- when: lucky
  let: {sum: "how_many(roll, face == 3)"}
  else:
  - let: {sum: "faces(roll)[1] if faces(roll)[0] > 1 else 0", better: "faces(roll)[3] == 1"}
- when: sum > 1
  roll: {more: 1d2}
  let: {sum: "sum + more + how_many(roll, face == 2)"}
- each: units
  tell: {result: "pass if faces(roll)[at] > 2 and better else fails"}
- tell: {total: sum}
"""
