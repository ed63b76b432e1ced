"""A side that plays itself in games of other kinds: led by chits, with tracks and with choices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.ui.reply.reply import Reply
from tests.commands.games.solo_helpers import list_bodies, list_faults
from tests.packs.conftest import PackMaker
from tests.playing import Channel

pytestmark = pytest.mark.scenes(6)

UNITS = """\
groups: {combat: Combat}
units:
  types: [squad]
  attributes: {formation: {type: str, help: "its formation"}}
  states: [fresh, shaken, eliminated]
  lost: [eliminated]
tracks: {points: {title: Points, of: side, min: 0, max: 99, start: 0}}
"""
CUP = """\
title: Chits
cards:
  - {id: us, name: US troops, side: US}
  - {id: red, name: Red Guard, formation: guard}
  - {id: end, name: End of turn, ends: turn}
"""
LED_GAME = (
    UNITS
    + """\
phases:
  - {name: activations, title: Activations, led_by: cup}
solo:
  phases:
    activations: {run: push}
"""
)
PUSH = """\
push:
  title: Push
  source: us
  summary: Each unit takes a point for its side.
  inputs: {units: {type: units, help: who}}
  outputs: {points: int}
  odds_by: points
  example: {units: squad}
  steps:
  - let: {points: 0}
  - each: units
    let: {points: points + 1}
  - tell: {points: points}
    headline: "{points} {point|points}"
    change: {track: points, of: side, add: points}
"""
IMPULSES = (
    UNITS
    + """\
phases:
  - {name: fight, title: Fight, go: impulses, passes: 3, buttons: [assault, pass, next]}
solo:
  phases:
    fight: {run: red-order}
  orders:
    assault:
      says: "{} attacks"
      run: assault
      unit: attackers
      against: targets
      asks: "{} attacks: whom?"
"""
)
ORDERS = """\
red-order:
  title: Red's order
  source: us
  summary: The first unit attacks.
  acts: false
  inputs: {units: {type: units, help: who}}
  outputs: {chosen: int, order: [assault]}
  odds_by: order
  example: {units: squad}
  steps:
  - tell: {chosen: 1, order: assault}
    headline: "attack"
assault:
  title: Assault
  source: us
  summary: CHOOSER chooses.
  inputs:
    attackers: {type: units, help: who}
    targets: {type: units, help: whom}
  outputs: {result: [held, lost]}
  odds_by: result
  example: {attackers: squad, targets: squad}
  steps:
  - let: {answer: none}
  - choose:
      answer:
        who: CHOOSER
        ask: "Stand, or yield?"
        options: {stand: "stand", yield: "yield"}
        else: stand
  - let: {result: held if answer == stand else lost}
  - tell: {result: result}
    headline: "{result}"
    change: {track: points, of: side, add: 1}
"""
SCENARIO = """\
title: Alone
sides: [US, Red]
plays: {Red: itself}
units:
  - {name: "Rifle 1..2", type: squad, side: US, formation: us}
  - {name: "Guard 1..2", type: squad, side: Red, formation: guard}
  - {name: "Militia", type: squad, side: Red, formation: militia}
"""


def get_buttons(reply: Reply) -> dict[str, str]:
    return {button.label: button.action for button in reply.buttons}


@pytest.fixture
def use_files(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> Callable[[dict[str, str]], None]:
    def use(files: dict[str, str]) -> None:
        path = make_pack({**files, "scenarios/alone.yaml": SCENARIO})
        use_packs(path.parent)

    return use


async def test_a_chit_runs_the_sequence_on_the_units_that_it_names(
    use_files: Callable[[dict[str, str]], None],
) -> None:
    """Militia has no chit; the US chit lets only the US act. The points are those of Red."""
    use_files({"game.yaml": LED_GAME, "decks/cup.yaml": CUP, "sequences.yaml": PUSH})
    channel = await Channel.fresh()
    await channel.do("Anna", "solo few")
    for _ in range(40):
        if (await channel.game()).tracks.get("Red/points", 0):
            break
        game = await channel.game()
        is_drawn = "/" in game.led
        reply = await channel.do("Anna", "game pass done" if is_drawn else "deck draw")
    bodies = await list_bodies(channel)
    (pushed,) = [body for body in bodies if body.get("target") == "push"]
    assert pushed["inputs"]["units"] == "Guard 1; Guard 2"
    assert (pushed["side"], pushed["plays"]) == ("Red", True)
    assert bodies[-1]["kind"] == "pass", "the chit is put away in the same answer"
    assert "2 points" in reply.format_text()
    assert await list_faults(channel) == []


@pytest.mark.parametrize("chooser", ["targets", "attackers"])
async def test_an_order_that_waits_for_a_choice_goes_on_after_it(
    chooser: str, use_files: Callable[[dict[str, str]], None]
) -> None:
    """Whoever chooses, the player presses the button: nobody else plays Red."""
    use_files({"game.yaml": IMPULSES, "sequences.yaml": ORDERS.replace("CHOOSER", chooser)})
    channel = await Channel.fresh()
    await channel.do("Anna", "solo few", "game initiative Red")
    reply = await channel.do("Anna", "game status")
    game = await channel.game()
    assert game.go == ("Red",)
    reply = await channel.do("Anna", "game pass")
    for unit in ("Guard 1", "Guard 2", "Militia"):
        asked = await channel.press("Anna", get_buttons(reply)["Rifle 1"])
        assert {"Stand", "Yield"} <= get_buttons(asked).keys(), asked.format_text()
        assert (await channel.game()).waits
        reply = await channel.press("Anna", get_buttons(asked)["Yield"])
        assert not reply.error, reply.format_text()
        game = await channel.game()
        assert (game.go, dict(game.waits)) == (("US",), {}), "Red handed over after the choice"
        bodies = await list_bodies(channel)
        fired = [body for body in bodies if "asks" in body]
        assert fired[-1]["inputs"]["attackers"] == unit
        if unit != "Militia":
            reply = await channel.do("Anna", "game pass")
    assert (await channel.game()).tracks["Red/points"] == 3
    assert await list_faults(channel) == []
