"""Chances as bars: no wider than a phone, in eighths, and never a 0 for what may happen."""

from __future__ import annotations

import pytest

from bot.ui.reply.bars import (
    COLUMNS,
    PHONE,
    WIDE,
    Chance,
    Look,
    draw_bar,
    format_comparison_lines,
    format_odds_lines,
)
from bot.ui.reply.percents import format_percent, format_points, format_rounded_points

SQUADS = (
    Chance("casualties", 35 / 216, 35 / 216),
    Chance("shaken", 97 / 216, 132 / 216),
    Chance("no effect", 84 / 216),
)


def test_the_block_of_two_squads() -> None:
    assert format_odds_lines("VC Squads 5 + 6", SQUADS) == [
        "VC Squads 5 + 6          at least",
        "casualties █▎        16%      16%",
        "shaken     ███▋      45%      61%",
        "no effect  ███▏      39%",
    ]


def test_what_came_up_is_marked_without_moving_a_column() -> None:
    marked = (Chance("casualties", 35 / 216, 35 / 216, came=1), *SQUADS[1:])
    plain, said = format_odds_lines("VC Squad 5", SQUADS), format_odds_lines("VC Squad 5", marked)
    assert said[1] == "casualties █▎        16% ◀    16%"
    assert said[:1] + said[2:] == plain[:1] + plain[2:]
    without = format_odds_lines("", [Chance("front", 1 / 3), Chance("rear", 2 / 3, came=1)])
    often = format_odds_lines(
        "VC Squads 5-9", [Chance("casualties", 35 / 216, 35 / 216, came=3), *SQUADS[1:]]
    )
    assert often[1] == "casualties █▎        16% ◀ 3  16%"
    assert without[-1] == "rear       █████▍    67% ◀"


@pytest.mark.parametrize(
    ("chance", "told", "drawn"),
    [
        (0, "0%", ""),
        (1 / 1296, "<1%", "▏"),
        (0.5, "50%", "████"),
        (1295 / 1296, ">99%", "████████"),
        (1, "100%", "█" * 8),
    ],
)
def test_what_is_possible_is_never_shown_as_nothing(chance: float, told: str, drawn: str) -> None:
    assert format_percent(chance) == told
    assert draw_bar(chance, 8) == drawn


def test_long_words_take_from_the_bar_and_then_break() -> None:
    words = ("reduced shaken", "combat ineffective", "out of ammunition or jammed")
    lines = format_odds_lines(
        "Local Force Squads 1 + 2, NVA Sappers 11, 12, 14 and Le Duc",
        [Chance(word, 0.3, 0.3) for word in words],
    )
    assert max(map(len, lines)) == COLUMNS
    joined = " ".join(lines)
    assert all(piece in joined for word in words for piece in word.split())
    assert lines[2].endswith("at least")


def test_a_terminal_has_fractions_and_one_without_blocks_hashes() -> None:
    exact = [Chance("hit", 0.5, 0.5, exact="1/2"), Chance("miss", 0.5, exact="1/2")]
    assert (
        format_odds_lines("x", exact, WIDE)[1]
        == "hit          ████████████              50%       1/2      50%"
    )
    plain = format_odds_lines("x", exact, Look(plain=True))
    assert plain[1] == "hit        ####      50%      50%"
    assert all(line.isascii() for line in plain)


def test_differences_have_their_sign() -> None:
    for chance in (0.0123, 0.155, 0.8981, 0.5):
        for gain in (0.0034, 0.0833, -0.005, -0.0101):
            now = chance - gain
            if 0.01 <= now <= 0.99:
                apart = int(format_percent(chance)[:-1]) - int(format_percent(now)[:-1])
                figures = format_rounded_points(chance, gain).replace("\u2212", "-")
                assert not apart or int(figures) == apart, "the figures beside it differ by it"
    assert [format_points(gain) for gain in (0.3, -0.13, 0.0, 0.001)] == ["+30", "−13", "", "<+1"]
    rows = [("M60 joins", 0.91, 0.3), ("as planned", 0.61, 0.0), ("no leader", 0.48, -0.13)]
    assert format_comparison_lines(rows, PHONE) == [
        "M60 joins  ███████▎  91% +30",
        "as planned ████▉     61%",
        "no leader  ███▉      48% −13",
    ]
