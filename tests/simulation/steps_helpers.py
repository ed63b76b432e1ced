"""Helpers of tests/simulation/test_steps.py, which other tests use as well."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

from bot.rulesets.packs.pack import PackSystem, load_pack
from tests.packs.evening import Player
from tests.packs.salt_road_helpers import Year
from tests.packs.three_mills_helpers import Field
from tests.simulation.process import FOLDER

EVERY = 1 if os.environ.get("STEPS") == "all" else 8
"""Of the steps every eighth; all of them with STEPS=all, which takes some ten minutes."""

STEPS, CHUNK = 80, 16
"""Behind the last of them a line has come to an end, and the bot only looks whether anything is
due.
"""


@cache
def player(game: str) -> Player:
    """Who plays one turn."""
    if game == "three-mills":
        return lambda say: Field(say).evening(1)
    pack = load_pack(FOLDER / game)
    assert isinstance(pack, PackSystem)
    return lambda say: Year(say, pack).evening(1)


def said(log: str) -> dict[str, Any]:
    """What a log says, but for the time, and the hashes that hold it."""
    found: dict[str, Any] = json.loads(log)
    bodies = [{**event["body"], "at": 0} for event in found["events"]]
    return {key: value for key, value in found.items() if key not in ("exported", "head")} | {
        "events": bodies
    }
