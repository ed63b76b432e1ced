"""Random games: whatever can be typed, by several persons, in all systems; and the file that
comes of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any
from unittest.mock import patch

from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Command, Place
from tests.fresh import fresh_app, run
from tests.playing import Channel
from tools import fuzz as fuzzing

PERSONS = ("Anna", "Bob", "Carl")
ROSTERS = {
    "lnlt": (
        'unit add "Squad 1..3" squad US stats="morale=5 fp=2"',
        'unit add "Cell 1..3" squad VC stats="morale=4 fp=1 sw=3,2"',
        'unit add Hill leader US stats="morale=6 lm=1"',
        'unit add "Tank 1" armored-vehicle VC stats="morale=6 av=4"',
    ),
    "asl": (
        'unit add "Sqd 1..2" squad US stats=morale=7',
        'unit add Gun gun VC stats="marker=+low-ammo"',
    ),
    "baps": (
        'unit add "Pvt 1..3" soldier US stats="weapon=rifle-bolt grade=veteran"',
        'unit add Sarge leader VC stats="wounds=1"',
    ),
    "nhis": (
        'unit add "Sqd 1..3" squad US stats="fp=4 range=6 morale=4"',
        'unit add Lt leader VC stats="morale=5 lr=1"',
    ),
    "ucn": (
        'unit add "Sec 1..2" element US stats="melee=10 members=4 morale=12 firearms=11"',
        'unit add Grp element VC stats="melee=9 members=5 morale=11"',
    ),
}


def lines(chance: Random, number: int, system: str) -> Iterator[str]:
    """So many commands for a game with the roster that is kept here."""
    return fuzzing.build_lines(chance, number, system, ROSTERS[system])


async def _whole(channel: Channel, chance: Random, game: str) -> None:
    """What `lines` cannot do by itself: consent to what was asked, open what is sealed."""
    loaded = await channel.app.games.load_current(channel.place.key)
    if loaded is None:
        return
    if chance.random() < 0.5:
        if chance.random() < 0.5:  # also what `/game undo` passes over
            await channel.undo_last(chance.choice(PERSONS))
        open_ones = await channel.app.store.load_doc("consent-asked", loaded.row)
        for number in open_ones.data["events"] if open_ones is not None else ():
            asked = await channel.app.store.load_doc("consent", f"{loaded.row}:{number}")
            for name in PERSONS if asked is not None else ():
                action = await channel.under(number, "consent")
                await channel.press(
                    name, f"{action}:{asked.data['id']}" if asked is not None else action
                )
        for _ in range(chance.choice((0, 1, 2))):
            await channel.say(
                chance.choice(PERSONS),
                f"game {chance.choice(('redo', 'redo', 'undo'))}",
                manager=True,
            )
    if chance.random() < 0.1:
        for number in list(loaded.game.sealed)[:2]:
            for name in PERSONS:
                await channel.say(name, f"game reveal {number}")


async def play(chance: Random, number: int = 24, system: str = "", places: int = 1) -> Channel:
    """A channel in which a random game was played; with two places it was exported and imported
    in between.
    """
    system = system or chance.choice(list(load_shared_systems()))
    clock = count(1_700_000_000, 7)
    file = ""
    for at in range(places):
        app = await fresh_app(lambda: float(next(clock)))
        channel = Channel(app, Place(f"console:place{at}", "console"), f"p{at}-")
        if not file:
            if chance.random() < 0.8:
                await channel.say("Anna", f'game start {system} "A game" sides="US, VC"')
                await channel.say("Anna", "game join US")
                await channel.say("Bob", "game join VC")
            for line in ROSTERS[system]:
                await channel.say("Anna", line, manager=True)
        else:
            command = Command(
                ("game", "import"), {"file": file}, channel.who("Anna"), channel.place, "import"
            )
            assert not (reply := await app.run(command)).error, reply.format_text()
        for line in lines(chance, number, system):
            name = chance.choice(PERSONS)
            await channel.meant(name, await channel.say(name, line, manager=chance.random() < 0.2))
            await _whole(channel, chance, system)
        if chance.random() < 0.2:
            reply = await channel.say("Anna", "game link", manager=True)
            other = Channel(app, Place("console:other", "console"), "o")
            await other.say("Bob", f"game link {reply.title.split()[-1]}", manager=True)
            await channel.say("Anna", "roll d6", manager=True)
        if chance.random() < 0.3:
            await channel.say("Anna", "game end confirm", manager=True)
        if chance.random() < 0.8:
            await channel.say("Bob", "fair reveal", manager=True)
        file = await exported_text(channel)
    return channel


async def exported_text(channel: Channel) -> str:
    """What `/game export` gives in the channel, unpacked where it is long."""
    file = (await channel.say("Anna", "game export", manager=True)).files[0]
    return read_file_text(file.data, file.name)


def exported(seed: object, number: int = 24, **more: Any) -> dict[str, Any]:
    """The file of a random game, the same for the same seed."""
    chance = Random(repr(seed))

    async def play_and_export() -> dict[str, Any]:
        channel = await play(chance, number, **more)
        log: dict[str, Any] = json.loads(await exported_text(channel))
        return log

    with patch("os.urandom", chance.randbytes):
        return run(play_and_export())
