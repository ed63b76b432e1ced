"""Helpers of tests/commands/by_post/test_choices.py, which other tests use as well."""

from __future__ import annotations

import json
from typing import Any

from bot.rulesets.packs.archive import zip_content
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.commands.pack_helpers import add, managed
from tests.forging import bodies
from tests.fresh import fresh_app
from tests.packs.conftest import use_packs  # noqa: F401
from tests.playing import Channel
from tools import verify_log

SHOT = 'grit shoot attackers="Red 1" targets="Blue 1" dice=4 hand='


async def two_sides(**more: Any) -> Channel:
    """Anna plays US with the Reds, Bob VC with the Blues."""
    return await begun(await Channel.fresh(**more))


async def begun(channel: Channel) -> Channel:
    """The same in a channel."""
    await channel.do("Anna", 'game start grit "Ford" sides="US, VC"', "game join US")
    await channel.do("Bob", "game join VC")
    await channel.do("Anna", 'unit add "Red 1..2" squad side=US stats="men=5 morale=7"')
    await channel.do("Bob", 'unit add "Blue 1..2" squad side=VC stats="men=5 morale=7"')
    return channel


async def waiting(**more: Any) -> tuple[Channel, Reply]:
    """Three hits on Blue 1, whose side is asked in event 6."""
    channel = await two_sides(**more)
    return channel, await channel.do("Anna", f"{SHOT}4,5,6,1")


async def log_of(channel: Channel) -> Any:
    """The log as it is exported."""
    reply = await channel.do("Anna", "game export")
    return read_json(reply.files[0].text, "the export")


DARE = {
    "pack.yaml": 'id: dare\ntitle: Dare\nversion: "1"\nauthor: us\nlicence: CC0-1.0\nextends: asl\n',
    "sequences.yaml": """
dare:
  title: Dare
  source: ours
  summary: A side goes or stays.
  inputs: {targets: {type: units, help: who is dared}}
  outputs: {result: go | stay}
  dice: 1d6
  odds_by: result
  example: {targets: squad}
  steps:
  - choose: {answer: {who: targets, ask: "Go?", options: {go: go, stay: stay}, else: stay}}
  - roll: {die: "1d6: fate"}
    tell: {result: answer}
  - headline: "{answer} on {die}"
""",
}


def dare(game: str) -> str:
    """A pack that asks a side in games of another, as the text of its zip."""
    files = {
        name: text.replace("extends: asl", f"extends: {game}").encode()
        for name, text in DARE.items()
    }
    return read_file_text(zip_content(files), "dare.zip")


async def every_event_of_choices() -> list[dict[str, Any]]:
    """The events of a game in which each kind of choice is made."""
    channel, _ = await waiting()
    await channel.do("Bob", "choose option=casualties", 'fair add "luck"')
    await channel.do(
        "Anna",
        'fair add "more luck"',
        'grit shoot attackers="Red 2" targets="Blue 2" dice=4 hand=4,5,6,1',
    )
    await channel.do("Bob", "choose option=suppressed")
    await channel.do(
        "Anna", 'grit parley attackers="Red 1" targets="Blue 1" hand=6', "choose option=stand"
    )
    await channel.do("Bob", "choose option=go hand=3", "game undo")
    await channel.do(
        "Anna", "game undo", 'grit parley attackers="Red 1" targets="Blue 1" hand=6', "game undo"
    )
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo", "game leave")
    await channel.do("Anna", "choose option=stand", "choose option=go")
    dared = Channel(await fresh_app(), Place("slack:T1/C1", "slack:T1", "#north"), "d")
    assert not (await add(dared, dare("asl"))).error
    await managed(dared, "pack enable dare")
    await dared.do(
        "Anna", 'game start asl "Hill" sides="US, GE"', 'unit add "Beta" squad side=GE morale=7'
    )
    await dared.do("Anna", "game join GE", "dare dare targets=Beta", "choose option=go")
    found = []
    for one in (channel, dared):
        log = await log_of(one)
        assert check(log).faults == ()
        assert verify_log.check(json.loads(json.dumps(log))).faults == []
        found += bodies(log)
    return found
