"""Helpers of tests/scenarios/test_extensions.py, which other tests use as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.rulesets.packs.archive import zip_content
from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Place
from bot.verification.check_file import check
from bot.verification.check_games import audit_game
from tests.commands.pack_helpers import add, managed
from tests.extension import EXTENSION, extension
from tests.packs.conftest import use_packs as use_packs
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import exported, loaded_at

ABOUT, CARD = EXTENSION["pack.yaml"], EXTENSION["card.yaml"]

WEATHER = {
    "pack.yaml": ABOUT.replace("club-ift", "weather").replace("Club fire", "Weather"),
    "game.yaml": "units: {attributes: {wet: {type: int, min: 0, max: 9, help: how wet}}}",
    "omen.yaml": """
title: Omens
source: ours
group: fire
kind: roll
summary: What a die says.
inputs: {roll: {type: int, min: 1, max: 6, optional: true, help: the die}}
outputs: {omen: [good, bad]}
rolls: {roll: {dice: 1d6, label: omen}}
read:
  rows: roll
  cells: {1-3: good, 4-6: bad}
example: {roll: 2}
examples: [{given: {roll: 2}, gives: {omen: good}}]
""",
    "sequences.yaml": """
sky:
  title: Sky
  source: ours
  summary: One die, and who stands in it gets wet.
  dice: 1d6
  inputs: {targets: {type: units, help: who stands in it}}
  outputs: {roll: int}
  odds_by: roll
  example: {targets: squad}
""",
    "steps/sky.yaml": """
steps:
- roll: {roll: "1d6: sky"}
  tell: {roll: roll}
  say: {label: Sky, dice: roll}
  headline: "{roll}"
- each: targets
  change: {unit: unit, add: {wet: 1}}
""",
}


async def server(*packs: dict[str, str]) -> Channel:
    """A server with these packs added, each enabled in its turn."""
    channel = await Channel.fresh(place=Place("slack:T1/C1", "slack:T1", "#north"), prefix="n")
    for pack in packs or ({},):
        files = (
            pack
            if "pack.yaml" in pack and "weather" in pack["pack.yaml"]
            else {**EXTENSION, **pack}
        )
        assert not (await add(channel, _zip(files))).error
        id = "weather" if "weather" in files["pack.yaml"] else "club-ift"
        await managed(channel, f"pack enable {id}")
    return channel


def _zip(files: dict[str, str]) -> str:
    return read_file_text(
        zip_content({name: text.encode() for name, text in files.items()}), "pack.zip"
    )


START = (
    'game start asl "Hill" sides="US, GE"',
    "game join US",
    'unit add "Alpha" squad side=US fp=4 morale=7',
    'unit add "Burner" ft-team side=US fp=12',
    'unit add "Beta" squad side=GE morale=7',
)


async def sound(channel: Channel) -> dict[str, Any]:
    """The export of the game, which holds all that it takes to verify it, here and in the store."""
    log = await exported(channel)
    found = check(log)
    assert (found.faults, found.unplayed) == ((), 0)
    assert not await audit_game(channel.app.store, (await loaded_at(channel)).row)
    return log


async def every_event_of_extensions() -> list[dict[str, Any]]:
    """The events of games that an extension joins in each way that there is."""
    north = await server({}, WEATHER)
    await north.do("Anna", *START, "weather-table omen")
    unit = Channel(north.app, replace(north.place, key="slack:T1/C2"), "u")
    await unit.do("Anna", 'unit add "Burner" ft-team')
    used = Channel(north.app, replace(north.place, key="slack:T1/C3"), "f")
    await used.do("Anna", "club-ift fire attackers='squad fp=4' targets=squad")
    late = await server(WEATHER)
    await late.do("Anna", *(line.replace(" fp=4", "") for line in START if "ft-team" not in line))
    assert not (await add(late, extension())).error
    await managed(late, "pack enable club-ift")
    await late.do("Anna", "game settings pack=club-ift")
    found = []
    for channel in (north, unit, used, late):
        rows = await channel.app.store.load_events((await loaded_at(channel)).row)
        await sound(channel)
        found += [row.data for row in rows]
    return found
