"""What is done to texts before they are shown."""

from __future__ import annotations

import pytest

from adapters.discord import text as discord
from adapters.slack import text as slack
from bot.game.roster import create_handle
from bot.rules.text.plain import clean_name, isolate_text


def test_words_from_right_to_left_turn_no_number_beside_them() -> None:
    """`هدف 1: [5] + 5 = 10` keeps its order; a name takes no such signs from who types it."""
    assert isolate_text("هدف 1: 5 + 5 = 10") == "\u2068هدف\u2069 1: 5 + 5 = 10"
    assert isolate_text("us1 חיל רגלים 6") == "us1 \u2068חיל רגלים\u2069 6"
    assert isolate_text("Ünited 3") == "Ünited 3"
    assert clean_name("\u2068هدف\u2069 1") == "هدف 1"


@pytest.mark.parametrize("escape", [discord, slack])
def test_both_platforms_set_them_apart_in_rosters_and_sums(escape) -> None:  # type: ignore[no-untyped-def]
    assert escape.format_line("هدف 1: 10") == "\u2068هدف\u2069 1: 10"
    assert "us1 \u2068هدف\u2069  6" in escape.format_fenced(["us1 هدف  6"])


@pytest.mark.parametrize(
    ("side", "handle"), [("US", "us1"), ("Ünited", "unit1"), ("Élan", "elan1"), ("هدف", "u1")]
)
def test_a_handle_keeps_letters_that_carry_accents(side: str, handle: str) -> None:
    assert create_handle(side, {}) == handle
