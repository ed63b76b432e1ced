"""Scenarios of an extension: units of the game with the numbers that the extension adds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.systems.packs.archive import read_content
from bot.verification.check_file import check
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel
from tests.scenarios.test_pack_versions import exported

GAME = """
units:
  attributes:
    cold: {type: int, min: 0, max: 9, default: 0, help: how cold they are}
tracks:
  fuel: {max: 9, start: 4, of: side}
"""
SEQUENCES = """
frostbite:
  title: Frostbite
  source: ours
  summary: One die against the cold.
  verb: Check
  cause: checks for frostbite
  inputs: {units: {type: units, help: who is cold}}
  outputs: {result: [fit, frozen], cold: int}
  odds_by: result
  example: {units: squad}
  steps:
  - let: {cold: "units[0].cold"}
  - roll: {roll: "1d6: frost"}
    let: {result: frozen if roll <= cold else fit}
    headline: "{words(result)} at {cold}"
  - each: units
    change: {unit: unit, add: {cold: 1}}
"""
FORD = """
title: "The Frozen Ford"
sides: [US, German]
about: "The ford in winter."
turns: 4
tracks: {fuel: {US: 2, German: 7}}
units:
  - {name: "Rifle 1..2", type: squad, side: US, fp: 1, morale: 5}
  - {name: "Landser 1", type: squad, side: German, fp: 1, morale: 5, cold: 2}
"""
WINTER: dict[str, str | bytes | None] = {
    **dict.fromkeys(FEW),
    "pack.yaml": 'id: winter\ntitle: Winter\nversion: "1"\nauthor: us\nlicence: CC0-1.0\nextends: lnlt\n',
    "game.yaml": GAME,
    "sequences.yaml": SEQUENCES,
    "scenarios/frozen-ford.yaml": FORD,
}


@pytest.fixture
def winter(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> None:
    folder = make_pack(WINTER, "winter")
    assert check_content(read_content(folder)).faults == ()
    use_packs(folder.parent)


@pytest.mark.parametrize(
    "start",
    [
        "game start lnlt scenario=frozen-ford",
        "game start scenario=frozen-ford",
        "game start scenario=winter/frozen-ford",
    ],
)
async def test_a_scenario_of_an_extension_starts_its_game(winter: None, start: str) -> None:
    channel = await Channel.fresh()
    begun = await channel.do("Anna", start)
    assert begun.title == 'Anna starts "The Frozen Ford"'
    assert "Turn 1 of 4" in begun.text()
    assert "Fuel: US 2, German 7" in begun.text()
    assert (await channel.game()).system == "lnlt"
    first = await channel.do("Anna", 'winter frostbite "Landser 1" hand=6')
    assert first.title == "Fit at 2"
    assert (await channel.do("Anna", 'winter frostbite "Landser 1" hand=3')).title == "Frozen at 3"
    await channel.do("Anna", "undo")
    assert (await channel.do("Anna", 'winter frostbite "Landser 1" hand=6')).title == "Fit at 3"
    assert (await channel.do("Anna", 'winter frostbite "Rifle 1" hand=6')).title == "Fit at 0"
    assert (await channel.do("Anna", 'winter frostbite "Rifle 1" hand=6')).title == "Fit at 1"
    assert check(await exported(channel)).faults == ()


async def test_it_is_found_in_help_and_offered_with_the_scenarios_of_its_game(winter: None) -> None:
    channel = await Channel.fresh()
    page = await channel.do("Anna", "help frozen ford")
    assert "/game start lnlt scenario=frozen-ford" in page.text()


def test_a_number_that_is_added_to_and_that_no_unit_has_is_asked_about() -> None:
    game = GAME.replace("default: 0, ", "")
    steps = SEQUENCES.replace('"units[0].cold"', '"of(units[0].cold, 0)"')
    files = {**WINTER, "game.yaml": game, "sequences.yaml": steps}
    files["scenarios/frozen-ford.yaml"] = FORD.replace(", cold: 2", "")
    content = {name: str(text).encode() for name, text in files.items() if text is not None}
    report = check_content(content)
    assert report.faults == ()
    (asked,) = [one for one in report.questions if "adds to cold" in one]
    assert "which no unit of a scenario has: give the attribute a default" in asked
