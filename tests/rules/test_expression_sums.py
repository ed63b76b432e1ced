"""A comparison right behind dice counts them; behind anything else, or behind `sum`, the sum is
held against it.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from bot.presentation.roll import build_dice_odds_reply, roll_dice
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression.rolling import Rolling, roll
from bot.rules.expression.sum_parser import parse


def rolled(text: str, *dice: int) -> Rolling:
    script = Script(list(dice))
    found = roll(parse(text), script)
    script.finish()
    return found


@pytest.mark.parametrize(
    ("text", "dice", "answer"),
    [
        ("2d6+3 >= 8", (2, 3), "8, success"),
        ("2d6+3>=8", (1, 3), "7, failure"),
        ("2d6 sum <= 6", (5, 5), "10, failure"),
        ("(2d6)>=8", (4, 4), "8, success"),
        ("2d6 [morale] <= 7", (3, 4), "7, success"),
        ("(3d6>=5)>=2", (5, 6, 1), "2, success"),
        ("3x 2d6+1 >= 9", (4, 4, 1, 1, 6, 6), "9, success; 3, failure; 13, success"),
        ("2d6>=5", (5, 4), "1 success"),
        ("1d6+2d6>=5", (1, 5, 6), "3"),
    ],
)
def test_what_is_counted(text: str, dice: tuple[int, ...], answer: str) -> None:
    assert rolled(text, *dice).answer == answer


@pytest.mark.parametrize(
    "text", ["2d6+3>=8", "2d6 sum<=6", "(2d6)>=8", "3x 2d6+1>=9", "2d6>=5", "(3d6>=5)>=2"]
)
def test_its_notation_means_the_same(text: str) -> None:
    assert parse(text).notation == text
    assert parse(parse(text).notation) == parse(text)


def test_the_answer_says_what_was_counted() -> None:
    reply, record = roll_dice({"dice": "2d6+3>=8"}, "Anna", Script([2, 3]))
    assert reply.format_text() == (
        "8, success · Anna rolls 2d6+3>=8\nDice: [2] [3] + 3 = 8, the sum against 8 or more"
    )
    assert record.out == {"total": 8, "success": True, "dice": [2, 3]}
    grouped, _ = roll_dice({"dice": "(2d6)>=8"}, "Anna", Script([2, 3]))
    assert "([2, 3]) = 5, the sum against 8 or more" in grouped.format_text()
    reply, _ = roll_dice({"dice": "2d6<=6"}, "Anna", Script([5, 5]))
    every = reply.format_text()
    assert "2 successes" in every
    assert "Every die passes that test. To test their sum: 2d6 sum<=6" in every


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2d6>=8", "For their sum: (2d6)>=8"),
        ("2d6+1>=8+2", "comes last"),
        ("(2d6+1>=8)", "comes last"),
        ("2d6 sum", 'a comparison must follow "sum"'),
        ("d[hit,miss] sum>=1", "cannot be added up"),
    ],
)
def test_a_refusal_says_how_to_write_the_other(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text)
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_odds_of_dice_by_a_count_by_hand() -> None:
    ways = sum(a + b + 3 >= 8 for a in range(1, 7) for b in range(1, 7))
    reply = build_dice_odds_reply({"dice": "2d6+3>=8"})
    assert Fraction(ways, 36) == Fraction(30, 36)
    assert reply.title == "83% for a sum of 8 or more"
    assert reply.private
    assert "success    ██████▋   83%" in reply.format_text()
    assert build_dice_odds_reply({"dice": "3d6"}).title == "10.5 on average"
    assert (
        "11         █         13%      50%" in build_dice_odds_reply({"dice": "3d6"}).format_text()
    )
    assert len(build_dice_odds_reply({"dice": "20d10"}).format_text().splitlines()) <= 23
