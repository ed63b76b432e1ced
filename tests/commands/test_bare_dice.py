"""A line that is dice is a roll wherever text is read; a sentence that holds a command is met
kindly.
"""

from __future__ import annotations

import pytest

from tests.playing import Channel


@pytest.mark.parametrize(
    "line",
    [
        "2d6",
        "/2d6",
        "d20",
        "2d6+3 >= 8",
        "(2d6)>=8",
        "3x 2d6",
        "4dF",
        "2d6 label=morale",
        "DR",
        "dr",
        "Dr",
        "DR+1",
        "/DR <= 7",
    ],
)
async def test_a_line_of_dice_is_a_roll(line: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", line)
    assert "Anna rolls" in reply.format_text()
    assert not reply.private


@pytest.mark.parametrize(
    "line", ["3d6 compare", "roll 3d6 compare", "roll 3d6 odds", "2d6+3>=8 odds"]
)
async def test_odds_and_compare_never_roll(line: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", line)
    assert reply.private
    assert "Nothing was rolled" in reply.format_text()
    assert await channel.app.games.load_current(channel.place.key) is None
    rolled = await channel.press("Anna", reply.buttons[0].action)
    assert "Anna rolls" in rolled.format_text()
    assert (await channel.press("Anna", reply.buttons[0].action)).title.startswith("Already done: ")


async def test_a_macro_that_is_called_like_dice_stays_a_macro() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'macro add d66 "roll 1d6*10+1d6"')
    assert "rolls d6*10+d6" in (await channel.do("Anna", "d66")).format_text()
    assert "rolls d66" in (await channel.do("Bob", "d66")).format_text()


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("can you roll 2d6 please", "roll 2d6"),
        ("I need 3d6+1 now", "roll 3d6+1"),
        ("can you roll a DR please", "roll DR"),
        ("please show me the lnlt fire thing", "lnlt fire"),
    ],
)
async def test_a_sentence_that_holds_a_command(line: str, typed: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.fails("Anna", line, f"Type: /{typed}")
    assert reply.better == typed


@pytest.mark.parametrize(
    ("line", "dice", "answer"),
    [
        ("roll DR hand=2,5", "Colored, white: [2] [5]", "7 · Anna rolls DR"),
        ("roll dr hand=3", "Die: [3]", "3 · Anna rolls dr"),
        ("roll DR+2 hand=1,6", "[1] [6] + 2", "9 · Anna rolls DR+2"),
        ("roll DR<=8 hand=6,2", "[6] [2] = 8", "8, success · Anna rolls DR sum<=8"),
    ],
)
async def test_a_dr_is_two_dice_the_colored_one_first(line: str, dice: str, answer: str) -> None:
    """Advanced Squad Leader: a DR is two dice, a dr is one."""
    channel = await Channel.fresh()
    reply = await channel.do("Anna", line)
    assert dice in reply.format_text()
    assert answer in reply.format_text()


@pytest.mark.parametrize("line", ["dR", "roll 2DR", "Dr Watson fires"])
async def test_other_words_are_no_dr(line: str) -> None:
    channel = await Channel.fresh()
    assert (await channel.say("Anna", line)).error


@pytest.mark.parametrize("line", ["can it", "how does this work?", "!"])
async def test_short_words_are_not_taken_for_games(line: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.fails("Anna", line, "For all commands: /help")
    assert "Did you mean" not in reply.format_text()


async def test_a_greeting_may_have_a_comma() -> None:
    channel = await Channel.fresh()
    assert (await channel.do("Anna", "hello, how does this work?")).title.startswith("Hello.")
