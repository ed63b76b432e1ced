"""A table with a head keeps to the columns of a phone: the text of its last column goes on below
itself.
"""

from __future__ import annotations

from bot.ui.reply.bars import PHONE
from bot.ui.reply.parts import Grid


def test_the_last_text_goes_on_below_itself() -> None:
    rows = (
        ("  n", "score", "usual", "rolled"),
        ("  1", "    0", "  0.5", "Ordnance against infantry"),
    )
    lines = Grid(rows, head=True).format_lines(PHONE)
    assert max(map(len, lines)) <= PHONE.grid
    assert [line.strip() for line in lines[2:]] == ["infantry"]
    assert lines[2].index("infantry") == lines[0].index("rolled")


def test_a_table_without_room_for_text_stays_as_it_is() -> None:
    rows = (("a" * 30, "text"), ("b", "some words that are long"))
    assert len(Grid(rows, head=True).format_lines(PHONE)) == 2
