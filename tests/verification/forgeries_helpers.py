"""Helpers of tests/verification/test_forgeries.py, which other tests use as well."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any
from unittest.mock import patch

from tests.forging import (
    Json,
    bodies,
)
from tests.fresh import run
from tests.playing import Channel, two_sides


@lru_cache(maxsize=1)
def played() -> str:
    """An evening with everything in it, and its seeds published."""

    async def playing() -> str:
        channel = await Channel.fresh()
        await two_sides(channel)
        await channel.do("Anna", 'fair add "my own luck"')
        await channel.do("Bob", 'fair add "so be it"')
        await channel.do(
            "Anna", "roll 2d6+1 label=fate", 'lnlt fire attackers=us1 targets="vc1; vc2" adjacent'
        )
        await channel.do("Anna", "roll 3d6 label=hush secret")
        await channel.do(
            "Bob",
            "lnlt morale-check units=Tran secret",
            "lnlt morale-check units=Tran hand=6,6 secret",
        )
        for name, number in (("Anna", 12), ("Bob", 13), ("Bob", 14)):
            await channel.do(name, f"game reveal {number}")
        await channel.do("Anna", "roll 2dA", "roll d20 secret", "roll 2d6 hand=3,4", "game next")
        await channel.do("Bob", "game initiative VC", "unit edit Tran marker=+fired")
        await channel.do(
            "Anna", "unit edit us2 marker=+low-crawl", "game undo", "game redo", "roll d20"
        )
        for what in ("undo", "redo", "undo"):
            asked = await (
                channel.undo_last("Anna") if what == "undo" else channel.do("Anna", "game redo")
            )
            await channel.press("Bob", asked.buttons[0].action)
        await channel.do("Anna", "roll d20", "lnlt-table hero-creation", "lnlt-table crash-drift")
        await channel.do("Anna", 'lnlt melee attackers="us1; us2" defenders="squad fp=1"')
        await channel.do("Anna", f"game reveal {next(iter((await channel.game()).sealed))}")
        await channel.do("Anna", "fair reveal", "roll 4d6kh3", "game settings hand_dice=no")
        await channel.do("Carl", "roll d100 secret")
        await channel.do("Anna", "game end confirm", "fair reveal")
        return (await channel.do("Anna", "game export")).files[0].text

    with patch("os.urandom", Random("an evening").randbytes):
        return run(playing())


def honest() -> Json:
    log: Json = json.loads(played())
    return log


def first(log: Json, kind: str, **holds: Any) -> Json:
    """The first event of a kind that holds these fields."""
    return next(
        body
        for body in bodies(log, kind)
        if all(body.get(key) == value for key, value in holds.items())
    )


def fire(log: Json) -> Json:
    return first(log, "sequence", target="fire")


def sealed(log: Json, at: int) -> int:
    """The number of a sealed event: 0 the 3d6, 1 the morale check, 2 that of real dice, 3 the
    d20, 4 Carl's.
    """
    number: int = bodies(log, "sealed")[at]["number"]
    return number


def of(kind: str, **holds: Any) -> Callable[[Json], Json]:
    return lambda log: first(log, kind, **holds)
