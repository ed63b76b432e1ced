"""The closed list of events holds what the bot writes, and nothing that it never writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.game.event_kinds import KINDS
from bot.rulesets.catalog import PACKS, load_shared_systems
from bot.rulesets.packs.archive import zip_content
from bot.storage.base import DAY
from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.commands import scored_helpers, seek_helpers
from tests.commands.choices_helpers import every_event_of_choices
from tests.commands.hands_helpers import stood_in_for_a_hand
from tests.commands.link_helpers import Table
from tests.commands.pack_helpers import add, managed
from tests.commands.result_helpers import ANNA, BEN, VERA, Server
from tests.commands.scored_helpers import start_duel
from tests.forging import bodies
from tests.fresh import fresh_app, run
from tests.packs.conftest import PackMaker
from tests.packs.conftest import make_pack as make_pack
from tests.packs.cups_helpers import FILES, GAME, every_event_of_cups
from tests.packs.marsh import MARSH, every_event_of_tracks
from tests.playing import Channel, two_sides
from tests.random_play import exported, exported_text
from tests.recorded_logs_helpers import LOGS
from tests.scenarios.extensions_helpers import every_event_of_extensions
from tests.scenarios.pack_versions_helpers import every_event_of_packs
from tests.seams.undo_helpers import assert_verified_of, stood_in
from tests.verification.forgeries_helpers import honest

RARE = """
Anna: fair add "my own luck"
Bob: fair close
Anna: lnlt damage-check targets=us1 dc_mod=3 hand=6
Bob: lnlt damage-check targets=vc1 dc_mod=3 hand=6 secret
Bob: game reveal 11
Anna: game next
Anna: unit edit us1 moved
Anna: unit edit us2 stats="name=Rifle 9"
Anna: game undo
Anna: game redo
Anna: game leave
Anna: UNDO
Anna: game redo
Anna: game join US
Anna: game next
Anna: game next
Anna: game undo
Anna: game redo
Anna: game settings hand_dice=no answers=compact confirm=yes
Anna: game undo
Anna: game redo
Anna: game initiative VC
Anna: game undo
Anna: game redo
Anna: game settings master=Bob
Anna: game undo
Anna: game redo
Bob: game settings hand_dice=yes
Bob: lnlt damage-check targets=vc2 dc_mod=3 hand=6 secret
Bob: game end winner=VC text="The hill is taken, at a price." confirm
Anna: game resume
Bob: game end confirm
"""
ORDERS = """
Anna: order write "to H5"
Anna: UNDO
Anna: game redo
Anna: order deadline 2d
Anna: UNDO
Anna: game redo
Bob: order write hold
"""
CARDS = """
Anna: deck make "Ambush x2, Raid, 7" cup
Anna: fair add "my own luck"
Bob: deck draw cup hand=7
Bob: deck draw cup 2
Bob: game undo
Anna: game undo
Anna: game redo
Bob: game redo
Anna: deck discard all cup
Anna: UNDO
Anna: game redo
Bob: deck make "1..3" cup
Bob: game undo
Anna: deck shuffle "Ann, Bo"
Anna: game redo
Anna: fair reveal
Bob: fair add "mine"
Anna: deck shuffle "Ann, Bo"
Anna: privacy delete confirm
"""
HANDS = """
Anna: deck make "1..9" cup
Anna: deck deal 2 cup
Anna: deck give all VC
Bob: deck play all
Bob: deck draw cup
Bob: deck draw cup to=me
Bob: deck play all
Anna: fair reveal
Anna: deck deal 1 cup
Bob: hand agree
Anna: game end confirm
"""
TURNS = """
Anna: game plan 3 "US reinforcements at A1"
Anna: UNDO
Anna: game redo
Anna: game plan 2 "rain"
Anna: game plan remove=11
Anna: unit edit us1 fired
Anna: game next
Anna: game initiative US
Anna: game pass
Anna: game undo
Anna: game redo
Bob: lnlt initiative hand=5,2
Anna: game pass
Bob: game pass done
Anna: game pass
Anna: game initiative VC
Bob: game pass
Anna: game next
Anna: game initiative US
Anna: game pass
Bob: game pass
Anna: game next
Anna: unit edit us1 fired
Anna: game pass
Bob: game pass
Anna: game pass
"""
BY_SIDE = """
Anna: game start asl Hills sides="US, VC"
Anna: game join US
Bob: game join VC
Anna: game initiative VC
Anna: game next
Bob: game next
Bob: game next
Anna: game pass
Bob: game next
Bob: game next
Bob: game next
Bob: game pass
Anna: game pass
Anna: game undo
Anna: game redo
Anna: game next
Anna: game next
Anna: game next
Anna: game next
Anna: game next
Anna: game next
Anna: game next
Anna: game next
"""
FREE = """
Anna: unit add Doc medic
Anna: game undo
Anna: game redo
Anna: game settings answers=compact
Anna: roll d6
Anna: game undo
"""


async def rarely() -> list[dict[str, Any]]:
    """Games with what is seldom done."""
    files = []
    for lines, sided in (
        (RARE, True),
        (ORDERS, True),
        (CARDS, True),
        (HANDS, True),
        (TURNS, True),
        (BY_SIDE, False),
        (FREE, False),
    ):
        channel = await Channel.fresh()
        if sided:
            await two_sides(channel)
            files.append(await exported_text(channel))
        for said in lines.strip().split("\n"):
            name, line = said.split(": ", 1)
            if line == "game undo":
                await channel.undo(name)
            else:
                await (channel.undo_last(name) if line == "UNDO" else channel.do(name, line))
        files.append(await exported_text(channel))
    await channel.do("Anna", "game start lnlt Again carry")
    files.append(await exported_text(channel))
    there = Channel(await fresh_app(), Place("console:there", "console"))
    command = Command(
        ("game", "import"), {"file": files[0]}, there.who("Anna"), there.place, "import"
    )
    assert not (await there.app.run(command)).error
    await there.do("Anna", "game join US", "game claim")
    await there.do("Bob", "roll d6", "game claim")
    logs = [json.loads(text) for text in (*files, await exported_text(there))]
    assert [check(log).faults for log in logs] == [()] * len(logs)
    return logs


@contextmanager
def pack_in_use(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """A pack is there in this block."""
    monkeypatch.setenv(PACKS, str(folder))
    load_shared_systems.cache_clear()
    yield
    monkeypatch.delenv(PACKS)
    load_shared_systems.cache_clear()


async def ruled() -> list[dict[str, Any]]:
    """The events of a game that switches an optional rule; its pack must be in use."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start generic "Crossroads" sides="Blue, Red"', "game settings rule=fog=on"
    )
    await channel.do("Anna", "game undo", "game redo")
    return [event["body"] for event in json.loads(await exported_text(channel))["events"]]


