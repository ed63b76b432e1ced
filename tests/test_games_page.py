"""The commands of the pages about a game run in their order, each page in a channel of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.console.session import FIXED
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from tests.playing import Channel


@pytest.mark.parametrize("page", ["games", "turns", "units", "undo", "by-post", "rolls"])
async def test_its_commands_run_in_order(root: Path, page: str) -> None:
    lines = [
        line.strip()
        for line in (root / "docs" / f"{page}.md").read_text().splitlines()
        if line.startswith("    /")
    ]
    assert len(lines) > 4
    channel = await Channel.fresh()
    await channel.do("Anna", *lines)


def test_its_dice_come_to_what_it_says(root: Path) -> None:
    rows = re.findall(
        r"^\| `([^`]+)` \| ([\d, ]+) \| (.+) \|$", (root / "docs" / "rolls.md").read_text(), re.M
    )
    assert len(rows) > 4
    for typed, dice, answer in rows:
        text = roll(parse(typed), Script([int(face) for face in dice.split(", ")])).format_text()
        assert text.partition(": ")[2] == answer, typed
    with pytest.raises(UserError, match="none would count"):
        parse("2d6>=8")


def test_letters_of_the_first_fight_are_those_of_the_console(root: Path) -> None:
    letters = re.findall(r"^\| `(\w)` \|", (root / "docs" / "first-fight.md").read_text(), re.M)
    assert len(letters) > 6
    assert {*letters} <= {*FIXED.values()}
