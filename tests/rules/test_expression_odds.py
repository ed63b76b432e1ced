"""Odds of expressions against counts by hand, a walk through all rolls, and icepool."""

from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction
from itertools import product

import icepool
import pytest

from bot.rules.dice import Script
from bot.rules.errors import DieOwed
from bot.rules.expression.chances import compute_odds
from bot.rules.expression.model import Pool
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from tests.refusing import refuses


def walked(text: str) -> dict[int | str, Fraction]:
    """The odds by rolling every roll of dice that always draw the same number."""
    expression = parse(text)
    faces = [pool.values for pool in expression.pools for _ in range(pool.count)]
    totals = Counter(roll(expression, Script(dice)).results[0].total for dice in product(*faces))
    assert None not in totals
    return {
        total: Fraction(count, totals.total())
        for total, count in totals.items()
        if total is not None
    }


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
        "4d6kl3<=2",
        "5d4kh3=2",
        "4d4kl2=3",
        "4d[0,3,3,9]kh2",
        "4d[-2,0,40,80]kl3",
        "4d6kh4",
        "3d6-2d4kl1",
        "2d[0,500]+d[1,1000]-d4",
        "d4-d6*2+7",
        "5d4>=3",
        "4dF",
        "3dA",
        "d%",
        "3d[0,0,5]kh2",
        "7",
    ],
)
def test_odds_agree_with_walking_through_every_roll(text: str) -> None:
    assert compute_odds(parse(text)) == walked(text)


def second_opinion(die: object) -> dict[object, Fraction]:
    assert isinstance(die, icepool.Die)
    return {value: Fraction(ways, die.denominator()) for value, ways in die.items()}


def test_odds_agree_with_icepool() -> None:
    d6, d10 = icepool.d6, icepool.d10
    assert compute_odds(parse("10d6+2")) == second_opinion(10 @ d6 + 2)
    assert compute_odds(parse("10d10>=8")) == second_opinion(
        10 @ (d10 >= 8).map({True: 1, False: 0})
    )
    assert compute_odds(parse("6d10kh3")) == second_opinion(d10.highest(6, 3))
    assert compute_odds(parse("20d6kh10")) == second_opinion(d6.highest(20, 10))
    assert compute_odds(parse("9d4kl7")) == second_opinion(icepool.d4.lowest(9, 7))
    assert compute_odds(parse("40d20")) == second_opinion(40 @ icepool.d20)
    assert compute_odds(parse("8d10dl2dh3")) == second_opinion(d10.keep(8, slice(2, 5)))
    assert compute_odds(parse("9dF-3d6*2")) == second_opinion(
        9 @ icepool.Die([-1, 0, 1]) - 2 * (3 @ d6)
    )
    assert compute_odds(parse("2d6ro1")) == second_opinion(2 @ d6.reroll([1], depth=1))


def test_odds_of_two_dice_counted_by_hand() -> None:
    assert compute_odds(parse("2d6>=6")) == {
        0: Fraction(25, 36),
        1: Fraction(10, 36),
        2: Fraction(1, 36),
    }
    assert compute_odds(parse("d6ro<3"))[1] == Fraction(2, 36)
    assert compute_odds(parse("d[hit,miss,miss]")) == {
        "hit": Fraction(1, 3),
        "miss": Fraction(2, 3),
    }


@pytest.mark.parametrize(
    "text", ["3d6", "2-3d6kl2", "d4*d[-5,0,90]", "-(4d6kh3)", "2d6!", "9-40d20"]
)
def test_results_rise_and_come_to_one_together(text: str) -> None:
    counted = compute_odds(parse(text))
    assert list(counted) == sorted(counted)
    assert sum(counted.values()) == 1
    assert sum(counted.ways.values()) == counted.total


