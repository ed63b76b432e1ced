"""Packs that extend asl in its games: several at once, with the game's units and log; versions,
exports, elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.report.event_odds import compute_export_facts
from bot.rulesets.catalog import find_shared_system
from bot.storage.base import DAY
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from bot.verification.packs_of_game import add_packs
from tests.commands.pack_helpers import add, managed
from tests.extension import EXTENSION, extension
from tests.forging import bodies, copied, rechained
from tests.fresh import fresh_store
from tests.packs.conftest import use_packs as use_packs
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.scenarios.extensions_helpers import (
    ABOUT,
    CARD,
    START,
    WEATHER,
    _zip,
    every_event_of_extensions,
    server,
    sound,
)
from tests.scenarios.pack_versions_helpers import exported
from tests.scenarios.pack_versions_helpers import verify_log as exit_status
from tools import verify_log
from tools.fuzz import FuzzTally, play_random_games

pytestmark = pytest.mark.scenes(10)
SECOND = {
    "pack.yaml": ABOUT.replace('"1"', '"2"'),
    "card.yaml": CARD.replace("2-4: [1mc, 2mc,", "2-4: [1mc, killed,"),
}
"""The second version: a low roll kills in the middle column."""


async def test_an_extension_fights_with_the_games_units_and_its_log(tmp_path: Path) -> None:
    channel = await server()
    started = await channel.do("Anna", START[0])
    assert "Club fire 1 (" in started.format_text()
    assert "extends asl" in started.format_text()
    await channel.do("Anna", *START[1:])
    shot = await channel.do("Anna", "club-ift fire attackers=Alpha targets=Beta hand=2,2")
    assert shot.title == "Beta: 2mc"
    units = (await channel.game()).units
    assert units["beta"].state == "scorched"
    log = await sound(channel)
    (hash,) = log["packs"]
    first, *_, last = [row["body"] for row in log["events"]]
    assert first["extends"] == {hash: "asl"}
    assert (last["system"], last["edition"], last["base"]) == ("club-ift", hash, "asl@5")
    assert log["version"] == 2
    (tmp_path / "game.json").write_text(json.dumps(log))
    assert exit_status(tmp_path / "game.json") == 0
    told = (await channel.do("Anna", "log 20")).format_text()
    assert "extends asl" in told
    assert "Beta: 2mc" in told
    await channel.do(
        "Anna",
        "asl smoke dispenser=sd usage_number=7 hand=3,4 anyway",
        "game undo",
        "game undo",
        "game redo",
    )
    odds = await channel.do("Anna", "club-ift fire attackers=Burner targets=Beta odds")
    assert "Beta" in odds.format_text()
    await sound(channel)


async def test_two_extensions_are_in_force_at_once() -> None:
    channel = await server({}, WEATHER)
    await channel.do("Anna", *START, "unit edit Alpha wet=1")
    await channel.do(
        "Anna",
        "weather sky targets='Alpha; Beta' hand=4",
        "club-ift fire attackers=Alpha targets=Beta",
    )
    assert (await channel.game()).units["alpha"].numbers["wet"] == 2
    await channel.do("Anna", "club-ift fire attackers='Alpha wet=3' targets='ft-team' hand=3,4")
    assert len((await sound(channel))["packs"]) == 2
    listed = (await channel.do("Anna", "game settings")).format_text()
    assert listed.count("extends asl") == 2


async def test_a_game_keeps_its_version_until_its_settings_say_otherwise() -> None:
    channel = await server()
    await channel.do("Anna", *START)
    assert not (await add(channel, _zip({**EXTENSION, **SECOND}))).error
    await managed(channel, "pack enable club-ift@2")
    low = "club-ift fire attackers=Alpha targets=Beta hand=1,2"
    assert "2mc" in (await channel.do("Anna", low)).format_text()
    await channel.refused("Anna", "game settings pack=club-ift@1", "no-change pack")
    moved = await channel.do("Anna", "game settings pack=club-ift@2")
    assert "pack version" in moved.format_text()
    assert "is killed" in (await channel.do("Anna", low)).format_text()
    await channel.do("Anna", "game undo", "game undo")
    assert "2mc" in (await channel.do("Anna", low)).format_text()
    await managed(channel, "pack remove club-ift@2")
    await managed(channel, "pack remove club-ift@1")
    assert "2mc" in (await channel.do("Anna", low)).format_text()
    assert len((await sound(channel))["packs"]) == 2
    other = Channel(channel.app, replace(channel.place, key="slack:T1/C2"), "o")
    await other.refused(
        "Anna", "club-ift fire attackers='squad fp=4' targets=squad", "unknown-command"
    )


async def test_a_game_that_is_on_takes_it_up_with_the_first_of_its_units() -> None:
    channel = await server(WEATHER)
    await channel.do(
        "Anna", *(line.replace(" fp=4", "") for line in START if "ft-team" not in line)
    )
    assert not (await add(channel, extension())).error
    await managed(channel, "pack enable club-ift")
    await channel.refused("Anna", 'unit add "Burner" ft-team side=US', "unknown-type type")
    plain = await channel.do("Anna", "club-ift fire attackers='squad fp=4' targets=squad hand=2,2")
    assert len((await channel.game()).packs) == 1
    assert "2mc" in plain.format_text()
    await channel.do("Anna", "club-ift fire attackers='Alpha fp=4' targets=Beta hand=2,2")
    assert len((await channel.game()).packs) == 2
    await channel.do("Anna", 'unit add "Burner" ft-team side=US')
    await channel.do("Anna", "game undo", "game undo")
    assert len((await channel.game()).packs) == 1
    await channel.do(
        "Anna", "game settings pack=club-ift", 'unit add "Burner" ft-team side=US fp=9'
    )
    await sound(channel)


async def test_free_play_sealed_rolls_and_an_import_elsewhere() -> None:
    channel = await server({}, WEATHER)
    await channel.do("Anna", "club-ift fire attackers='squad fp=4' targets=squad")
    game = await channel.game()
    assert (game.system, len(game.packs)) == ("asl", 2)
    await channel.do(
        "Anna", *(line.replace(" side=US", "").replace(" side=GE", "") for line in START[2:])
    )
    await channel.do("Anna", "club-ift fire attackers=Alpha targets=Beta hand=2,2 secret")
    sealed = (await channel.game()).number
    assert (await channel.game()).units["beta"].state == ""
    await channel.do("Anna", f"game reveal {sealed}")
    assert (await channel.game()).units["beta"].state == "scorched"
    text = json.dumps(await sound(channel), separators=(",", ":"))
    there = await Channel.fresh(place=Place("slack:T9/C1", "slack:T9", "#there"))
    taken = await there.app.run(
        Command(("game", "import"), {"file": text}, there.who("Carl"), there.place, "imp")
    )
    assert not taken.error, taken.format_text()
    await there.do(
        "Carl", "club-ift fire attackers=Alpha targets=Beta", "weather sky targets=Burner"
    )
    await sound(there)


async def test_what_extends_is_no_game_of_its_own() -> None:
    channel = await server()
    refused = await channel.say("Anna", "game start club-ift")
    assert refused.error
    anna = channel.who("Anna")
    systems = await channel.app.complete_option(
        ("game", "start"), "system", "club", {}, anna, channel.place
    )
    assert not systems
    assert "fire" in (await channel.do("Anna", "help club-ift")).format_text()
    await channel.do("Anna", 'game start lnlt "Other"', 'unit add "Bob" squad')
    shot = await channel.do("Anna", "club-ift fire attackers='squad fp=4' targets=squad hand=2,2")
    assert "2mc" in shot.format_text()
    assert (await channel.game()).packs == ()
    await channel.fails("Anna", "club-ift fire attackers='squad fp=4' targets=Bob", "Bob")
    await sound(channel)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"pack.yaml": ABOUT.replace("club-ift", "other")},
            "Club fire (club-ift) already has the table card",
        ),
        (
            {
                **WEATHER,
                "game.yaml": (
                    "units: {attributes: {wet: {type: int, help: wet}, "
                    "fp: {type: int, min: 1, max: 3, help: other}}}"
                ),
            },
            "row units attributes fp: already exists with a different definition",
        ),
        (
            {
                **WEATHER,
                "game.yaml": (
                    "units: {attributes: {wet: {type: int, help: wet}}, flags: {scorched: black}}"
                ),
            },
            "already exists, among states",
        ),
    ],
)
async def test_what_clashes_with_another_extension_cannot_be_enabled(
    files: dict[str, str], said: str
) -> None:
    channel = await server()
    whole = files if "weather" in files["pack.yaml"] else {**EXTENSION, **files}
    assert not (await add(channel, _zip(whole))).error
    id = "weather" if "weather" in files["pack.yaml"] else "other"
    refused = await channel.say("Host", f"pack enable {id}", manager=True)
    assert refused.code == "not-together"
    assert said in refused.title


async def test_every_kind_of_event_that_may_bring_an_extension_does() -> None:
    events = await every_event_of_extensions()
    assert {event["kind"] for event in events if "extends" in event} == {
        "start",
        "unit",
        "sequence",
        "settings",
    }
    assert {event["kind"] for event in events if "base" in event} == {"table", "sequence"}


BENDS: dict[str, Callable[[dict[str, Any], dict[str, Any]], object]] = {
    "of another game": lambda first, _: first["extends"].update(
        dict.fromkeys(first["extends"], "lnlt")
    ),
    "one that does not come": lambda first, _: first["extends"].update({"0" * 64: "asl"}),
    "without saying so": lambda first, _: first.pop("extends"),
    "on another game": lambda _, last: last.update(base="lnlt@1"),
    "on an edition to come": lambda _, last: last.update(base="asl@99"),
    "on nothing": lambda _, last: last.pop("base"),
    "brought late": lambda first, last: last.update(extends=first["extends"]),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("bend", BENDS)
async def test_a_bent_extension_is_found_out(bend: str) -> None:
    channel = await server({}, WEATHER)
    await channel.do("Anna", *START, "club-ift fire attackers=Alpha targets=Beta")
    log = copied(await exported(channel))
    events = bodies(log)
    BENDS[bend](events[0], events[-1])
    forged = rechained(log)
    assert check(forged).faults


async def test_an_extension_brings_a_track_and_its_page_has_its_odds() -> None:
    wind = {
        "game.yaml": EXTENSION["game.yaml"]
        + "tracks: {wind: {words: [calm, gale], start: calm, title: Wind}}\n",
        "steps/fire.yaml": EXTENSION["steps/fire.yaml"].replace(
            "- headline", "- when: total == 4\n  change: {track: wind, set: gale}\n- headline"
        ),
    }
    channel = await server(wind)
    await channel.do("Anna", *START)
    shot = await channel.do("Anna", "club-ift fire attackers=Alpha targets=Beta hand=2,2")
    assert "gale" in shot.format_text().casefold()
    assert "gale" in (await channel.do("Anna", "track show")).format_text().casefold()
    await channel.do(
        "Anna", "track set wind calm", "game undo", "club-ift fire attackers=Alpha targets=Beta"
    )
    log = await sound(channel)
    facts = compute_export_facts(log, add_packs(log["packs"]))
    assert len(facts) == 2
    assert all(fact["fits"] and fact["odds"] for fact in facts.values())


async def test_the_hosts_extension_stays_in_its_version_over_a_restart_and_plays_in_a_linked_channel(
    tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    folder = tmp_path / "club-ift"
    for name, text in EXTENSION.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    use_packs(folder)
    channel = await Channel.fresh(place=Place("slack:T1/C1", "slack:T1", "#north"))
    await channel.do("Anna", *START)
    (folder / "card.yaml").write_text(SECOND["card.yaml"])
    use_packs(folder)
    later = Channel(App(channel.app.store), channel.place, prefix="later")
    low = "club-ift fire attackers=Alpha targets=Beta hand=1,2"
    assert "2mc" in (await later.do("Anna", low)).format_text()
    use_packs(tmp_path / "none")
    code = (await later.say("Anna", "game link", manager=True)).title.split()[-1]
    south = Channel(later.app, Place("slack:T2/C1", "slack:T2", "#south"), "s")
    assert not (await south.say("Anna", f"game link {code}", manager=True)).error
    assert "2mc" in (await south.do("Anna", low)).format_text()
    await sound(south)


async def test_random_games_of_an_extension_hold(
    tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    """As `tools/fuzz.py` plays them: in games of the game that it extends, also where its table
    is blank.
    """
    for blank in (False, True):
        folder = tmp_path / f"club{blank}" / "club-ift"
        files = (
            {**EXTENSION, "card.yaml": CARD.replace("[ok, nmc, 1mc]", "[_, nmc, 1mc]")}
            if blank
            else EXTENSION
        )
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        use_packs(folder)
        assert await play_random_games(find_shared_system("club-ift"), 2, 3, FuzzTally()) is None


PLAIN = (START[1], 'unit add "Alpha" squad side=US morale=7', START[4])
HEIR = {
    "pack.yaml": 'id: house-asl\ntitle: House ASL\nversion: "1"\nauthor: us\nlicence: CC0-1.0\ninherits: asl\n',
    "game.yaml": "groups: {house: House}",
}


async def test_an_extension_says_that_it_does_not_join_a_pack_that_inherits_its_game() -> None:
    """Its commands find none of the units there, and the settings would not take it in."""
    channel = await server({})
    assert not (await add(channel, _zip(HEIR))).error
    await managed(channel, "pack enable house-asl")
    await channel.do("Anna", START[0].replace("asl", "house-asl"), *PLAIN)
    why = "Club fire can only join games of asl, and this is House ASL, which inherits asl."
    fired = await channel.say("Anna", "club-ift fire attackers=Alpha targets=Beta")
    assert fired.error
    assert why in fired.format_text()
    moved = await channel.say("Anna", "game settings pack=club-ift")
    assert moved.error
    assert moved.title == why


async def test_the_hosts_own_extension_is_taken_up_by_the_settings_too(
    tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    """A game that began before the host had it; and it is listed by its name."""
    channel = await Channel.fresh()
    await channel.do("Anna", START[0], *PLAIN)
    for name, text in EXTENSION.items():
        (tmp_path / "club" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "club" / name).write_text(text)
    use_packs(tmp_path / "club")
    await channel.do("Anna", "game settings pack=club-ift")
    assert "Pack club-ift 1 (" in (await channel.do("Anna", "game settings")).format_text()
    await channel.refused("Anna", "game settings pack=club-ift", "no-change pack")
    await channel.do("Anna", 'unit add "Burner" ft-team side=US fp=12', "game undo", "game redo")
    await sound(channel)


PRESS = {
    **EXTENSION,
    "sequences.yaml": EXTENSION["sequences.yaml"]
    + """
