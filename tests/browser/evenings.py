"""Games to look at in a browser: one of each system, from its scenario, with whatever happened
that evening.
"""

from __future__ import annotations

import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from tests.fresh import run
from tests.playing import Channel
from tests.random_play import lines

SCENARIOS = {"lnlt": "ford", "asl": "canal", "baps": "farm", "nhis": "sandbar", "ucn": "causeway"}
HILL = (
    'unit add "Squad 1..4" squad US morale=5 fp=2', 'unit add "Lt Hill" leader US morale=6 lm=1',
    'unit add "M41" armored-vehicle US armor=4 mg=4 he=4', 'unit add "Cell 1..5" squad VC morale=4 fp=1',
    "unit add Tran leader VC morale=5 lm=1",
)  # fmt: skip
TYPED = (
    ("Anna", 'lnlt fire attackers="squad fp=2 sw=3" targets="leader morale=6 lm=1; squad morale=5"'),
    ("Bob", 'lnlt fire attackers="squad fp=1; squad fp=1" targets="squad morale=5 shaken" tm=1'),
    ("Bob", 'roll 3d6'),
)  # fmt: skip
SHOTS = (
    ("Anna", 'lnlt fire attackers="Squad 1; Squad 2" targets="Cell 1; Cell 2"'),
    ("Bob", 'lnlt fire attackers="Cell 3; Cell 4; Tran" targets="Squad 1"'),
    ("Anna", 'lnlt fire attackers="Squad 3; Squad 4" targets="Cell 3"'),
    ("Bob", 'lnlt fire attackers="Cell 1; Cell 2" targets="Squad 2; Lt Hill"'),
    ("Anna", 'lnlt melee attackers="Squad 1" defenders="Cell 5"'),
    ("Bob", 'lnlt morale-check units="Cell 1; Cell 2; Cell 3; Cell 4"'),
)


async def hill(turns: int = 6, *, revealed: bool = True) -> Any:
    """An export of six turns of Lock 'n Load: shots of both sides, real dice, a sealed roll, an
    undo, texts.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill 875" sides="US, VC"', "game join US")
    await channel.do("Bob", "game join VC")
    await channel.do("Anna", *HILL, 'fair add "nobody knew this"')
    await channel.do(
        "Bob", 'roll d6 label="weather"', 'roll 2d6 secret label="the ambush"', "game next"
    )
    await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1" hand=6,1,5')
    for turn in range(turns):
        for who, line in (*SHOTS, *TYPED):
            await channel.say(who, line)
        await channel.say(
            "Anna", "game undo" if turn == 2 else 'lnlt rally units="Squad 3" rallier=none'
        )
        for _ in range(2 if turn else 1):
            await channel.say("Anna", "game next")
    (sealed,) = (await channel.game()).sealed
    await channel.do("Bob", f"game reveal {sealed}")
    if revealed:
        await channel.do(
            "Anna",
            'game end winner=US text="The hill is taken, at a price." confirm',
            "fair reveal",
        )
    return await exported(channel)


async def evening(system: str, seed: int = 7) -> Any:
    """An export of an evening of any system: its scenario, and commands as people type them,
    some of them refused.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {system} "An evening" scenario={SCENARIOS[system]}')
    sides = (await channel.game()).sides
    await channel.do("Anna", f"game join {sides[0]}")
    await channel.do("Bob", f"game join {sides[1]}")
    chance = Random(seed)
    for line in lines(chance, 70, system):
        if not line.startswith(("privacy", "game leave", "game join", "unit remove")):
            await channel.say(chance.choice(("Anna", "Bob")), line)
    await channel.say("Anna", "game end confirm")
    await channel.say("Anna", "fair reveal")
    return await exported(channel)


async def exported(channel: Channel) -> Any:
    """The game as /game export writes it."""
    return json.loads((await channel.do("Anna", "game export")).files[0].text)


def played(game: Coroutine[Any, Any, Any]) -> Any:
    """The export of a game that is played in a thread of its own: this one has the browser's
    event loop.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run, game).result()
