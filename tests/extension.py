"""A pack that extends asl, with made-up figures: a fire table, the shot, a unit type and a
number of its own.
"""

from __future__ import annotations

from bot.rulesets.packs.archive import zip_content
from bot.ui.reply.packing import read_file_text

EXTENSION: dict[str, str] = {
    "pack.yaml": 'id: club-ift\ntitle: Club fire\nversion: "1"\nauthor: us\nlicence: CC0-1.0\nextends: asl\n',
    "game.yaml": """
lists: {fire_results: [killed, 2mc, 1mc, nmc, ok]}
units:
  types: [ft-team]
  attributes:
    fp: {type: int, min: 1, max: 40, help: "firepower"}
  states: {scorched: "burnt but alive"}
results:
  fire: {killed: {tone: hurt, says: "{} is killed"}, nmc: {tone: shaken, says: "{} takes a morale check"}}
""",
    "card.yaml": """
title: Club fire table
source: the club's card
group: fire
kind: grid
summary: 2d6 + DRM in the column of the firepower.
inputs:
  fp: {type: int, min: 1, max: 40, help: firepower}
  total: {type: int, min: -10, max: 30, help: 2d6 + DRM}
outputs: {result: fire_results}
derive:
  _row: "max(2, min(12, total))"
  _column: "1 if fp < 4 else 4 if fp < 12 else 12"
read:
  rows: _row
  columns: {by: _column, heads: ["1", "4", "12"], from: [1, 4, 12]}
  gives: result
  cells:
    2-4: [1mc, 2mc, killed]
    5-7: [nmc, 1mc, 2mc]
    8-9: [ok, nmc, 1mc]
    10-12: [ok, ok, ok]
example: {fp: 4, total: 6}
examples: [{given: {fp: 4, total: 6}, gives: {result: 1mc}}]
""",
    "sequences.yaml": """
fire:
  title: Club fire
  source: the club's card
  summary: 2d6 + DRM in the column of the firepower.
  verb: Fire
  cause: fires
  dice: 2d6
  inputs:
    attackers: {type: units, help: the units that fire together}
    targets: {type: units, help: who is shot at}
    drm: {type: int, min: -6, max: 10, default: 0, help: sum of the DRM}
  outputs: {total: int, targets: "list of {unit, result: fire_results}"}
  odds_by: targets[0].result
  example: {attackers: squad fp=4, targets: squad morale=7, drm: 1}
""",
    "steps/fire.yaml": """
steps:
- let: {fp: 0}
- each: attackers
  steps:
  - let: {fp: fp + unit.fp}
- roll: {roll: "2d6: fire"}
  let: {total: roll + drm}
- let: {found: "card(fp=fp, total=total)"}
  tell: {total: total}
  say: {label: Fire, dice: roll, parts: {DRM: drm}, total: total, result: "{fp} FP: {words(found.result)}"}
- each: targets
  row: "{unit}"
  tell: {unit: unit.word, result: found.result}
  fate: "{found.result}"
  change: {unit: unit, set: {state: "scorched if found.result == '2mc' else none"}}
- headline: "{words(found.result)}"
""",
}


def extension(changed: dict[str, str] | None = None) -> str:
    """The pack as the text of its zip, with some files changed."""
    files = {name: text.encode() for name, text in {**EXTENSION, **(changed or {})}.items()}
    return read_file_text(zip_content(files), "club.zip")