async def of_used_cards() -> list[dict[str, Any]]:
    """The events of a game in which a card is used; the pack salt-road must be in use."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start salt-road Year scenario=year", "game join Duke")
    await channel.do("Bob", "game join League")
    await channel.do("Anna", "game settings hand_dice=yes", "deck draw duke hand=engineers")
    await channel.do("Anna", "salt-road use engineers orders")
    return [event["body"] for event in json.loads(await exported_text(channel))["events"]]


async def linked() -> list[dict[str, Any]]:
    """The events of a game that was linked and moved."""
    table = await Table.open()
    await table.run('/game start lnlt "Hill 875"')
    await table.link()
    await table.run("/game link off")
    moving = Channel(await fresh_app(), Place("discord:55/900", "discord:55"))
    await two_sides(moving)
    assert not (await moving.transfer("Anna", "902", manager=True)).error
    found = []
    for app, place in (
        (table.app, "discord:5/9"),
        (table.app, "slack:T1/C1"),
        (moving.app, "discord:55/902"),
    ):
        loaded = await app.games.load_current(place)
        found += (
            [row.data for row in await app.store.load_events(loaded.row)]
            if loaded is not None
            else []
        )
    return found


async def of_hands() -> list[dict[str, Any]]:
    """Events of a game in which a manager agreed for a side that holds cards."""
    channel = await stood_in_for_a_hand()
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return [row.data for row in await channel.app.store.load_events(loaded.row)]


LED = {
    "pack.yaml": 'id: led\ntitle: Led\nversion: "1"\nauthor: us\nlicence: CC0-1.0\nextends: baps\n',
    "sequences.yaml": """
stand:
  title: Stand
  source: ours
  summary: A side is asked, and the leader of the squad counts.
  inputs:
    men: {type: units, help: who stands}
    leader:
      type: int
      min: -3
      max: 5
      default: 0
      lends:
        {from: men, type: leader, through: squad, group: squad, number: lr, not: killed, says: leader}
      help: rating of the leader
  outputs: {result: int}
  example: {men: soldier}
  steps:
  - choose: {answer: {who: actor, ask: "Stand?", options: {aye: aye, nay: nay}, else: aye}}
  - let: {result: leader}
  - headline: "{result}"
