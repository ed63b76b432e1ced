"""Upkeep: a phase runs sequences on units when it begins; one event, one answer, undone before
the phase.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.packs.check import check_path
from bot.rules.errors import TableError
from bot.rulesets.packs.pack import load_pack
from bot.ui.spec import Command
from bot.verification.check_file import check
from tests.forging import bodies, rechained
from tests.packs.conftest import PackMaker
from tests.packs.evening import refused_by_all
from tests.packs.marsh import MARSH, STAND, ford
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

pytestmark = pytest.mark.usefixtures("marsh")

GAME, SEQUENCES = str(MARSH["game.yaml"]), str(MARSH["sequences.yaml"])
TAX = """\
tax:
  title: Tax
  source: us
  summary: A side pays a point.
  inputs: {units: {type: units, help: who}}
  outputs: {}
  example: {units: squad}
  steps:
  - headline: paid
    change: {track: points, of: side, add: -1}
"""

SKY = """\
sky:
  title: Sky
  source: us
  summary: The weather gets worse on a 1 or 2, while anybody has points.
  dice: 1d6
  inputs: {}
  outputs: {roll: int, result: worse | same}
  odds_by: result
  example: {}
  steps:
  - when: side.points == 0
    refuse: {say: "{side.points} points look at no sky."}
  - roll: {roll: "1d6: sky"}
    let: {result: worse if roll < 3 else same}
    say: {label: Sky, dice: roll}
    change: {when: roll < 3, track: weather, add: 1}
  - headline: "{result}"
