"""Dice words of /roll in `roll`: the same dice in the same order as /roll throws them, and the
same odds.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from bot.rules.dice import Die
from bot.rules.errors import TableError, UserError
from bot.rules.expression.chances import compute_odds
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from bot.rules.inputs.input_values import Given
from bot.rules.odds.odds import compute_marginals
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.sequence import play
from tests.rules.declared.dice_helpers import counted, declared, rolled
from tests.rules.declared.dice_words_helpers import (
    Seeded,
)

WORDS = (
    "4d6kh3",
    "5d10dl2",
    "3d6!",
    "6d6!>=5",
    "2d10r1",
    "4d6r<3",
    "3d8ro1",
    "4d6ro1kh2",
    "3d6r1!",
    "3d6!kh2",
    "3d6ro1!6",
    "4d6r2ro<=3!",
    "3dAkl1",
)


def steps(dice: str) -> Any:
    return declared(
        f'- roll: {{x: "{dice}: test"}}\n  tell: {{lost: x}}\n  say: {{label: test, dice: x, total: x}}\n'
        '- roll: {y: 1d6}\n  tell: {hits: y}\n  headline: "{x}"\n'
    )


@pytest.mark.parametrize("dice", WORDS)
def test_the_dice_are_those_of_roll(dice: str) -> None:
    sequence = steps(dice)
    for seed in range(60):
        ours, theirs = Seeded(seed), Seeded(seed)
        found, thrown = play(sequence.plan(Given({})), ours), roll(parse(dice), theirs)
        assert ours.drawn[:-1] == theirs.drawn
        assert found.out["lost"] == thrown.results[0].total
        shown = thrown.results[0].format_work()
        assert (
            found.lines[0].text().startswith(f"Test: {shown.replace(', ', '] [')}".split(" (")[0])
        )


@pytest.mark.parametrize("dice", WORDS)
def test_the_odds_of_a_sum_are_those_of_roll(dice: str) -> None:
    assert counted(steps(dice), "lost", {}) == dict(compute_odds(parse(dice)))


def by_hand(dice: str, most: int, seen: Any) -> dict[Any, Fraction]:
    """Every way that dice can fall, one draw after the other, as far as /roll would ask."""
    found: dict[Any, Fraction] = {}
    sides = int(dice.split("d")[1][0])

    class Prefix:
        def __init__(self, faces: tuple[int, ...]) -> None:
            self.left = list(faces)

        def draw(self, _die: Die) -> int:
            return self.left.pop(0)

    def go(faces: tuple[int, ...]) -> None:
        try:
            thrown = roll(parse(dice), Prefix(faces)).results[0].thrown[0]
        except IndexError:
            if len(faces) == most:
                raise AssertionError("more dice than were counted on") from None
            for face in range(1, sides + 1):
                go((*faces, face))
            return
        value = seen(thrown)
        found[value] = found.get(value, Fraction(0)) + Fraction(1, sides ** len(faces))

    go(())
    return found


def test_how_many_of_dice_that_are_kept() -> None:
    sequence = declared(
        "- roll: {x: 4d6kh3}\n- let: {n: 'how_many(x, face >= 5)'}\n  tell: {lost: n}\n  headline: x\n"
    )
    expected: dict[int, Fraction] = {}
    for faces in product(range(1, 7), repeat=4):
        n = sum(face >= 5 for face in sorted(faces)[1:])
        expected[n] = expected.get(n, Fraction(0)) + Fraction(1, 6**4)
    assert counted(sequence, "lost", {}) == expected


@pytest.mark.parametrize(
    ("dice", "needed"),
    [
        ("1d4!", 3),
        ("2d4r1", 3),
        ("1d4r1!", 4),
        ("1d4ro1!", 3),
        ("2d3ro1!2", 2),
        ("1d4r1ro<3!>2", 3),
    ],
)
def test_how_many_of_dice_that_go_on(
    monkeypatch: pytest.MonkeyPatch, dice: str, needed: int
) -> None:
    """With few further dice, so that each way can be followed."""
    monkeypatch.setattr("bot.rules.expression.model.EXTRA_DICE", 2)
    parse.__globals__["_remembered"].cache_clear()
    sequence = declared(
        f"- roll: {{x: '{dice}'}}\n- let: {{n: 'how_many(x, face >= {needed})'}}\n  tell: {{lost: n}}\n"
    )
    expected = by_hand(
        dice,
        12,
        lambda one: sum(v >= needed and f & 1 for v, f in zip(one[0], one[1], strict=True)),
    )
    assert counted(sequence, "lost", {}) == expected
    parse.__globals__["_remembered"].cache_clear()


def test_the_sum_of_dice_rerolled_once_that_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of /roll itself; only where some of them are kept as well it is refused."""
    monkeypatch.setattr("bot.rules.expression.model.EXTRA_DICE", 1)
    parse.__globals__["_remembered"].cache_clear()
    for dice in ("1d4ro1!", "2d3ro1!2", "2d3r1ro<3!"):
        assert dict(compute_odds(parse(dice))) == by_hand(dice, 12, lambda one: one[2])
    parse.__globals__["_remembered"].cache_clear()
    with pytest.raises(UserError, match="ro, exploding dice and kept dice"):
        compute_odds(parse("3d6ro1!kh2"))


