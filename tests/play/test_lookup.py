"""A look-up answers first, then shows the card around the cell; a whole table and a private one are for the asker."""

from __future__ import annotations

from bot.interface.parts import Grid, part_lines
from tests.playing import Channel

SHOT = "lnlt-table dct unit=good-order-mmc morale=5 total=11"


async def test_the_answer_comes_first_and_the_card_marks_the_cell() -> None:
    reply = await (await Channel.fresh()).do("Anna", SHOT)
    assert reply.first == "Twice morale, casualties · damage check table, good order MMC, morale 5, total 11"
    (grid,) = (part for part in reply.lines if isinstance(part, Grid))
    lines = part_lines(grid)
    assert [line for line in lines if "▶" in line] == ["twice morale  ▶ casualties"]
    assert max(map(len, lines)) <= 33
    assert not reply.private


async def test_a_look_up_may_be_private() -> None:
    reply = await (await Channel.fresh()).do("Anna", f"{SHOT} private")
    assert reply.private


async def test_a_table_without_inputs_is_shown_whole_to_the_asker() -> None:
    reply = await (await Channel.fresh()).do("Anna", "asl-table melee-actions")
    assert (reply.private, reply.by) == (True, "the whole table, situation across")
    assert max(len(line) for part in reply.lines if isinstance(part, Grid) for line in part_lines(part)) <= 39


async def test_a_roll_is_two_lines_and_a_number() -> None:
    reply = await (await Channel.fresh()).do("Anna", "roll 2d6+3 label=rally hand=5,3")
    assert reply.text().split("\n")[:2] == ["11 for rally · Anna rolls 2d6+3", "Dice: [5] [3] + 3"]
    assert reply.bare
