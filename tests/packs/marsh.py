"""A small pack with tracks and upkeep, for the tests of both."""

from __future__ import annotations

import json
from typing import Any

from tests.playing import Channel
from tests.random_play import exported_text

MARSH: dict[str, str | bytes | None] = {
    "pack.yaml": 'id: marsh\ntitle: Marsh\nversion: "1"\nauthor: us\nlicence: CC0-1.0\n',
    "crt.yaml": None,
    "game.yaml": """\
groups: {combat: Combat}
lists: {results: [hit, miss]}
units:
  types: [squad, gun]
  attributes:
    loading: {type: int, min: 0, max: 9, help: turns until loaded}
    morale: {type: int, min: 2, max: 12, help: morale}
  states: [steady, shaken, gone]
  markers: [fired]
  well: [steady]
  lost: [gone]
tracks:
  weather: {words: [clear, rain, mud], title: Weather}
  points: {min: 0, max: 10, start: 3, of: side, title: Command points}
  omen: {min: -2, max: 2, shown: no}
rules:
  luck: {title: Luck, help: the luck of the marsh, sets: {shoot: {bonus: 1}}}
results:
  load:
    loading: {says: "{} is loading", many: "{} are loading"}
    loaded: {says: "{} is loaded", many: "{} are loaded"}
  rally:
    stays-shaken: {tone: shaken, says: "{} stays shaken", many: "{} stay shaken"}
    rallies: {says: "{} rallies", many: "{} rally"}
turns: by-side
phases:
- name: load
  title: Loading
  go: own
  buttons: [next]
  begins:
  - {run: load, has: [loading]}
  - {run: rally, states: [shaken]}
- {name: act, title: Action, go: own, buttons: [shoot, next]}
""",
    "sequences.yaml": """\
shoot:
  title: Shoot
  source: us
  summary: One shot, worse in the rain, and a point is spent.
  verb: Shoot
  cause: shoots
  dice: 1d6
  inputs:
    attackers: {type: units, help: who}
    targets: {type: units, help: whom}
    bonus: {type: int, min: 0, max: 3, default: 0, help: bonus}
  outputs: {roll: int, result: hit | miss}
  odds_by: result
  example: {attackers: squad, targets: squad}
  steps:
  - let:
      wet: 1 if track.weather == rain else 2 if track.weather == mud else 0
      needs: 4 + wet - bonus - (1 if side.points > foe.points else 0)
  - roll: {roll: "1d6: shot"}
    let: {result: hit if roll >= needs else miss}
    tell: {roll: roll, result: result}
    say: {label: Shot, dice: roll, result: "needs {needs}"}
    headline: "{result}"
  - change:
    - {track: points, of: side, add: -1}
    - {track: weather, add: 1, when: roll == 1}
    - {track: points, of: foe, add: 1, when: roll == 6}
load:
  title: Load
  source: us
  summary: Loading goes down by one.
  inputs: {units: {type: units, help: who}}
  outputs: {units: "list of {unit, becomes: loaded | loading}"}
  example: {units: squad loading=2}
  steps:
  - each: units
    let: {left: unit.loading - 1}
    tell: {unit: unit.word, becomes: loaded if left < 1 else loading}
    fate: "{'loaded' if left < 1 else 'loading'}"
    change: {add: {loading: -1}, unmark: fired}
rally:
  title: Rally
  source: us
  summary: A shaken unit rolls under its morale.
  verb: Rally
  dice: 2d6
  inputs: {units: {type: units, help: who}}
  outputs: {units: "list of {unit, roll: int, becomes: rallies | stays-shaken}"}
  odds_by: units[0].becomes
  example: {units: squad morale=7}
  steps:
  - each: units
    steps:
    - let: {needed: unit.morale}
    - roll: {roll: "2d6: nerve"}
      let: {becomes: rallies if roll <= needed else stays-shaken}
      tell: {unit: unit.word, roll: roll, becomes: becomes}
      say: {label: "{unit}", dice: roll, result: "against {needed}"}
      fate: "{becomes}"
      change: {when: roll <= needed, set: {state: steady}}
brace:
  title: Brace
  source: us
  summary: A unit rolls under its morale; each that passes costs a point.
  verb: Check
  dice: 2d6
  inputs: {unit: {type: unit, optional: true, help: who}}
  outputs: {roll: int, result: held | fled}
  odds_by: result
  example: {}
  steps:
  - let: {needed: "of(unit.morale, 7) if side.points > 0 else 0"}
  - roll: {roll: "2d6: nerve"}
    let: {result: held if roll <= needed else fled}
    tell: {roll: roll, result: result}
    say: {label: Nerve, dice: roll, result: "against {needed}"}
    headline: "{result}"
    change: {track: points, of: side, add: -1, when: roll <= needed}
""",
    "scenarios/ford.yaml": """\
title: The ford
sides: [Reds, Blues]
about: A ford in the rain.
tracks: {weather: rain, points: {Reds: 5}}
units:
- {name: "Red Squad 1..2", type: squad, side: Reds, morale: 7, loading: 3}
- {name: "Blue Squad 1..2", type: squad, side: Blues, morale: 7}
""",
}
STAND = """\
stand:
  title: Stand
  source: us
  summary: A side pays a point for its men, or they run.
  verb: Check
  dice: 1d6
  inputs: {units: {type: units, help: who}}
  outputs: {roll: int, result: paid | ran}
  odds_by: result
  example: {units: squad}
  steps:
  - roll: {roll: "1d6: nerve"}
  - choose:
      answer: {who: units, ask: "Pay, or run?", options: {pay: pay a point, run: run}, else: run}
  - let: {result: paid if answer == pay else ran}
    tell: {roll: roll, result: result}
    headline: "{result}"
    change: {track: points, of: side, add: -1, when: answer == pay}
"""
"""A sequence that asks a side to choose partway through."""
SHOT = 'marsh shoot attackers="Red Squad 1" targets="Blue Squad 1"'


async def every_event_of_tracks() -> list[dict[str, Any]]:
    """The events of a game whose tracks change in each way that there is; the pack must be in
    use.
    """
    channel = await Channel.fresh()
    await channel.do(
        "Anna", "game start marsh scenario=ford", "game join Reds", f"{SHOT} hand=2", "game undo"
    )
    await channel.do(
        "Anna", "game redo", "track set omen 1", f"{SHOT} hand=3 secret", "game reveal 8"
    )
    await channel.do("Anna", *["game next"] * 4, f"{SHOT} hand=4 secret", "game end confirm")
    found: list[dict[str, Any]] = [
        event["body"] for event in json.loads(await exported_text(channel))["events"]
    ]
    return found


async def ford() -> Channel:
    """Anna with the Reds, who have 5 points in the rain, and Bob with the Blues, who have 3."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start marsh scenario=ford", "game join Reds")
    await channel.do("Bob", "game join Blues")
    return channel
