"""Dice that hang on dice, dice words, pools and losses in a channel: typed dice, odds, undo,
sealed, verified.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.packs.check import check_content
from bot.rulesets.packs.archive import read_content
from tests.packs.conftest import PackMaker
from tests.playing import Channel

GAME = """
groups: {combat: Combat}
units:
  types: [squad]
  attributes:
    men: {type: int, min: 0, max: 12}
    nerve: {type: int, min: 2, max: 12}
  states: [steady, gone]
  well: [steady]
  lost: [gone]
results:
  "*":
    gone: {tone: hurt, says: "{} is gone", many: "{} are gone"}
    loses: {tone: hurt, says: "{} loses {more}", many: "{} lose {more} each"}
"""
VOLLEY = """
volley:
  title: Volley
  source: ours
  summary: A die a man, a save a hit, losses and nerve.
  group: combat
  verb: Shoot
  cause: shoots
  inputs:
    shooters: {type: units, help: "who shoots"}
    targets: {type: units, help: "at whom"}
    save: {type: int, min: 2, max: 6, default: 5, help: "what saves"}
  outputs:
    hits: int
    saved: int
    lost: int
    targets: "list of {unit, fell, becomes: steady | gone, held: yes | no}"
  odds_by: lost
  example: {shooters: "squad men=4 nerve=7", targets: "squad men=4 nerve=7"}
  steps:
  - let: {men: 0}
  - {each: shooters, let: {men: men + unit.men}}
  - pool: {dice: "{men}d6, at most 40: fire", success: face >= 4, gives: hits, explodes: 6}
  - pool: {dice: "{hits}d6, at most 3: saves", success: face >= save, gives: saved}
  - let: {lost: hits - saved}
  - spread: {loss: lost, over: targets, from: men, lost: gone}
  - each: targets
    when: unit.fell > 0 and unit.becomes != gone
    test:
      dice: "2d6kh1: nerve of {unit}"
      plus: {men lost: unit.fell}
      at_most: unit.nerve
      gives: ["yes", "no"]
      as: held
  - headline: "{hits} hit{|s}, {lost} {man falls|men fall}"
"""


@pytest.fixture
def volley(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    folder = make_pack(
        {
            "game.yaml": GAME,
            "sequences.yaml": VOLLEY,
        }
    )
    use_packs(folder)
    return folder


def test_the_pack_is_right(volley: Path) -> None:
    assert check_content(read_content(volley)).faults == ()


async def test_a_volley_in_a_channel(
    volley: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start few "The Lane"', "game settings hand_dice=yes")
    await channel.do(
        "Anna",
        'unit add "Able" squad men=4 nerve=7',
        'unit add "Baker" squad men=2 nerve=7',
        'unit add "Cox" squad men=5 nerve=8',
    )
    shot = 'few volley shooters=Able targets="Baker; Cox"'
    odds = (await channel.do("Anna", f"{shot} odds")).format_text()
    assert "%" in odds
    assert "Next die: fire (d6)" in (await channel.say("Anna", f"{shot} hand=6,4,4")).format_text()
    told = (await channel.do("Anna", f"{shot} hand=6,4,4,1,5,6,1,1,3,4")).format_text()
    assert told.splitlines()[:5] == [
        "Baker is gone, Cox loses 1 · Able shoots",
        "Fire: [6!] [4] [4] [1] [5], 4 of 5 hits",
        "Saves: 3 dice of 4, the card's most",
        "Saves: [6] [1] [1], 1 of 3 saved",
        "Nerve of Cox: [~3~] [4] + 1 men lost = 5, needs 8 or less",
    ]
    units = (await channel.game()).units
    assert (units["baker"].state, units["cox"].numbers["men"]) == ("gone", 4)
    await channel.do("Anna", "game undo")
    assert (await channel.game()).units["cox"].numbers["men"] == 5
    await channel.do("Anna", "game redo", "game undo", "game settings hand_dice=no")
    await channel.do(
        "Anna",
        shot,
        "game undo",
        f"{shot} save=6 secret",
        "game reveal 13",
        "game stats",
        "fair reveal",
    )
    [exported] = (await channel.do("Anna", "game export")).files
    file = tmp_path / exported.name
    file.write_text(str(exported.content), encoding="utf-8")
    assert main(["verify", str(file)]) == 0, capsys.readouterr().out


def test_resolve_and_batch_take_typed_dice(
    volley: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = [
        "few",
        "volley",
        "shooters=squad men=2",
        "targets=squad men=3 nerve=7",
        "--dice",
        "4,5,5,1,3,4",
    ]
    assert main(["--packs", str(volley), "resolve", *typed]) == 0
    assert "The squad loses 1" in capsys.readouterr().out


DUEL = """
duel:
  title: Duel
  source: ours
  summary: Each side rolls a die a man, each hit a save, until one has nobody left.
  group: combat
  inputs:
    ours: {type: int, min: 1, max: 9, help: "our men"}
    theirs: {type: int, min: 1, max: 9, help: "theirs"}
    cover: {type: bool, help: "they are behind a wall"}
  outputs: {left: int, standing: int, result: won | lost | goes-on}
  odds_by: result
  rounds: {ends: [{when: {result: [won, lost]}}], then: {ours: {becomes: left}, theirs: {becomes: standing}}}
  example: {ours: 2, theirs: 2}
  steps:
  - pool: {dice: "{ours}d6: ours", success: face >= 5, gives: hits}
  - pool: {dice: "{hits}d6: their saves", success: "face >= (4 if cover else 7)", gives: saved}
  - let: {standing: "max(0, theirs - hits + saved)"}
  - pool: {dice: "{standing}d6: theirs", success: face >= 5, gives: back}
  - let: {left: "max(0, ours - back)", result: "'won' if standing == 0 else 'lost' if left == 0 else 'goes-on'"}
  - headline: "{words(result)}"
"""


def test_rounds_go_on_with_what_dice_left(
    make_pack: PackMaker, use_packs: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """One against one: a third hits first; else a third of those hit back. Of two rounds, and to
    the end.
    """
    folder = make_pack({"game.yaml": GAME, "sequences.yaml": DUEL})
    use_packs(folder)
    assert check_content(read_content(folder)).faults == ()
    ask = ["--packs", str(folder), "odds", "few", "duel", "ours=1", "theirs=1"]
    assert main([*ask, "--rounds", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    won = Fraction(1, 3)
    on = Fraction(2, 3) * Fraction(2, 3)
    assert str(won + on * won) in json.dumps(found)
    assert main([*ask, "--compare"]) == 0
    assert "cover" in capsys.readouterr().out.casefold()
