"""Several commands in one text: the lines of a pasted block, and what a chat says to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ui.typing.several_commands import list_typed_lines, split_lines
from tests.playing import Channel

CSV = 'unit import text="name,type\nFox 1,squad\nunit 2,squad"'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("roll 2d6", ["roll 2d6"]),
        ("roll 2d6\r\n\n  game next  \n", ["roll 2d6", "game next"]),
        (f"{CSV}\ngame next", [CSV, "game next"]),
        ('say "never closed\ngame next', ['say "never closed', "game next"]),
        ("> as Anna\nYou're Anna\n> n", ["> as Anna", "> n"]),
        ("Anna> n\nTurn 2\nAnna> n", ["Anna> n", "Anna> n"]),
        ("", []),
    ],
)
def test_a_block_has_its_lines_to_type(text: str, lines: list[str]) -> None:
    assert list_typed_lines(text, "Anna") == lines


@given(st.text(alphabet="ab \"'=\n,\\"))
def test_no_word_of_a_block_is_lost(text: str) -> None:
    assert "".join("".join(split_lines(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("roll 2d6\nroll 2d6", 2),
        ("/game start lnlt Ford\n\n/game next\nn", 2),
        ("2d6\n3d6\n4d6", 3),
        ("roll 2d6\n/roll 3d6 please", 2),
        ("fire us1 vc1\nfire us1 vc2", 2),
        (f"{CSV}\ngame next", 2),
    ],
)
async def test_one_message_runs_one_command_and_says_so(text: str, count: int) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Ford")
    reply = await channel.fails("Anna", text, f"yours has {count}")
    assert "Nothing was run" in reply.format_text()
    assert (await channel.game()).last == 1


async def test_the_first_line_is_offered_as_it_has_to_be_typed() -> None:
    channel = await Channel.fresh()
    reply = await channel.fails("Anna", "roll 2d6+1\nroll 3d6", "one by one; first /roll 2d6+1")
    assert not (await channel.do("Anna", reply.format_text().rpartition("first /")[2])).error


@pytest.mark.parametrize(
    "text",
    [
        "roll\n2d6\n+1",
        'lnlt fire\nattackers="squad fp=2"\ntargets="squad morale=5"',
        CSV,
    ],
)
async def test_a_command_may_go_on_in_the_next_line(text: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Ford")
    await channel.do("Anna", text)
