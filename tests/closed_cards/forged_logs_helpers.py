"""Helpers of tests/closed_cards/test_forged_logs.py, which other tests use as well."""

from __future__ import annotations

import json
from random import Random

from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.forging import Json, bodies
from tests.fresh import run
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tools import verify_log

EVENING = (
    'deck make "1..6" cup', "deck draw cup 3", "deck discard 7 cup", "deck discard all cup", "deck draw cup 4",
    "deck return all cup", "deck draw cup", "deck discard all cup out", "deck shuffle cup",
    'deck make "Ambush x3, Raid, 7" events once', "deck draw events 2", "deck discard all events", "deck draw events 3",
    "deck draw standard-52 5", "deck discard all standard-52", 'deck shuffle "Ann, Bo, Cy"', "deck draw standard-54 3",
)  # fmt: skip

CLOSED = (
    'deck make "1..9" cup', "deck deal 2 cup", "deck draw cup 1 me", "deck play all cup", "deck draw cup",
    "deck draw cup 2 me", "deck give all US cup", "deck give all VC cup", "deck return all cup", "deck deal 1 cup",
    "deck discard all cup", "deck draw cup 2 me", "deck play all", "hand agree", "deck draw standard-52 3 me",
    "deck draw standard-52", "game leave", "game join US", "game join VC",
)  # fmt: skip


async def _played(chance: Random, lines: tuple[str, ...] = EVENING) -> str:
    channel = await Channel.fresh()
    await two_sides(channel)
    for line in lines:
        await channel.say(chance.choice(("Anna", "Bob")), line)
        if chance.random() < 0.3:
            await channel.say("Anna", "game undo")
            await channel.say("Bob", "game undo")
            if chance.random() < 0.5:
                await channel.say("Anna", "game redo")
                await channel.say("Bob", "game redo")
    if lines != EVENING:
        await channel.say("Anna", "hand agree")
        await channel.say("Bob", "hand agree")
        await channel.say("Anna", "game end confirm")
    await channel.do("Anna", "fair reveal")
    return await exported_text(channel)


def with_hands(seed: int) -> Json:
    """An evening with closed hands, opened at its end."""
    log: Json = json.loads(run(_played(Random(seed), CLOSED)))
    assert any("shows" in body for body in bodies(log))
    return log


def verdicts(log: Json) -> tuple[bool, bool]:
    """Return whether `grognard verify` and the one-file script find a log sound."""
    text = json.dumps(log)
    short = verify_log.check(verify_log.parse_json(text)).faults
    return not check(read_json(text)).faults, not short
