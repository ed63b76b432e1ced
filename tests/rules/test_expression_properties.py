"""What holds for every expression: none crashes, none costs more than was said, and all say what
they mean.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bot.rules.dice import AVERAGING, Die, Script
from bot.rules.expression.chances import compute_odds
from bot.rules.expression.model import MAX_DICE, MAX_RESULT, Expression, ExpressionError
from bot.rules.expression.rolling import DieFate, roll
from bot.rules.expression.sum_parser import check_range, compute_worst_cost, find_fault, parse

WORDS = """
    d d6 d% dF dA d20 2d6 10d10 d[1,2] d[hit,miss] kh kl3 dh dl1 r1 r<3 ro ro2 ! !5 !>=5 >=8 < <= = ( ) [ ] [morale]
    + - * / 3x x 0 1 7 1000000000 , ≥ − % k é
"""
PIECES = (*WORDS.split(), " ", "")


class Chance:
    """Dice that fall by chance, and are counted."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.drawn = 0

    def draw(self, die: Die) -> int | str:
        """A face of `die`."""
        self.drawn += 1
        return die.value(self._random.randint(1, die.sides))


class Edge:
    """Dice that always show their first or last face: what explodes or is rerolled there goes on
    to the limit.
    """

    def __init__(self, *, highest: bool) -> None:
        self._highest = highest
        self.drawn = 0

    def draw(self, die: Die) -> int | str:
        """The first or the last face of `die`."""
        self.drawn += 1
        return die.value(die.sides if self._highest else 1)


texts = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="0123456789d+-*/()[]khlro!<>=x%fa, ", max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
)


def check_text(text: str, random: Random) -> None:
    """`text` is refused at a place within it, or rolls as was promised."""
    try:
        expression = parse(text)
    except ExpressionError as refused:
        error = refused
    else:
        assert find_fault(text) == ""
        assert parse(expression.notation).notation == expression.notation
        for source in (Chance(random), Edge(highest=True), Edge(highest=False)):
            check_roll(expression, source)
        return
    assert 1 <= error.at <= len(text) + 1
    assert find_fault(text)


def check_roll(expression: Expression, source: Chance | Edge) -> None:
    """A roll draws no more dice and comes to no other number than was said before."""
    rolling = roll(expression, source)
    assert source.drawn == len(rolling.dice) <= compute_worst_cost(expression) <= MAX_DICE
    reach = check_range(expression, "")
    for result in rolling.results:
        assert (
            result.total is None
            or -MAX_RESULT <= reach.low <= result.total <= reach.high <= MAX_RESULT
        )
    assert rolling.format_text()
    assert rolling.to_output()["dice"] == [die.value for die in rolling.dice]


@given(texts, st.randoms(use_true_random=False))
def test_no_text_crashes_and_no_roll_costs_more_than_was_said(text: str, random: Random) -> None:
    check_text(text, random)


@st.composite
def pools(draw: st.DrawFn) -> str:
    """A pool that may reroll, explode, keep and count, most of which can be rolled."""
    die = draw(st.sampled_from(["d6", "d10", "dF", "dA", "d[1,1,5]", "d%"]))
    tail = st.sampled_from(["", "r1", "ro1", "!", "kh2", "dl1", ">=1", "r<1", "!>=5", "kl3dl1"])
    return f"{draw(st.integers(1, 40))}{die}" + "".join(draw(st.lists(tail, max_size=4)))


@given(pools(), st.randoms(use_true_random=False))
def test_no_pool_costs_more_than_was_said(text: str, random: Random) -> None:
    check_text(text, random)


@given(
    st.lists(st.integers(1, 8), min_size=2, max_size=12),
    st.sampled_from(["kh", "kl", "dh", "dl"]),
    st.integers(1, 11),
)
def test_keep_and_drop_agree_with_sorting(dice: list[int], choice: str, number: int) -> None:
    number = min(number, len(dice) - 1)
    rolling = roll(parse(f"{len(dice)}d8{choice}{number}"), Script(dice))
    rising = sorted(dice)
    kept = {
        "kh": rising[-number:],
        "kl": rising[:number],
        "dh": rising[:-number],
        "dl": rising[number:],
    }[choice]
    ((values, fates, _, _),) = rolling.results[0].thrown
    assert (
        sorted(
            int(value)
            for value, fate in zip(values, fates or (), strict=True)
            if fate & DieFate.KEPT
        )
        == kept
    )
    assert rolling.results[0].total == sum(kept)


@given(st.integers(1, 12), st.integers(1, 20), st.integers(0, 100))
def test_the_mean_of_plain_dice_is_the_mean_of_their_faces(
    count: int, sides: int, plus: int
) -> None:
    chances = compute_odds(parse(f"{count}d{sides}+{plus}"))
    assert sum(chances.values()) == 1
    mean = sum((Fraction(value) * chance for value, chance in chances.items()), Fraction(0))
    assert mean == count * Fraction(sides + 1, 2) + plus


def test_the_mean_of_averaging_dice() -> None:
    chances = compute_odds(parse("2dA"))
    mean = sum((Fraction(value) * chance for value, chance in chances.items()), Fraction(0))
    assert mean == Fraction(2 * sum(AVERAGING), 6)