press:
  title: Press
  source: ours
  summary: Who is beaten goes back or is burnt.
  verb: Attack
  cause: presses
  dice: 1d6
  inputs: {attackers: {type: units, help: who}, targets: {type: units, help: whom}}
  outputs: {roll: int, result: held | back | burnt}
  odds_by: result
  example: {attackers: squad fp=4, targets: squad}
  steps:
  - roll: {roll: "1d6: press"}
    let: {answer: none}
    say: {label: Press, dice: roll}
  - when: roll > 3
    choose:
      answer:
        {who: targets, ask: "Beaten by {roll - 3}. Back, or burn?", options: {back: go back, burn: burn}, else: back}
  - let: {result: held if roll < 4 else burnt if answer == burn else back}
  - when: answer == burn
    roll: {after: "1d6: how long"}
    say: {label: Burns, dice: after}
  - each: targets
    change: {when: answer == burn, set: {state: scorched}}
  - headline: "{result}"
duel:
  title: Duel
  source: ours
  summary: Shots until one hits.
  verb: Fight
  dice: 1d6
  inputs: {attackers: {type: units, help: who}}
  outputs: {roll: int, result: hit | miss}
  odds_by: result
  rounds: {ends: [{when: {result: [hit]}, as: hit}]}
  example: {attackers: squad}
  steps:
  - roll: {roll: "1d6: shot"}
    let: {result: hit if roll > 3 else miss}
    say: {label: Shot, dice: roll}
  - headline: "{result}"
