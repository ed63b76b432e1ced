"""Helpers of tests/scenarios/test_pack_versions.py, which other tests use as well."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.game.loaded_game import LoadedGame
from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Place
from tests.commands.pack_helpers import add, few, managed
from tests.packs.conftest import FEW
from tests.playing import Channel

HIT_ON_4 = {
    "pack.yaml": FEW["pack.yaml"].replace('"1"', '"2"'),
    "crt.yaml": FEW["crt.yaml"].replace("1-4: miss", "1-3: miss").replace("5-6: hit", "4-6: hit"),
}
"""The second version: a four hits, too."""

SEQUENCES = (
    "shoot:\n  title: Shoot\n  source: ours\n  summary: One shot.\n  dice: 1d6\n  verb: Shoot\n  cause: shoots\n"
    "  inputs:\n    targets: {type: units, help: who is shot at}\n"
    "  outputs: {roll: int, result: [miss, hit]}\n  odds_by: result\n  example: {targets: unit}\n"
    "  steps:\n  - roll: {roll: '1d6: shot'}\n    let: {found: 'crt(roll=roll)'}\n"
    "    tell: {roll: roll, result: found.result}\n    say: {label: Shot, dice: roll, result: '{found.result}'}\n"
    "    headline: '{found.result}'\n"
    "  - each: targets\n    change: {unit: unit, when: found.result == hit, set: {state: eliminated}}\n"
)

GAME = (
    "groups: {combat: Combat}\n"
    "units: {types: [unit], states: [full, eliminated], well: [full], lost: [eliminated]}\n"
)

FIRST = {"game.yaml": GAME, "sequences.yaml": SEQUENCES}

SECOND = {**HIT_ON_4, **FIRST}


async def two_servers() -> tuple[Channel, Channel]:
    """Two servers of one bot, with the two versions enabled."""
    north = await Channel.fresh(place=Place("slack:T1/C1", "slack:T1", "#north"), prefix="n")
    south = Channel(north.app, Place("slack:T2/C1", "slack:T2", "#south"), "s")
    assert not (await add(north, few(FIRST))).error
    assert not (await add(south, few(SECOND))).error
    await managed(north, "pack enable few")
    await managed(south, "pack enable few")
    return north, south


async def every_event_of_packs() -> list[dict[str, Any]]:
    """The events of games whose pack changes in each way that there is."""
    north, south = await two_servers()
    assert not (await add(north, few(SECOND))).error
    await north.do("Anna", "few shoot targets=unit hand=4", "game undo", "game redo")
    await south.do("Anna", 'unit add "Gun 1" unit')
    started = Channel(north.app, replace(north.place, key="slack:T1/C2"), "x")
    await started.do("Anna", 'game start few "Ridge"', "game settings pack=few@2")
    found = []
    for channel in (north, south, started):
        loaded = await channel.app.games.load_current(channel.place.key)
        assert loaded is not None
        found += [row.data for row in await channel.app.store.load_events(loaded.row)]
    return found


async def loaded_at(channel: Channel) -> LoadedGame:
    """The game that is played in a channel, as it was loaded."""
    found = await channel.app.games.load_current(channel.place.key)
    assert found is not None
    return found


def verify_log(path: Path) -> int:
    """The exit status of the checker that needs nothing but Python."""
    tool = Path(__file__).parents[2] / "tools" / "verify_log.py"
    return subprocess.run([sys.executable, str(tool), str(path)], check=False).returncode


async def exported(channel: Channel) -> dict[str, Any]:
    """The export of the game that is played in a channel."""
    text = read_file_text((await channel.do("Anna", "game export")).files[0].data, "game.json")
    return dict(json.loads(text))
