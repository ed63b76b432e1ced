"""How a game went: what was the best shot, the worst luck, and whether it was luck at all."""

from __future__ import annotations

from fractions import Fraction

from bot.commands.games.end import format_luck_verdict, format_points
from bot.game.luck import Luck, ScoredRoll, Worth, rank_by_chance


def roll(number: int) -> ScoredRoll:
    return ScoredRoll(number, "US", "lnlt", "fire", ())


HIT = (roll(38), Worth(2, 0.6, 1, at_least=Fraction("0.08"), more=Fraction("0.0")))
LIKELY = (roll(40), Worth(1, 0.6, 1, at_least=Fraction("0.7"), more=Fraction("0.1")))
MISS = (roll(51), Worth(0, 1.4, 1, at_least=Fraction("1.0"), more=Fraction("0.83")))
TWELVE = (roll(60), Worth(9, 4.0, 2, at_least=None, more=None))  # twelve plays in one roll
FAIR_MISS = (roll(52), Worth(0, 0.4, 1, at_least=Fraction("1.0"), more=Fraction("0.3")))


def test_the_best_shot_is_the_unlikeliest_and_the_worst_luck_missed_the_likeliest() -> None:
    successes, failures = rank_by_chance([LIKELY, HIT, FAIR_MISS, MISS, TWELVE])
    assert [(roll.number, chance) for roll, chance in successes] == [
        (38, Fraction("0.08")),
        (40, Fraction("0.7")),
    ]
    assert [(roll.number, chance) for roll, chance in failures] == [
        (51, Fraction("0.17")),
        (52, Fraction("0.7")),
    ]


def test_luck_in_one_line_with_its_judgement() -> None:
    even = {"US": Luck(40, 21.5, 19.8, 9.0), "VC": Luck(34, 16.0, 17.1, 9.0)}
    assert format_points(even) == "US 21.5 points (19.8 expected), VC 16 (17.1 expected)"
    assert format_luck_verdict(even, 74) == "74 rolls: nothing out of the ordinary"
    assert format_luck_verdict({"US": Luck(3, 1, 2, 1)}, 3) == "3 rolls: too few to judge"
    assert (
        format_luck_verdict({"US": Luck(3, 1, 2, 1)}, 8) == "3 of 8 rolls count: too few to judge"
    )
    bad = {**even, "VC": Luck(34, 11.0, 17.0, 9.0)}  # two standard deviations below
    assert (
        format_luck_verdict(bad, 74) == "74 rolls: VC was unluckier than in 97.7 of 100 such games"
    )
