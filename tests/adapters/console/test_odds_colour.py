"""Bars of odds in the console: their colour is that of the result, and says nothing that the
words do not.
"""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from bot.cli.terminal import print_reply
from bot.ui.reply.parts import Odds
from bot.ui.reply.reply import HURT, NOTHING, SHAKEN, Reply

ODDS = Odds(
    "VC Squad 5",
    (("eliminated", 0.25), ("shaken", 0.5), ("no effect", 0.25)),
    least=(0.25, 0.75),
    tones=(HURT, SHAKEN, NOTHING),
)
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def drawn() -> list[str]:
    """The lines that a terminal gets."""
    out = io.StringIO()
    print_reply(
        Console(file=out, force_terminal=True, color_system="standard", width=80),
        Reply("Odds", (ODDS,)),
    )
    return out.getvalue().splitlines()


def test_bars_are_red_and_yellow_by_severity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    heading, eliminated, shaken, nothing = drawn()[1:]
    assert "\x1b[31m" in eliminated
    assert "\x1b[33m" in shaken
    assert "\x1b[36m" in nothing
    assert "\x1b[36m" in heading


def test_without_colour_the_words_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = [COLOUR.sub("", line) for line in drawn()]
    monkeypatch.setenv("NO_COLOR", "1")
    plain = drawn()
    assert not any("\x1b[3" in line for line in plain)
    assert [COLOUR.sub("", line) for line in plain] == coloured
