"""Scenarios of an extension: units of the game with the numbers that the extension adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.game.roster_file import find_scenario
from bot.packs.check import check_content
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.archive import read_content
from bot.verification.check_file import check
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import exported

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
    assert "Turn 1 of 4" in begun.format_text()
    assert "Fuel: US 2, German 7" in begun.format_text()
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
    assert "/game start lnlt scenario=frozen-ford" in page.format_text()


WINTER_FORD = """
title: "The Ford in Winter"
builds_on: ford
without: [Doc, "Local 3..4"]
turns: 4
tracks: {fuel: {US: 2}}
units:
  - {name: "Rifle 1..2", cold: 2}
  - {name: "cadre minh", morale: 6, state: shaken}
  - {name: "Local 9", type: squad, side: VC, morale: 3, fp: 1}
"""


def winter_with(scenario: str) -> dict[str, bytes]:
    files = {**WINTER, "scenarios/winter-ford.yaml": scenario}
    return {name: str(text).encode() for name, text in files.items() if text is not None}


async def test_a_scenario_builds_on_one_of_the_game(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    folder = make_pack({**WINTER, "scenarios/winter-ford.yaml": WINTER_FORD}, "winter")
    assert check_content(read_content(folder)).faults == ()
    use_packs(folder.parent)
    ford = find_scenario(load_shared_systems()["lnlt"], "ford")
    scenario = find_scenario(load_shared_systems()["winter"], "winter-ford")
    assert (scenario.title, scenario.turns, scenario.sides) == (
        "The Ford in Winter",
        4,
        ford.sides,
    )
    assert (scenario.about, scenario.wins) == (ford.about, ford.wins)
    assert scenario.units.keys() - ford.units.keys() == {"local 9"}
    assert ford.units.keys() - scenario.units.keys() == {"doc", "local 3", "local 4"}
    changed = {"rifle 1", "rifle 2", "cadre minh", "local 9"}
    for key in scenario.units.keys() - changed:
        assert replace(scenario.units[key], handle="") == replace(ford.units[key], handle="")
    assert scenario.units["rifle 1"].numbers == {**ford.units["rifle 1"].numbers, "cold": 2}
    minh = scenario.units["cadre minh"]
    assert (minh.name, minh.state, minh.numbers["morale"]) == ("Cadre Minh", "shaken", 6)
    channel = await Channel.fresh()
    begun = await channel.do("Anna", "game start lnlt scenario=winter-ford")
    assert "Turn 1 of 4" in begun.format_text()
    assert "Six turns on any map" in begun.format_text()
    assert "Fuel: US 2, VC 4" in begun.format_text()
    assert (await channel.do("Anna", 'winter frostbite "Rifle 1" hand=2')).title == "Frozen at 2"
    assert check(await exported(channel)).faults == ()
    assert (
        "Six turns on any map"
        in (await channel.do("Anna", "help the ford in winter")).format_text()
    )


def test_a_scenario_builds_on_one_of_its_own_pack() -> None:
    colder = 'title: Colder\nbuilds_on: frozen-ford\nunits:\n- {name: "Landser 1", cold: 5}\n'
    assert check_content(winter_with(colder)).faults == ()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("builds_on: fjord", "there is no scenario fjord. Did you mean ford?"),
        ("builds_on: winter-ford", "there is no scenario winter-ford"),
        ("builds_on: ford\nwithout: [Dog]", 'ford has no unit "Dog". Did you mean Doc?'),
        ("builds_on: ford\nwithout: Doc", 'without: must be a list of texts, not "Doc"'),
        (
            'builds_on: ford\nunits: [{name: "Rifel 1", cold: 2}]',
            "line 3: Rifel 1 is not a unit of ford, and a new one needs a type",
        ),
        ('builds_on: ford\nunits: [{name: "Rifle 1", colt: 2}]', "line 3, column 33, colt: "),
        ("builds_on: ford\nsides: [US, German]", '"VC" is not one of its sides'),
        (
            "without: [Doc]\nsides: [US, VC]\nunits: []",
            "without: only works together with builds_on",
        ),
        ("on: ford", "builds_on: ford"),
    ],
)
def test_a_scenario_that_cannot_be_built_is_a_fault_with_its_place(wrong: str, said: str) -> None:
    faults = check_content(winter_with(f"title: Winter\n{wrong}\n")).faults
    assert any("winter-ford.yaml" in fault and said in fault for fault in faults), faults


def test_a_scenario_builds_on_no_scenario_that_is_built_itself() -> None:
    files = winter_with(WINTER_FORD)
    files["scenarios/third.yaml"] = b"title: Third\nbuilds_on: winter-ford\n"
    faults = check_content(files).faults
    assert any("winter-ford is itself built on ford; name ford instead" in one for one in faults)


def test_a_number_that_is_added_to_and_that_no_unit_has_is_asked_about() -> None:
    game = GAME.replace("default: 0, ", "")
    steps = SEQUENCES.replace('"units[0].cold"', '"of(units[0].cold, 0)"')
    files = {**WINTER, "game.yaml": game, "sequences.yaml": steps}
    files["scenarios/frozen-ford.yaml"] = FORD.replace(", cold: 2", "")
    content = {name: str(text).encode() for name, text in files.items() if text is not None}
    report = check_content(content)
    assert report.faults == ()
    (asked,) = [one for one in report.questions if "adds to cold" in one]
    assert "which no unit in any scenario has: give the attribute a starting value" in asked
