"""Helpers of tests/packs/test_draws.py, which other tests use as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bot.verification.check_file import check
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

CHANCES = """\
title: Chances
cards:
  - {id: quiet, name: "All quiet", count: 4, ap: 0, side: none, after: back}
  - {id: rain, name: Rain, count: 2, ap: 1, side: both, wet: true}
  - {id: guide, name: "A guide", ap: 3, side: blue, after: removed}
"""

PLAIN = "title: Events\nempty: refuse\nafter: removed\ncards: [{id: storm, ap: 2, count: 2}, {id: calm, ap: 0}]\n"

SEQUENCES = """\
chance:
  title: Chance
  source: "ours"
  summary: A card, and a die where it has any ap.
  dice: 1d6
  inputs: {units: {type: units, help: "who"}}
  outputs: {result: [lost, held], ap: int, card: text}
  odds_by: result
  example: {units: "unit"}
  steps:
  - draw: {card: "chances: a chance for {units[0]}"}
    roll: {die: "1d6: nerve"}
    let: {ap: card.ap, result: lost if die <= card.ap else held}
    headline: "{result}"
  - change: {unit: "units[0]", when: result == lost, set: {state: lost}}
pair:
  title: Pair
  source: "ours"
  summary: Two cards at once, one of which stays in play.
  inputs: {n: {type: int, default: 1, min: 0, max: 9, help: "how many events"}}
  outputs: {total: int}
  odds_by: total
  example: {n: 1}
  steps:
  - draw: {one: chances, other: "chances, into play"}
  - let: {total: one.ap + other.ap}
  - each: numbers(n)
    draw: {event: events}
    let: {total: total + event.ap}
  - headline: "{total} in all"
ask:
  title: Ask
  source: "ours"
  summary: A card, then a side is asked.
  inputs: {units: {type: units, help: "who"}}
  outputs: {result: [stay, go, lost]}
  odds_by: result
  example: {units: "unit"}
  steps:
  - draw: {card: chances}
  - choose: {what: {who: actor, ask: "{card}. Stay or go?", options: {stay: "stay", go: "go"}, else: stay}}
  - let: {result: stay}
  - when: what == go
    roll: {die: 1d6}
    let: {result: lost if die <= card.ap else go}
  - headline: "{result}"
"""

MARCH = """\
march:
  title: March
  source: "ours"
  summary: A card for each unit.
  inputs: {unit: {type: unit, help: "who"}}
  outputs: {result: text}
  odds_by: result
  steps:
  - draw: {card: chances}
    let: {result: card.id}
    headline: "{unit}: {result}"
"""

GAME = (
    "groups: {combat: Combat}\nunits: {types: [unit], states: [well, lost], well: [well], lost: [lost]}\n"
    "scores: {chance: {lost: -1, held: 0}}\nturns: by-side\nphases: [{name: fire, go: own, buttons: [chance, next]}]\n"
)

SCENARIO = (
    "title: Ford\nsides: [Reds, Blues]\nunits:\n- {name: 'Red 1..3', type: unit, side: Reds}\n"
    "- {name: Blue, type: unit, side: Blues}\n"
)

FILES: dict[str, str | bytes | None] = {
    "game.yaml": GAME, "decks/chances.yaml": CHANCES, "decks/events.yaml": PLAIN, "sequences.yaml": SEQUENCES,
    "scenarios/ford.yaml": SCENARIO,
}  # fmt: skip


async def ford() -> Channel:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start few scenario=ford", "game join Reds")
    await channel.do("Bob", "game join Blues")
    return channel


async def left(channel: Channel, deck: str = "chances") -> str:
    """What is out of a pile, in short."""
    game = await channel.game()
    return " ".join(
        f"{key.partition('/')[2]}={count}"
        for key, count in sorted(game.cards.items())
        if deck in key
    )


async def sound(channel: Channel, folder: Path) -> dict[str, Any]:
    """The exported log, which all three verifiers find sound."""
    log: dict[str, Any] = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []
    (seen,) = said_by_page([json.dumps(log)], folder)
    assert seen["faults"] == []
    return log