def test_words_hang_on_dice_too() -> None:
    """Hits save with a die that explodes; where nothing hits nothing falls."""
    sequence = declared("""
- roll: {hits: 1d3}
- roll: {x: "{hits - 1}d6kh1: best"}
  tell: {lost: x}
  headline: "{x}"
""")
    assert rolled(sequence, {}, 1).out["lost"] == 0
    assert rolled(sequence, {}, 3, 2, 5).out["lost"] == 5
    best = {n: Fraction(2 * n - 1, 36) for n in range(1, 7)}
    one = {n: (Fraction(1, 6) + best[n]) / 3 for n in range(1, 7)}
    assert counted(sequence, "lost", {}) == {0: Fraction(1, 3), **one}


def test_a_pool_explodes_and_rerolls() -> None:
    sequence = declared(
        """
- pool: {dice: "3d6: fire", success: face >= 5, gives: hits, explodes: 6, rerolls: 1}
- headline: "{hits}"
""",
        "hits",
    )
    found = rolled(sequence, {}, 6, 1, 5, 2, 3)
    assert found.out["hits"] == 2
    assert found.lines[0].text() == "Fire: [6!] [1->5] [2] [3], 2 of 4 hits"
    assert sum(counted(sequence, "hits", {}).values()) == 1


@pytest.mark.parametrize(
    ("dice", "said"),
    [
        ("4d6kh9", "9 dice cannot be kept out of 4"),
        ("4d6x", "must be dice, such as"),
        ("4d6!>6", "no d6 shows more than 6, so nothing can explode"),
        ("4d6r<7", "this would never end"),
        ("4d6k>=3", "how_many(roll, face >= 5) counts dice"),
        ("4d6r>=3!>=1", "this would never end"),
        ("2d6!: red | white", "needs as many dice as labels"),
    ],
)
def test_words_that_roll_would_refuse(dice: str, said: str) -> None:
    with pytest.raises(TableError) as error:
        steps(dice)
    assert "row volley, step 1, roll, x: " in str(error.value)
    assert said in str(error.value)


def test_odds_that_cannot_be_counted_say_so() -> None:
    sequence = declared("- roll: {x: 3d6!}\n- tell: {lost: 'max(faces(x))'}\n  headline: x\n")
    with pytest.raises(UserError, match="cannot be computed die by die"):
        counted(sequence, "lost", {})
    written = declared(
        "- roll: {x: 3d6r1!6kh2}\n- let: {n: 'how_many(x, face > 3)'}\n  tell: {lost: n}\n"
    )
    with pytest.raises(
        UserError,
        match=r"odds of 3d6r1!6kh2 cannot be computed die by die.*Only their sum can be counted\.",
    ):
        counted(written, "lost", {})
    both = "how_many(x, face > 3) + 9 * how_many(x, face > 5)"
    many = declared(f"- roll: {{x: '{{199 + 1}}d6!'}}\n- tell: {{lost: '{both}'}}\n  headline: x\n")
    with pytest.raises(TooManyStates):
        counted(many, "lost", {})


@pytest.mark.parametrize("words", ["!", "ro1!6"])
def test_ten_dice_that_explode_are_quick(words: str) -> None:
    sequence = declared(
        f"- pool: {{dice: 10d6{words}, success: face >= 4, gives: hits}}\n- headline: done\n",
        "hits",
    )
    plan = sequence.plan(Given({}))
    assert sum(compute_marginals(plan, ["hits"])["hits"].values()) == 1
