"""An evening of each of our two games of cards and chits, by post between Discord and Slack, whose
bot is killed at one step of every line, for each step there is: nothing is lost, drawn or run
twice, and all come to the same log."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.page_script import said_by_page
from tests.simulation.steps import Evening, evening
from tests.simulation.steps_helpers import (
    CHUNK,
    EVERY,
    STEPS,
    player,
    said,
)
from tools import verify_log

PLACES = {"three-mills": ("hill", "camp", 0.15), "salt-road": ("camp", "hill", 0.004)}
"""Where Anna and Ben play: a channel of Discord and one of Slack, linked. How slow the disk is: so
that every other command gets a receipt first, or hardly any."""
SLACK = 8
"""How many steps fewer a line may take than in the evening without kills."""
CHUNKS = [
    (game, tuple(range(first, first + CHUNK, EVERY)))
    for game in PLACES
    for first in range(0, STEPS, CHUNK)
]


@cache
def undisturbed(game: str) -> Evening:
    """The evening in which nobody is killed."""
    lived = evening(player(game), None, *PLACES[game])
    assert lived.violations == []
    assert lived.kills == lived.retyped == 0
    assert lived.reminders > 5
    return lived


@pytest.mark.slow_sample(2)
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
