"""Odds of expressions against counts by hand, a walk through all rolls, and icepool."""

from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction
from itertools import product

import icepool
import pytest

from bot.rules.dice import Script
from bot.rules.expression import parse, roll
from bot.rules.expression.chances import odds
from tests.refusing import refuses


def walked(text: str) -> dict[int | str, Fraction]:
    """The odds by rolling every roll of dice that always draw the same number."""
    expression = parse(text)
    faces = [pool.values for pool in expression.pools for _ in range(pool.count)]
    totals = Counter(roll(expression, Script(dice)).results[0].total for dice in product(*faces))
    assert None not in totals
    return {total: Fraction(count, totals.total()) for total, count in totals.items() if total is not None}


@pytest.mark.parametrize(
    "text",
    [
        "2d6+3",
        "d6*d4-d8/2",
        "-(2d4)/3",
        "4d6kh3",
        "4d6dl1dh1",
        "3d8kl2",
        "5d4kh4dl2kl1",
        "4d6kh2>=5",
        "5d4>=3",
        "4dF",
        "3dA",
        "d%",
        "3d[0,0,5]kh2",
        "7",
    ],
)
def test_odds_agree_with_walking_through_every_roll(text: str) -> None:
    assert odds(parse(text)) == walked(text)


def second_opinion(die: object) -> dict[object, Fraction]:
    assert isinstance(die, icepool.Die)
    return {value: Fraction(ways, die.denominator()) for value, ways in die.items()}


def test_odds_agree_with_icepool() -> None:
    d6, d10 = icepool.d6, icepool.d10
    assert odds(parse("10d6+2")) == second_opinion(10 @ d6 + 2)
    assert odds(parse("10d10>=8")) == second_opinion(10 @ (d10 >= 8).map({True: 1, False: 0}))
    assert odds(parse("6d10kh3")) == second_opinion(d10.highest(6, 3))
    assert odds(parse("2d6ro1")) == second_opinion(2 @ d6.reroll([1], depth=1))


def test_odds_of_two_dice_counted_by_hand() -> None:
    assert odds(parse("2d6>=6")) == {0: Fraction(25, 36), 1: Fraction(10, 36), 2: Fraction(1, 36)}
    assert odds(parse("d6ro<3"))[1] == Fraction(2, 36)
    assert odds(parse("d[hit,miss,miss]")) == {"hit": Fraction(1, 3), "miss": Fraction(2, 3)}


@pytest.mark.parametrize(
    ("text", "code"),
    [(text, "no-odds") for text in ("2d6!", "2d6r1", "2d[hit,miss]")]
    + [(text, "too-large") for text in ("1000d6", "d1000000", "100d20kh50", "d1000*d1000", "9d1000000kh3")],
)
def test_odds_that_cannot_be_counted_are_refused_at_once(text: str, code: str) -> None:
    begin = time.perf_counter()
    with refuses(code):
        odds(parse(text))
    assert time.perf_counter() - begin < 2