"""
"""It belongs to no unit."""


async def shaken() -> Channel:
    """The ford, where a Red is shaken, and so is a recruit without morale."""
    channel = await ford()
    await channel.do(
        "Anna", 'unit edit "Red Squad 2" shaken', 'unit add "Red Recruit" squad side=Reds shaken'
    )
    return channel


async def to_the_reds(channel: Channel) -> str:
    """The card of the next loading of the Reds."""
    await channel.do("Anna", "game next", "game next")
    await channel.do("Bob", "game next")
    return (await channel.do("Bob", "game next")).format_text()


async def kinds(channel: Channel) -> list[str]:
    log = json.loads(await exported_text(channel))
    return [body["kind"] + "+" * ("upkeep" in body) for body in bodies(log)]


async def test_a_game_that_starts_in_the_phase_loads_and_the_next_loading_runs_all() -> None:
    channel = await shaken()
    assert (await channel.game()).units["red squad 1"].numbers["loading"] == 2, (
        "of 3 in the scenario"
    )
    assert await kinds(channel) == ["start", "sequence+", "join", "join", "unit", "unit"]
    fresh = await Channel.fresh()
    told = await fresh.do("Anna", "game start marsh scenario=ford")
    assert "Load: Red Squads 1 + 2 are loading (#2)" in told.format_text()
    await fresh.do("Anna", "game undo")
    assert (await fresh.game()).units["red squad 1"].numbers["loading"] == 3
    await fresh.do("Anna", "game redo", "game join Reds")
    taken = await Channel.fresh()
    text = await exported_text(fresh)
    assert check(json.loads(text)).faults == ()
    reply = await taken.app.run(
        Command(("game", "import"), {"file": text}, taken.who("Carl"), taken.place, "imp")
    )
    assert not reply.error, reply.format_text()
    assert (await taken.game()).units["red squad 1"].numbers["loading"] == 2
    card = await to_the_reds(channel)
    assert "Load: Red Squads 1 + 2 are loading (#" in card
    assert "Rally: " in card
    assert "Rally skips Red Recruit (needs morale)." in card
    assert "Red Squad 2: [" in card, "its dice"
    assert (await channel.game()).units["red squad 1"].numbers["loading"] == 1
    assert (await kinds(channel))[-3:] == ["next", "sequence+", "sequence+"]


async def test_upkeep_of_a_later_phase_that_was_undone_is_asked_for_until_it_is_rolled() -> None:
    channel = await shaken()
    await channel.do("Anna", 'unit edit "Red Squad 2" stats="morale=12"')
    await to_the_reds(channel)
    asked = await channel.do("Bob", "game undo")
    await channel.press("Anna", asked.buttons[0].action)
    typed = 'Still to roll: Rally, /marsh rally units="Red Squad 2"'
    assert typed in (await channel.do("Anna", "game status")).format_text()
    assert "roll: Load" not in (await channel.do("Anna", "game status")).format_text()
    assert typed in (await channel.do("Anna", "game next")).format_text(), "on the next card"
    await channel.do("Anna", 'marsh rally "Red Squad 2"')
    assert "Still to roll" not in (await channel.do("Anna", "game status")).format_text()
    assert check(json.loads(await exported_text(channel))).faults == ()


async def test_its_dice_are_undone_by_consent_before_the_phase_and_redo_brings_the_same_back() -> (
    None
):
    channel = await shaken()
    await channel.do("Anna", 'unit edit "Red Squad 2" stats="morale=12"')
    await to_the_reds(channel)
    asked = await channel.do("Bob", "game undo")
    assert "Anna" in asked.format_text(), "its dice take consent"
    await channel.do("Anna", "game undo")
    assert (await channel.game()).units["red squad 2"].state == "shaken"
    assert (await channel.game()).units["red squad 1"].numbers["loading"] == 1
    await channel.do("Bob", "game undo")
    assert (await channel.game()).units["red squad 1"].numbers["loading"] == 2
    await channel.do("Bob", "game undo")
    assert (await channel.game()).phase == "act", "now the phase itself"
    await channel.do("Bob", "game redo", "game redo")
    assert (await channel.game()).units["red squad 1"].numbers["loading"] == 1
    await channel.do("Bob", "game redo")
    await channel.do("Anna", "game redo")
    assert (await channel.game()).units["red squad 2"].state == "steady"
    assert [kind for kind in await kinds(channel) if kind == "sequence+"] == ["sequence+"] * 3
    assert check(json.loads(await exported_text(channel))).faults == ()


async def test_what_upkeep_takes_off_is_told_once() -> None:
    channel = await shaken()
    await channel.do("Anna", 'unit edit "Red Squad 1" fired')
    card = await to_the_reds(channel)
    assert "fired" not in (await channel.game()).units["red squad 1"].marks
    assert "Markers removed" not in card


async def test_again_repeats_no_upkeep_and_a_pass_is_still_a_pass() -> None:
    channel = await shaken()
    await to_the_reds(channel)
    await channel.refused("Anna", "again", "nothing-to-repeat")


async def test_an_export_with_upkeep_verifies_with_nothing_but_itself(
    use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    channel = await shaken()
    await to_the_reds(channel)
    await channel.do("Anna", "fair reveal")
    log = json.loads(await exported_text(channel))
    use_packs(tmp_path / "none")
    found = check(log)
    assert (found.faults, found.played, log["version"]) == ((), 3, 2)
    assert verify_log.check(log).faults == []
    (page,) = said_by_page([json.dumps(log)], tmp_path)
    assert page["faults"] == []


def _other_phase(log: dict[str, Any]) -> None:
    bodies(log, "sequence")[1]["upkeep"] = "act"


def _too_late(log: dict[str, Any]) -> None:
    """The first upkeep of the second loading is one no more, so the next comes too late."""
    del bodies(log, "sequence")[1]["upkeep"]


def _late_at_the_start(log: dict[str, Any]) -> None:
    """Behind a join it is no longer that of the phase in which the game starts."""
    start, upkeep, join, *others = bodies(log)
    for number, body in ((2, join), (3, upkeep)):
        body["number"] = number
    log["events"][1]["body"], log["events"][2]["body"] = join, upkeep


@pytest.mark.parametrize("bend", [_other_phase, _too_late, _late_at_the_start])
async def test_bent_upkeep_is_seen_by_all_three_verifiers(
    bend: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    channel = await shaken()
    await to_the_reds(channel)
    log = json.loads(await exported_text(channel))
    bend(log)
    refused_by_all(log)


async def test_a_host_cannot_leave_a_unit_out_of_the_upkeep() -> None:
    channel = await shaken()
    await channel.do("Anna", 'unit add "Red Gun" gun side=Reds morale=7 loading=1')
    await to_the_reds(channel)
    log = json.loads(await exported_text(channel))
    body = next(body for body in bodies(log, "sequence")[1:] if body["target"] == "load")
    body["inputs"]["units"] = "Red Squad 1; Red Squad 2"
    rechained(log)
    assert any("different upkeep" in fault for fault in check(log).faults)


async def test_upkeep_with_dice_without_end_stops_and_says_so(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    game = GAME.replace("{run: load, has: [loading]}", "{run: brace}")
    many = SEQUENCES.replace('"2d6: nerve"', '"60d6: nerve"')
    use_packs(make_pack({**MARSH, "game.yaml": game, "sequences.yaml": many}, "marsh").parent)
    channel = await shaken()
    for first in range(11, 131, 40):
        await channel.do(
            "Anna", f'unit add "Red Squad {first}..{first + 39}" squad side=Reds morale=7'
        )
    card = await to_the_reds(channel)
    assert "More than 4,000 dice in one phase: roll the rest of its upkeep yourself." in card
    assert card.count("Brace, Reds: ") == 2
    assert check(json.loads(await exported_text(channel))).faults == ()


@pytest.mark.slow
async def test_five_hundred_units_are_kept_up_in_time() -> None:
    channel = await shaken()
    for first in range(1, 481, 40):
        await channel.do(
            "Anna",
            f'unit add "Red Squad {first + 10}..{first + 49}" squad side=Reds morale=7 loading=3',
        )
    card = await to_the_reds(channel)
    assert (await channel.game()).units["red squad 489"].numbers["loading"] == 2
    assert len(card) < 6_000
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()


@pytest.mark.parametrize(
    ("game", "says"),
    [
        (GAME.replace("{run: load, has: [loading]}", "{run: lode}"), "Did you mean load?"),
        (GAME.replace("{run: load, has: [loading]}", "{run: shoot}"), "must take `units`"),
        (
            GAME.replace("{run: load, has: [loading]}", "{run: sky, units: all}"),
            "sky takes no units: write only {run: sky}",
        ),
        (
            GAME.replace("{run: load, has: [loading]}", "{run: load, units: foe}"),
            '"foe" is not known here',
        ),
        (
            GAME.replace("{run: load, has: [loading]}", "{run: load, states: [tired]}"),
            '"tired" is not known here',
        ),
        (
            GAME.replace("{run: load, has: [loading]}", "{run: load, when: always}"),
            '"when" is not known here',
        ),
        (GAME.replace("{run: load, has: [loading]}", "load"), "must be a mapping with run"),
        (
            GAME.replace("turns: by-side\n", "").replace("go: own", "go: both"),
            "load needs units: all",
        ),
        (GAME.replace("  - {run: rally, states: [shaken]}", "  - {run: rally}\n" * 6), "at most 5"),
    ],
)
def test_upkeep_laid_out_wrong_is_refused_in_one_sentence(
    make_pack: PackMaker, game: str, says: str
) -> None:
    with pytest.raises(TableError) as caught:
        load_pack(
            make_pack({**MARSH, "game.yaml": game, "sequences.yaml": SEQUENCES + SKY}, "marsh")
        ).check_whole()
    assert says in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_sequence_that_asks_a_side_cannot_be_upkeep(make_pack: PackMaker) -> None:
    game = GAME.replace("{run: load, has: [loading]}", "{run: stand}")
    pack = load_pack(
        make_pack({**MARSH, "game.yaml": game, "sequences.yaml": f"{SEQUENCES}{STAND}"}, "marsh")
    )
    with pytest.raises(
        TableError, match="stand asks a side to choose, and upkeep cannot wait for that"
    ):
        pack.check_whole()


async def test_what_a_side_keeps_is_paid_by_each_side_for_its_own(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    game = GAME.replace("{run: load, has: [loading]}", "{run: tax, units: all}")
    use_packs(
        make_pack(
            {**MARSH, "game.yaml": game, "sequences.yaml": f"{SEQUENCES}{TAX}"}, "marsh"
        ).parent
    )
    channel = await shaken()
    card = await to_the_reds(channel)
    assert (await channel.game()).tracks["Reds/points"] == 2, (
        "of 5, a point in each of three loadings"
    )
    assert (await channel.game()).tracks["Blues/points"] == 0
    assert "Tax: Blues Paid, Reds Paid (#" in card
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []


STORM = """\
storm:
  title: Storm
  source: us
  summary: Everybody hears how wet it is.
  inputs: {units: {type: units, help: who}}
  outputs: {}
  example: {units: squad}
  steps:
  - let: {wet: 1 if track.weather == rain else 0}
    headline: "wet {wet}"
