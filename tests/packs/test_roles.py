"""Who acts, who helps and who is aimed at in a pack, and what its odds and refusals say of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rules.text.names import get_singular_verb
from bot.rulesets.packs.pack import PackSystem
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel

GAME = """
groups: {combat: Combat}
words: {output fell: men lost}
units:
  types: [trooper]
  attributes: {men: {type: int, min: 1, max: 40, default: 2, help: men}}
  states: [fit, gone]
tracks:
  ammo: {max: 9, start: 5}
  points: {max: 9, of: side}
"""
SEQUENCES = """
shoot:
  title: Shoot
  source: ours
  summary: A die for each man.
  verb: Open fire
  cause: opens fire
  inputs:
    gunners: {type: units, role: acts, help: who shoots}
    captain: {type: unit, optional: true, role: helps, help: who helps}
    victims: {type: units, role: targets, help: at whom}
  outputs: {fell: int}
  odds_by: fell
  example: {gunners: trooper, victims: trooper}
  steps:
  - when: track.ammo == 0
    refuse: "No ammunition is left."
  - pool: {dice: "{gunners[0].men}d6: fire", success: face >= 5, gives: fell}
  - let: {fell: fell}
    headline: "{fell} fall"
    change: {track: points, of: side, add: 1}
"""
PACK = {"game.yaml": GAME, "sequences.yaml": SEQUENCES}


@pytest.fixture
def few(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> None:
    use_packs(make_pack(PACK).parent)


async def table() -> Channel:
    """Return a game with a gunner, a captain and a victim."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start few "Hill" sides="Blue, Red"',
        "unit add Tom trooper Blue",
        "unit add Brand trooper Blue",
        "unit add Ann trooper Red",
    )
    return channel


async def test_roles_say_who_acts_and_whom_the_odds_are_about(few: None) -> None:
    channel = await table()
    odds = await channel.do("Anna", "few shoot Tom victims=Ann captain=Brand odds")
    assert odds.title == "Men lost: 1 (44%), 0 (44%), 2 (11%)"
    assert odds.by == "Tom opens fire"
    text = odds.format_text()
    assert "Ann, men lost" in text
    assert "Brand" not in text
    assert "Ammo 5" in text
    assert "points" not in text.casefold(), "what is only changed is not among what was read"
    shot = await channel.do("Anna", "few shoot Tom victims=Ann captain=Brand hand=6,1")
    assert (shot.title, shot.by) == ("1 fall", "Tom opens fire")


async def test_what_a_change_is_worth_by_a_number_says_what_it_is_of(few: None) -> None:
    channel = await table()
    compared = await channel.do("Anna", "few shoot Tom victims=Ann compare")
    assert compared.title == "No single change helps: 56% as planned"
    assert compared.by == "men lost 1 or more · Tom opens fire"


async def test_a_refusal_without_a_hint_gives_no_example_of_something_else(few: None) -> None:
    channel = await table()
    await channel.do("Anna", "track set ammo 0")
    error = await channel.refused("Anna", "few shoot Tom victims=Ann", "card-refuses")
    assert error.title == "No ammunition is left."
    assert "For example" not in error.format_text()


def test_a_role_is_one_of_three_and_of_units() -> None:
    for wrong in ("role: helper", "type: int, role: acts"):
        changed = SEQUENCES.replace("type: unit, optional: true, role: helps", wrong)
        files = {**FEW, **PACK, "sequences.yaml": changed}
        pack = PackSystem({name: text.encode() for name, text in files.items()})
        (fault,) = check_content(pack.content).faults
        assert "role must be acts, helps or targets, and the type unit or units" in fault


def test_the_first_word_of_a_verb_is_put_right() -> None:
    verbs = ("fire", "go", "roll orders", "open fire", "pass")
    assert [get_singular_verb(verb) for verb in verbs] == [
        "fires",
        "goes",
        "rolls orders",
        "opens fire",
        "passes",
    ]


WINTER = {
    "pack.yaml": 'id: winter\ntitle: Winter\nversion: "1"\nauthor: us\nlicence: CC0-1.0\nextends: lnlt\n',
    "sequences.yaml": """
charge:
  title: Charges
  source: ours
  summary: Blow a bridge.
  verb: Blow
  cause: blows the bridge
  inputs: {units: {type: units, help: who blows it}}
  outputs: {result: [damaged, destroyed, stands]}
  odds_by: result
  example: {units: squad}
  steps:
  - roll: {roll: "1d6: charge"}
    let: {result: destroyed if roll >= 5 else damaged if roll >= 3 else stands}
    headline: "the bridge is {words(result)}"
    change: {track: bridge, set: down, when: result == destroyed}
""",
    "game.yaml": "tracks: {bridge: {words: [up, down]}}\n",
}


async def test_results_that_no_unit_suffers_are_not_read_as_states_of_the_game(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    files = dict.fromkeys(FEW, None) | WINTER
    use_packs(make_pack(files, "winter").parent)
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Ford" scenario=ford')
    odds = await channel.do("Anna", 'winter charge "Rifle 2" odds')
    assert odds.title == "Destroyed 33%, damaged 33%, stands 33%"


async def test_a_command_of_a_pack_that_is_left_out_says_why(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    broken = WINTER["sequences.yaml"].replace("odds_by", "odds_bye")
    files = dict.fromkeys(FEW, None) | WINTER | {"sequences.yaml": broken}
    use_packs(make_pack(files, "winter").parent)
    channel = await Channel.fresh()
    error = await channel.refused("Anna", "winter charge squad", "unknown-command")
    assert error.title == "The pack winter is not loaded."
    assert '"odds_bye" is not known here. Did you mean odds_by?' in error.format_text()


async def test_a_unit_that_begins_with_a_number_is_not_taken_for_several(few: None) -> None:
    channel = await Channel.fresh()
    error = await channel.refused("Anna", 'few shoot "1 Inf" victims=trooper', "unknown-unit")
    assert error.title == 'No unit is called "1 Inf" here.'
    await channel.refused("Anna", 'few shoot "2 troopers" victims=trooper', "bad-unit")
