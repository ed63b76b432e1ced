"""Attributes of units in a pack: what counts where nothing is noted, and which keys they have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.play_once import play_sequence
from bot.verification.check_file import check
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import exported

GAME = """
groups: {combat: Combat}
units:
  types: [squad]
  attributes:
    men: {type: int, min: 1, max: 40, help: men}
    cold: {type: int, min: 0, max: 9, default: 2, help: how cold they are}
    armour: {type: enum, values: [none, light, heavy], default: light, help: armour}
    grade: {type: enum, values: [green, elite], help: how good they are}
  states: [fit, frozen]
"""
SEQUENCES = """
freeze:
  title: Frostbite
  source: ours
  summary: One die, and colder each time.
  verb: Check
  cause: checks
  dice: 1d6
  inputs: {units: {type: units, help: who}}
  outputs: {result: [fit, frozen], cold: int, armour: text}
  odds_by: result
  example: {units: squad}
  steps:
  - let: {cold: "units[0].cold", armour: "units[0].armour"}
  - roll: {roll: "1d6: frost"}
    let: {result: frozen if roll <= cold else fit}
    headline: "{words(result)} at {cold}"
  - each: units
    change: {unit: unit, add: {cold: 1}}
"""


def pack_with(game: str = GAME, sequences: str = SEQUENCES) -> PackSystem:
    files = {**FEW, "game.yaml": game, "sequences.yaml": sequences}
    return PackSystem({name: text.encode() for name, text in files.items()})


def test_a_default_counts_for_a_unit_on_which_nothing_is_noted() -> None:
    assert check_content(pack_with().content).faults == ()
    freeze = pack_with().find_sequence("freeze")
    out = play_sequence(freeze, {"units": "squad"}, Script([3])).out
    assert out == {"result": "fit", "cold": 2, "armour": "light"}
    out = play_sequence(freeze, {"units": "squad cold=5 armour=heavy"}, Script([3])).out
    assert out == {"result": "frozen", "cold": 5, "armour": "heavy"}


async def test_a_default_is_added_to_and_undone(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    use_packs(make_pack({"game.yaml": GAME, "sequences.yaml": SEQUENCES}).parent)
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start few Frost sides="Blue, Red"',
        "unit add Ours squad Blue men=8",
        "few freeze Ours hand=6",
    )
    assert (await channel.do("Anna", "few freeze Ours hand=6")).title == "Fit at 3"
    await channel.do("Anna", "undo")
    assert (await channel.do("Anna", "few freeze Ours hand=6")).title == "Fit at 3"
    assert (await channel.do("Anna", "few freeze Ours hand=6")).title == "Fit at 4"
    assert check(await exported(channel)).faults == ()


@pytest.mark.parametrize(("attribute", "example"), [("men", "20"), ("grade", "green")])
def test_the_hint_names_a_value_that_the_attribute_takes(attribute: str, example: str) -> None:
    sequences = SEQUENCES.replace("units[0].cold", f"units[0].{attribute}")
    freeze = pack_with(sequences=sequences).find_sequence("freeze")
    with pytest.raises(UserError, match=rf"squad needs {attribute}.*squad {attribute}={example}\."):
        play_sequence(freeze, {"units": "squad"}, Script([1]))


@pytest.mark.parametrize("key", ["optional: true", "brings: unit.men", "free: true"])
def test_a_key_that_no_attribute_reads_is_a_fault(key: str) -> None:
    game = GAME.replace("max: 40,", f"max: 40, {key},")
    faults = check_content(pack_with(game).content).faults
    fault = f"an attribute cannot have {key.split(':')[0]}; that is for inputs"
    assert [found for found in faults if fault in found], faults


@pytest.mark.parametrize(
    ("before", "after", "row"),
    [
        ("    grade:", "    class:", "units attributes class"),
        ("  states:", "  flags: {from: afar}\n  states:", "units flags from"),
        ("units:", "tracks: {if: {max: 3}}\nunits:", "tracks if"),
    ],
)
def test_a_name_that_no_formula_can_read_is_a_fault(before: str, after: str, row: str) -> None:
    (fault,) = check_content(pack_with(GAME.replace(before, after)).content).faults
    assert f"row {row}" in fault
    assert "is a word used in formulas; call it something else" in fault
