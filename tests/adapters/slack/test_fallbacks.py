"""The fallback texts of answers with odds and tables, which a screen reader reads: no bars, no
columns, never empty. Odds and look-ups of every sequence and table of the registry.
"""

from __future__ import annotations

import re

import pytest

from adapters.slack.render import render_message
from bot.commands.dispatch import load_shared_registry
from bot.ui.reply.parts import Odds
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec
from tests.playing import Channel

BLOCKS = re.compile("[\u2580-\u259f\u25c0]|   |\\S  +\\S")
ODDS = [
    spec
    for spec in load_shared_registry()
    if spec.family == "sequence" and spec.find_option("odds")
]
TABLES = [spec for spec in load_shared_registry() if spec.family == "lookup" and spec.example]


def check_text(reply: Reply) -> None:
    text = render_message(reply, "T1", load_shared_registry()).text
    assert text.strip()
    assert not BLOCKS.search(text), text


@pytest.mark.sample(4)
@pytest.mark.parametrize("spec", ODDS, ids=lambda spec: spec.name)
async def test_odds_are_read_aloud(spec: CommandSpec) -> None:
    channel = await Channel.fresh()
    check_text(await channel.do("Anna", f"{spec.example.removeprefix('/')} odds"))


@pytest.mark.sample(4)
@pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.name)
async def test_look_ups_and_whole_tables_are_read_aloud(spec: CommandSpec) -> None:
    channel = await Channel.fresh()
    line = spec.example.removeprefix("/")
    check_text(await channel.do("Anna", line))
    check_text(await channel.say("Anna", f"{line} whole"))


async def test_rosters_are_read_aloud() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford")
    reply = await channel.do("Anna", "unit list")
    check_text(reply)
    assert (
        "vc5 Rocket Team, morale 4, fp 2, penetration 5, he 2"
        in render_message(reply, "T1", load_shared_registry()).text
    )


def test_odds_name_the_result_that_came_up() -> None:
    chances = (("killed", 0.25), ("wounded twice", 0.3), ("nothing", 0.45))
    odds = Odds("Odds for Squad 1", chances, came=("wounded twice",))
    text = render_message(
        Reply("Squad 1 is wounded twice", (odds,)), "T1", load_shared_registry()
    ).text
    assert "Odds for Squad 1: killed 25%, wounded twice 30% (this roll), nothing 45%" in text