""",
}
"""The extension with a sequence that asks a side, and one of several rounds."""


async def two_sides() -> Channel:
    """Anna with the US, Ben with the Germans, in a game that the extension has joined."""
    channel = await server(PRESS)
    await channel.do("Anna", *START)
    await channel.do("Ben", "game join GE")
    return channel


async def test_an_extension_asks_the_other_side_and_every_verifier_follows(tmp_path: Path) -> None:
    channel = await two_sides()
    asked = await channel.do("Anna", "club-ift press Alpha Beta hand=5")
    assert "Beaten by 2. Back, or burn?" in asked.format_text()
    assert "GE can choose until" in asked.format_text()
    assert (await channel.game()).units["beta"].state == ""
    await channel.refused("Anna", "club-ift fire attackers=Alpha targets=Beta", "choice-first")
    assert not (await add(channel, _zip({**PRESS, **SECOND}))).error
    await channel.refused("Anna", "game settings pack=club-ift@2", "choice-first")
    await channel.refused("Anna", "choose option=burn", "not-yours")
    chosen = await channel.do("Ben", "choose option=burn hand=2")
    assert chosen.title == "Burnt"
    assert "Press" not in chosen.format_text(), "the first part is not said again"
    assert (await channel.game()).units["beta"].state == "scorched"
    log = await sound(channel)
    choice = bodies(log)[-1]
    assert (choice["kind"], choice["base"], choice["edition"]) == ("choice", "asl@5", *log["packs"])
    assert verify_log.check(json.loads(json.dumps(log))).faults == []
    (page,) = said_by_page([json.dumps(log)], tmp_path)
    assert page["faults"] == []
    await channel.do("Ben", "game undo")
    await channel.do("Anna", "game undo")
    assert (await channel.game()).units["beta"].state == ""
    await channel.do("Ben", "game redo")
    await channel.do("Anna", "game redo")
    assert (await channel.game()).units["beta"].state == "scorched"
    await sound(channel)


async def test_a_choice_of_an_extension_falls_to_else_after_two_days_though_it_is_switched_off() -> (
    None
):
    now = [1.8e9]
    store = await fresh_store(lambda: now[0])
    channel = Channel(
        App(store, lambda: now[0], lambda: now[0]), Place("slack:T1/C1", "slack:T1", "#north"), "n"
    )
    assert not (await add(channel, _zip(PRESS))).error
    await managed(channel, "pack enable club-ift")
    await channel.do("Anna", *START, "club-ift press Alpha Beta hand=5")
    await managed(channel, "pack disable club-ift")
    now[0] += 3 * DAY
    await channel.app.due_work.look()
    choice = bodies(await sound(channel))[-1]
    assert (choice["kind"], choice["as"], choice["picks"], choice["result"]) == (
        "choice",
        "else",
        ["back"],
        "back",
    )


async def test_odds_rounds_macros_and_sealed_orders_take_what_an_extension_brings() -> None:
    """And each refuses a sequence that asks, in one sentence."""
    channel = await two_sides()
    odds = (await channel.do("Anna", "club-ift press Alpha Beta odds")).format_text()
    assert "if burn" in odds
    assert "75%" in (await channel.do("Anna", "club-ift duel Alpha rounds=2")).format_text(), (
        "one in two, twice"
    )
    await channel.refused("Anna", "club-ift press Alpha Beta secret", "not-together")
    await channel.do(
        "Anna", 'macro add burn "club-ift fire attackers={who} targets={whom} hand={dice=}"'
    )
    shot = await channel.do("Anna", "macro run burn who=Alpha whom=Beta dice=2,2")
    assert shot.title == "Beta: 2mc"
    refused = await channel.say(
        "Anna", 'macro add hard "club-ift press attackers={who} targets=Beta"'
    )
    assert refused.error
    assert "asks a side" in refused.format_text()
    sealed = await channel.do(
        "Anna", 'order write "Alpha fires" command="club-ift fire Alpha Beta drm=1"'
    )
    assert "Alpha fires" not in (sealed.announce.format_text() if sealed.announce else "")
    opened = (await channel.do("Ben", 'order write "Beta stays"')).announce
    assert opened is not None
    assert "US: Alpha fires" in opened.format_text()
    ready = next(button for button in opened.buttons if button.label.startswith("Anna: "))
    fired = await channel.press("Anna", ready.action)
    assert not fired.error
    assert (await channel.game()).units["beta"].state == "scorched"
    await sound(channel)