def thrown_until_all_lie(text: str) -> dict[int | str, Fraction]:
    """The odds by rolling every roll, die by die, where no two rolls draw the same number of
    dice.
    """
    expression = parse(text)
    (pool,) = expression.pools
    found = Counter[int]()
    most = pool.count + pool.extra
    owed: list[tuple[int, ...]] = [()]
    while owed:
        dice = owed.pop()
        try:
            total = roll(expression, Script(dice)).results[0].total
        except DieOwed:
            owed += [(*dice, face) for face in pool.values]
        else:
            assert total is not None
            found[total] += pool.sides ** (most - len(dice))
    return {total: Fraction(found[total], found.total()) for total in sorted(found)}


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "text",
    ["d2!", "2d2!", "2d3!kh1", "2d3!2dl1", "d3!1kl1", "d2r1", "2d3r2", "2d3r3kl1", "2d2!>=2"],
)
def test_dice_that_explode_or_are_rerolled_are_counted_as_they_are_rolled(text: str) -> None:
    """Up to the last of their further dice: 22 for one die, 24 for two."""
    assert compute_odds(parse(text)) == thrown_until_all_lie(text)


Table = tuple[int, ...]


def kept_of(pool: Pool, table: Table) -> int:
    """What the dice on the table come to."""
    falling = sorted(table, reverse=True)
    for pick in pool.picks:
        number = pick.number
        falling = {
            "kh": falling[:number],
            "kl": falling[-number:],
            "dh": falling[number:],
            "dl": falling[: len(falling) - number],
        }[pick.word]
    return sum(falling) if pool.count_if is None else sum(map(pool.count_if.fits, falling))


def by_tables(text: str) -> dict[int | str, Fraction]:
    """The odds by all that can be on the table while the dice of one pool are rolled."""
    (pool,) = parse(text).pools
    live: dict[tuple[int, int, Table], Fraction] = {(pool.count, pool.extra, ()): Fraction(1)}
    found: dict[int | str, Fraction] = {}
    while live:
        after: dict[tuple[int, int, Table], Fraction] = {}
        for (dice, more, table), chance in live.items():
            if not dice:
                total = kept_of(pool, table)
                found[total] = found.get(total, Fraction(0)) + chance
                continue
            for value in pool.values:
                new = tuple(sorted((*table, value)))
                key = (dice - 1, more, new)
                if more and any(test.fits(value) for test in pool.rerolls):
                    key = (dice, more - 1, table)
                elif more and any(test.fits(value) for test in pool.explodes):
                    key = (dice, more - 1, new)
                after[key] = after.get(key, Fraction(0)) + chance / pool.sides
        live = after
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "text",
    [
        "2d6!",
        "3d4r1!",
        "2d4r1!>=3kh2",
        "3dF!r0",
        "2dF!kl1",
        "2d[0,0,5]!5",
        "3d4!dl1dh1",
        "2d6r>=5!1>=3",
        "3d4r1kh2dl1",
    ],
)
def test_dice_that_explode_and_are_rerolled_agree_with_all_that_can_be_on_the_table(
    text: str,
) -> None:
    assert compute_odds(parse(text)) == by_tables(text)


def test_exploding_dice_without_the_highest_and_the_lowest_are_counted_at_once() -> None:
    """Each number of dice on the table has a window of its own: a walk with no more of a kind
    than that can hold.
    """
    start = time.process_time()
    assert sum(compute_odds(parse("8d10!dh2dl1")).values()) == 1
    assert time.process_time() - start < 1.5, (
        "4 s when every walk went on to the most dice there can be"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [(text, "no-odds") for text in ("2d6!ro1kh1", "2d[hit,miss]")]
    + [
        (text, "too-large")
        for text in ("1000d6", "d1000000", "300d20kh150", "d1000*d1000", "9d1000000kh3", "99d6!")
    ],
)
def test_odds_that_cannot_be_counted_are_refused_at_once(text: str, code: str) -> None:
    begin = time.process_time()
    with refuses(code):
        compute_odds(parse(text))
    assert time.process_time() - begin < 10
