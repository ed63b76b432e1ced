"""Helpers of tests/packs/test_cups.py, which other tests use as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bot.app import App
from bot.game.cups import is_drawn_next
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.forging import bodies
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

GAME = """\
groups: {combat: Combat}
units:
  types: [squad]
  attributes: {formation: {type: str, help: "its formation"}}
  states: [fresh, eliminated]
  lost: [eliminated]
phases:
  - {name: move, title: Supply phase}
  - {name: activations, title: Activations, led_by: cup, brief: "One chit, one go."}
  - {name: end, title: End phase}
"""

CUP = """\
title: Chits
cards:
  - {id: us, name: US troops, count: 2, side: US}
  - {id: vc, name: Cadres, side: VC, after: back}
  - {id: red, name: "2/16", formation: "2/16"}
  - {id: lull, name: Lull, after: removed}
  - {id: event, name: Rain}
  - {id: end, name: End of turn, ends: turn}
"""

FILES: dict[str, str | bytes | None] = {"game.yaml": GAME, "decks/cup.yaml": CUP}


async def begun(
    sides: str = 'sides="US, VC"', app: App | None = None, channel: Channel | None = None
) -> Channel:
    """Anna for the US with two squads of 2/16, Bob for the VC; the cup leads the phase."""
    channel = channel or (Channel(app) if app is not None else await Channel.fresh())
    await channel.do("Anna", f'game start few "First" {sides}')
    if sides:
        await channel.do("Anna", "game join US")
        await channel.do("Bob", "game join VC", "unit add Tran squad VC")
        await channel.do("Anna", 'unit add "Rifles 1..2" squad US stats="formation=2/16"')
    await channel.do("Anna", "game next")
    return channel


async def sound(channel: Channel, folder: Path) -> dict[str, Any]:
    """The exported log, which the three checkers find sound."""
    text = await exported_text(channel)
    log: dict[str, Any] = json.loads(text)
    assert check(read_json(text)).faults == ()
    assert verify_log.check(verify_log.parse_json(text)).faults == []
    (checked,) = said_by_page([text], folder)
    assert checked["faults"] == []
    return log


def labels(reply: Reply) -> list[str]:
    return [one.label for one in reply.buttons]


async def drawn(channel: Channel, chit: str) -> Reply:
    """The answer that draws this chit; those before it have their goes, and the turns go on,
    until it is drawn.
    """
    for _ in range(200):
        game = await channel.game()
        if not game.led:
            await channel.do("Anna", "game next")
        elif not is_drawn_next(game):
            await channel.do("Bob" if game.go == ("VC",) else "Anna", "game pass done")
        else:
            reply = await channel.do("Bob", "deck draw")
            loaded = await channel.app.games.load_current(channel.place.key)
            rows = await channel.app.store.load_events(
                loaded.row if loaded else "", limit=2, newest_first=True
            )
            if any(row.data.get("result") == f"cup: {chit}" for row in rows):
                return reply
    raise AssertionError(chit)


async def every_event_of_cups() -> list[dict[str, Any]]:
    """All that a log may hold of a game whose first phase a cup leads."""
    channel = await begun()
    await channel.do("Anna", "game next", "game next")
    await drawn(channel, "us")
    await channel.do("Anna", "game pass", "game undo", "game redo", "game undo")
    await channel.undo("Anna")
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    return bodies(json.loads(await exported_text(channel)))
