"""How a game went: what was the best shot, the worst luck, and whether it was luck at all."""

from __future__ import annotations

from fractions import Fraction

from bot.commands.games.end import best_shot, judgement, points, worst_luck
from bot.game.luck import Luck, Try, Worth


def roll(number: int) -> Try:
    return Try("US", "lnlt", "fire", "{}", "{}", number)


HIT = (roll(38), Worth(2, 0.6, 1, at_least=Fraction("0.08"), more=Fraction("0.0")))
LIKELY = (roll(40), Worth(1, 0.6, 1, at_least=Fraction("0.7"), more=Fraction("0.1")))
MISS = (roll(51), Worth(0, 1.4, 1, at_least=Fraction("1.0"), more=Fraction("0.83")))
FAIR_MISS = (roll(52), Worth(0, 0.4, 1, at_least=Fraction("1.0"), more=Fraction("0.3")))


def test_the_best_shot_is_the_unlikeliest_and_the_worst_luck_missed_the_likeliest() -> None:
    best, worst = best_shot([LIKELY, HIT, MISS]), worst_luck([FAIR_MISS, MISS, HIT])
    assert best is not None
    assert worst is not None
    assert (best[0].number, best[1]) == (38, Fraction("0.08"))
    assert (worst[0].number, worst[1]) == (51, Fraction("0.83"))


def test_what_was_to_be_expected_is_not_worth_telling() -> None:
    assert best_shot([LIKELY, MISS]) is None
    assert worst_luck([FAIR_MISS, HIT]) is None


def test_luck_in_one_line_with_its_judgement() -> None:
    even = {"US": Luck(40, 21.5, 19.8, 9.0), "VC": Luck(34, 16.0, 17.1, 9.0)}
    assert points(even) == "US 21.5 points, 19.8 expected · VC 16, 17.1 expected"
    assert judgement(even) == "74 rolls: nothing out of the ordinary"
    assert judgement({"US": Luck(3, 1, 2, 1)}) == "3 rolls: too few to judge"
    bad = {**even, "VC": Luck(34, 11.0, 17.0, 9.0)}  # two standard deviations below
    assert judgement(bad) == "74 rolls: VC was unluckier than in 97.7 of 100 such games"
