"""An evening of each of our two games of cards and chits, by post between Discord and Slack, whose
bot is killed at one step of every line, for each step there is: nothing is lost, drawn or run
twice, and all come to the same log."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bot.rulesets.packs.pack import PackSystem, load_pack
from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.packs.evening import Player
from tests.packs.test_salt_road import Year
from tests.packs.test_three_mills import Field
from tests.page_script import said_by_page
from tests.simulation.process import FOLDER
from tests.simulation.steps import Evening, evening
from tools import verify_log

PLACES = {"three-mills": ("hill", "camp", 0.15), "salt-road": ("camp", "hill", 0.004)}
"""Where Anna and Ben play: a channel of Discord and one of Slack, linked. How slow the disk is: so
that every other command gets a receipt first, or hardly any."""
EVERY = 1 if os.environ.get("STEPS") == "all" else 8
"""Of the steps every eighth; all of them with STEPS=all, which takes some ten minutes."""
STEPS, CHUNK = 80, 16
"""Behind the last of them a line has come to an end, and the bot only looks whether anything is
due.
"""
SLACK = 8
"""How many steps fewer a line may take than in the evening without kills."""
CHUNKS = [
    (game, tuple(range(first, first + CHUNK, EVERY)))
    for game in PLACES
    for first in range(0, STEPS, CHUNK)
]


@cache
def player(game: str) -> Player:
    """Who plays one turn."""
    if game == "three-mills":
        return lambda say: Field(say).evening(1)
    pack = load_pack(FOLDER / game)
    assert isinstance(pack, PackSystem)
    return lambda say: Year(say, pack).evening(1)


@cache
def undisturbed(game: str) -> Evening:
    """The evening in which nobody is killed."""
    lived = evening(player(game), None, *PLACES[game])
    assert lived.violations == []
    assert lived.kills == lived.retyped == 0
    assert lived.reminders > 5
    return lived


def said(log: str) -> dict[str, Any]:
    """What a log says, but for the time, and the hashes that hold it."""
    found: dict[str, Any] = json.loads(log)
    bodies = [{**event["body"], "at": 0} for event in found["events"]]
    return {key: value for key, value in found.items() if key not in ("exported", "head")} | {
        "events": bodies
    }


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("game", "steps"), CHUNKS, ids=lambda one: one if isinstance(one, str) else str(one[0])
)
def test_a_bot_killed_at_each_step_goes_on_as_if_nothing_had_happened(
    game: str, steps: tuple[int, ...], tmp_path: Path
) -> None:
    whole, logs = undisturbed(game), list[str]()
    for step in steps:
        lived = evening(player(game), step, *PLACES[game])
        assert lived.violations == [], "\n".join(lived.history)
        long = sum(taken > step + SLACK for taken in whole.steps)
        assert lived.kills >= long * 0.8, "some lines are quicker on another day"
        assert lived.reminders >= whole.reminders
        assert said(lived.log) == said(whole.log), f"killed at step {step}"
        logs.append(lived.log)
    for log in logs:
        assert check(read_json(log)).faults == ()
        assert verify_log.check(verify_log.parse_json(log)).faults == []
    assert [checked["faults"] for checked in said_by_page(logs, tmp_path)] == [[]] * len(logs)
