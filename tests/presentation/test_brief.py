"""How much of a phone an answer takes: every line breaks between words, as `textwrap` breaks it."""

from __future__ import annotations

import random
import textwrap

from bot.presentation.run_sequence import PHONE, _measure_lines
from bot.ui.reply.reply import Reply

WORDS = (
    "a",
    "squad",
    "takes",
    "casualties,",
    "= 7,",
    "half-squad",
    "well",
    "to--hit",
    "\u00a0",
    "\t",
    "",
    "x" * 45,
)
PLAIN = 7
"""So many of these words are such that lines break between them alone, or inside at a hyphen."""


def test_a_line_takes_as_many_rows_as_textwrap_makes_of_it() -> None:
    draw = random.Random(15)
    for at in range(2000):
        words = WORDS if at % 2 else WORDS[:PLAIN]
        line = draw.choice(("", " ")) + " ".join(draw.choices(words, k=draw.randint(0, 25)))
        assert _measure_lines([Reply(line).first_line]) == max(
            1, len(textwrap.wrap(line, PHONE))
        ), line


def test_dice_take_no_brackets_on_a_phone() -> None:
    words = "twelve dice of one squad and what: "
    assert (
        _measure_lines([Reply(f"{words}[4] [3]").first_line])
        == _measure_lines([Reply(f"{words}4 3").first_line])
        == 1
    )