""",
}
"""A pack that asks a side in games in which a leader counts for the men of a squad."""


async def of_results() -> list[dict[str, Any]]:
    """Events of a game that counts: confirmed, struck, and confirmed by a manager."""
    server = await Server.fresh()
    await server.start()
    await server.press(BEN, await server.end(), "Confirm")
    await server.do(BEN, "result strike")
    await server.do(ANNA, "result strike")
    server.now += 8 * DAY
    await server.do(VERA, 'result confirm reason="Ben is gone."')
    await server.do(VERA, 'result strike reason="He is back."')
    confirmed = await server.do(BEN, "result confirm")
    first = await server.log()
    asked = await server.press(BEN, confirmed, "Play the return game")
    await server.press(ANNA, asked, "Agree")
    return bodies(first) + bodies(await server.log())


async def of_a_score() -> list[dict[str, Any]]:
    """Events of a game whose score gives the winner."""
    server = await start_duel()
    await server.do(ANNA, "game next")
    await server.do(ANNA, "game end confirm")
    return bodies(await server.log())


async def of_a_seek() -> list[dict[str, Any]]:
    """Events of a game that two strangers came to, whose sides a die drew."""
    server = await seek_helpers.Server.fresh()
    card = await server.card()
    await server.press(seek_helpers.BEN, seek_helpers.action(card, "Play"))
    return bodies(await server.log(seek_helpers.BEN, seek_helpers.HALL))


async def of_squads() -> list[dict[str, Any]]:
    """Events of a game in which a squad and its leader count for a man, also if a side is asked."""
    channel = await Channel.fresh()
    files = {name: text.encode() for name, text in LED.items()}
    assert not (await add(channel, read_file_text(zip_content(files), "led.zip"))).error
    await managed(channel, "pack enable led")
    await channel.do(
        "Anna",
        'game start baps "Farm" sides="US, German"',
        "game join US",
        'unit add Alpha squad US stats="men=5 grade=elite"',
        'unit add Bob soldier US stats="weapon=rifle-semi squad=Alpha"',
        'unit add Sarge leader US stats="lr=2 squad=Alpha"',
        "baps random-order unit=Bob hand=1",
        "led stand men=Bob",
        "choose aye",
    )
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    return [event["body"] for event in log["events"]]


async def of_a_scenario() -> list[dict[str, Any]]:
    """Events of a game whose scenario has a last turn, and says who wins."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford")
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    return [event["body"] for event in log["events"]]


async def of_a_side_that_plays_itself() -> list[dict[str, Any]]:
    """Events of a side that plays itself: it acts, carries orders out, and is taken over."""
    channel = await Channel.fresh()
    await channel.do("Anna", "solo lnlt", "game initiative US")
    reply = await channel.do("Anna", "game next")
    for number in range(60):
        answers = [one.action for one in reply.buttons if one.action.startswith("order:")]
        if answers:  # sometimes a unit sees somebody, sometimes nobody
            reply = await channel.press("Anna", answers[0 if number % 3 else -1])
        else:
            # while its units may still act, the phase does not end: then they act by the next pass
            line = "game pass" if number % 5 else "game next"
            reply = await channel.meant("Anna", await channel.say("Anna", line))
    refused = await channel.fails("Ben", "game join VC", "plays itself")
    await channel.press("Ben", refused.buttons[0].action)
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    return [event["body"] for event in log["events"]]


@pytest.mark.slow
def test_nothing_on_the_list_is_unused(
    monkeypatch: pytest.MonkeyPatch, root: Path, make_pack: PackMaker
) -> None:
    """A list with what nobody writes would let a cheat write it."""
    logs = [honest(), *run(rarely()), *(exported(("rare", seed), 20) for seed in range(40))]
    logs += [json.loads(file.read_text("utf-8")) for file in LOGS]
    events = [event["body"] for log in logs for event in log["events"]]
    events += (
        run(linked())
        + run(every_event_of_packs())
        + run(every_event_of_extensions())
        + run(assert_verified_of(stood_in("left")))
        + run(of_hands())
        + run(of_results())
        + run(of_a_seek())
        + run(of_squads())
        + run(of_a_scenario())
        + run(of_a_side_that_plays_itself())
    )
    with pack_in_use(monkeypatch, root / "packs" / "generic"):
        events += run(ruled())
    with pack_in_use(monkeypatch, root / "packs" / "salt-road"):
        events += run(of_used_cards())
    with pack_in_use(monkeypatch, root / "tests" / "data" / "packs" / "grit"):
        events += run(every_event_of_choices())
    with pack_in_use(monkeypatch, make_pack(MARSH, "marsh")):
        events += run(every_event_of_tracks())
    duel = {"game.yaml": scored_helpers.GAME, "scenarios/duel.yaml": scored_helpers.DUEL}
    with pack_in_use(monkeypatch, make_pack(duel)):
        events += run(of_a_score())
    led = {**FILES, "game.yaml": GAME.replace("  - {name: move, title: Supply phase}\n", "")}
    with pack_in_use(monkeypatch, make_pack(led)):
        events += run(every_event_of_cups())
    unused = {
        f"{name} {part}"
        for name, kind in KINDS.items()
        for part in (*kind.needs, *kind.may, *kind.changes)
    }
    unused |= {f"{name} units" for name, kind in KINDS.items() if "units" in kind.traits}
    for event in events:
        after = event.get("after", {})
        parts = (*event, *after.get("game", {}), *(["units"] if after.get("units") else []))
        unused -= {f"{event['kind']} {part}" for part in parts}
    assert unused == set()