"""


async def test_what_a_game_keeps_is_counted_for_no_side(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    game = GAME.replace("{run: load, has: [loading]}", "{run: storm, units: all}")
    use_packs(
        make_pack(
            {**MARSH, "game.yaml": game, "sequences.yaml": f"{SEQUENCES}{STORM}"}, "marsh"
        ).parent
    )
    card = await to_the_reds(await shaken())
    assert "Storm: Wet 1 (#" in card, "units of both sides, by the weather of all"


def test_the_marsh_passes_its_check(make_pack: PackMaker) -> None:
    assert check_path(make_pack(MARSH, "marsh")).faults == ()


COOL = """\
cool:
  title: Cool
  source: us
  summary: Who has nerve is ready again.
  inputs: {units: {type: units, help: who}}
  outputs: {}
  example: {units: squad morale=8}
  steps:
  - each: units
    let: {cools: unit.morale > 7}
    change: {when: cools, unmark: fired}
  - headline: "{track.omen} before"
    change: {track: omen, add: 1}
"""


async def test_each_event_of_upkeep_sees_what_the_one_before_has_done(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    game = GAME.replace("{run: load, has: [loading]}", "{run: cool, has: [fired]}")
    use_packs(
        make_pack(
            {**MARSH, "game.yaml": game, "sequences.yaml": f"{SEQUENCES}{COOL}"}, "marsh"
        ).parent
    )
    channel = await shaken()
    await channel.do("Anna", 'unit add "Red Squad 11..40" squad side=Reds morale=8')
    await channel.do("Anna", 'unit add "Red Squad 41..65" squad side=Reds morale=6')
    await channel.do(
        "Anna", 'unit edit "Red Squad 11..40" fired', 'unit edit "Red Squad 41..65" fired'
    )
    card = await to_the_reds(channel)
    assert "Cool, Reds: 0 before" in card
    assert "Cool, Reds: 1 before" in card
    assert (await channel.game()).tracks["omen"] == 2, "40 units, then 15"
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []


@pytest.mark.parametrize("together", [False, True])
async def test_weather_that_belongs_to_nobody_is_rolled_once_for_the_phase(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path, together: bool
) -> None:
    """Also in a game whose sides have the turn together; at the start, before anybody could add to
    the dice, it is left to the players, who type what the card says."""
    game = GAME.replace(
        "  - {run: load, has: [loading]}\n  - {run: rally, states: [shaken]}", "  - {run: sky}"
    )
    game = game.replace("turns: by-side\n", "").replace("go: own", "go: both") if together else game
    use_packs(
        make_pack(
            {**MARSH, "game.yaml": game, "sequences.yaml": f"{SEQUENCES}{SKY}"}, "marsh"
        ).parent
    )
    channel = await Channel.fresh()
    started = (await channel.do("Anna", "game start marsh scenario=ford")).format_text()
    assert "Roll this first, once everybody is here: Sky, /marsh sky" in started
    assert await kinds(channel) == ["start"]
    await channel.do("Anna", "game join Reds")
    await channel.do("Bob", "game join Blues", "fair add ours", "marsh sky hand=3")
    card = (await channel.do("Anna", "game next", "game next")).format_text()
    assert "Sky: " in card
    assert [kind for kind in await kinds(channel) if kind == "sequence+"] == ["sequence+"]
    asked = await channel.do("Anna", "game undo")
    assert "Bob" in asked.format_text(), (
        "its die takes consent, whatever it came to: the phase would roll anew"
    )
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []
    (page,) = said_by_page([json.dumps(log)], tmp_path)
    assert page["faults"] == []


@pytest.mark.parametrize(("once", "turns"), [("", [1, 1, 2, 2]), (", once: turn", [1, 2])])
async def test_weather_may_be_rolled_once_a_turn_though_each_side_has_its_own(
    make_pack: PackMaker, use_packs: Callable[[Path], None], once: str, turns: list[int]
) -> None:
    game = GAME.replace(
        "  - {run: load, has: [loading]}\n  - {run: rally, states: [shaken]}",
        f"  - {{run: sky{once}}}",
    )
    use_packs(
        make_pack(
            {**MARSH, "game.yaml": game, "sequences.yaml": f"{SEQUENCES}{SKY}"}, "marsh"
        ).parent
    )
    channel = await Channel.fresh()
    await channel.do("Anna", "game start marsh scenario=ford")
    rolled = [1]  # typed, as nothing is rolled at the start
    while True:
        card = await channel.do("Anna", "game next")
        state = await channel.game()
        if state.turn > 2:
            break
        if "Sky: " in card.format_text():
            rolled.append(state.turn)
    assert rolled == turns
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()


async def test_upkeep_for_nobody_that_is_refused_says_why(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    game = GAME.replace(
        "  - {run: load, has: [loading]}\n  - {run: rally, states: [shaken]}", "  - {run: sky}"
    )
    use_packs(
        make_pack(
            {**MARSH, "game.yaml": game, "sequences.yaml": f"{SEQUENCES}{SKY}"}, "marsh"
        ).parent
    )
    channel = await shaken()
    await channel.do("Anna", "track set points 0", "game next")
    card = (await channel.do("Anna", "game next")).format_text()
    assert "Sky was not run: 0 points look at no sky." in card, "those of the side of who went on"
    assert (await kinds(channel))[-1] == "next"
