"""Dice that hang on dice: hit, wound, save. Bounds are proved or written, and the answer says
where one bites.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from time import process_time

import icepool
import pytest

from bot.rules.errors import TableError, UserError
from bot.rules.inputs.input_values import Given
from tests.rules.declared.dice_helpers import (
    counted,
    declared,
    rolled,
)

VOLLEY = """
- roll: {shots: "{shooters}d6: fire"}
  let: {hits: "how_many(shots, face >= 4)"}
- roll: {rolls: "{hits}d6: wound"}
  let: {wounds: "how_many(rolls, face >= 3)"}
- roll: {saves: "{wounds}d6: armour"}
  let: {lost: "wounds - how_many(saves, face >= 5)"}
  tell: {hits: hits, wounds: wounds, lost: lost}
  say: {label: armour, dice: saves, result: "{lost} of {wounds} fall"}
  headline: "{lost} fall"
"""
CAPPED = """
- roll: {blast: "{shooters}d6: blast"}
- roll: {hurt: "{blast}d6, at most 3: shrapnel"}
  let: {lost: "how_many(hurt, face == 6)"}
  tell: {lost: lost}
  say: {label: shrapnel, dice: hurt}
  headline: "{lost} fall"
"""


def test_hits_are_saved_die_by_die() -> None:
    found = rolled(declared(VOLLEY, shooters=4), {"shooters": 4}, 4, 1, 6, 5, 2, 3, 6, 5, 1)
    assert found.out == {"hits": 3, "wounds": 2, "lost": 1}
    assert [die.label for die in found.dice] == ["fire"] * 4 + ["wound"] * 3 + ["armour"] * 2
    assert found.lines[0].text() == "Armour: [5] [1], 1 of 2 fall"


def test_no_hits_roll_no_further_die() -> None:
    found = rolled(declared(VOLLEY, shooters=2), {"shooters": 2}, 1, 3)
    assert (found.out["lost"], len(found.dice)) == (0, 2)


def test_two_shots_are_counted_as_every_roll_by_hand() -> None:
    """Face by face: up to six dice, none of them grouped."""
    by_hand: dict[int, Fraction] = {}
    for shots in product(range(1, 7), repeat=2):
        hits = sum(face >= 4 for face in shots)
        for wounding in product(range(1, 7), repeat=hits):
            wounds = sum(face >= 3 for face in wounding)
            for saves in product(range(1, 7), repeat=wounds):
                lost = wounds - sum(face >= 5 for face in saves)
                by_hand[lost] = by_hand.get(lost, Fraction(0)) + Fraction(
                    1, 6 ** (2 + hits + wounds)
                )
    assert counted(declared(VOLLEY, shooters=2), "lost", {"shooters": 2}) == by_hand


@pytest.mark.parametrize("shooters", [1, 10, 40])
def test_forty_dice_with_saves_are_a_binomial(shooters: int) -> None:
    """Hit, wound and no save is 1/2 * 2/3 * 2/3 for each die, whatever the others do."""
    chance = Fraction(1, 2) * Fraction(2, 3) * Fraction(2, 3)
    for path, one in (("hits", Fraction(1, 2)), ("wounds", Fraction(1, 3)), ("lost", chance)):
        expected = {
            n: comb(shooters, n) * one**n * (1 - one) ** (shooters - n) for n in range(shooters + 1)
        }
        assert counted(declared(VOLLEY, shooters=10), path, {"shooters": shooters}) == expected


def test_odds_of_saves_are_quick() -> None:
    """Ten dice in 5 ms, forty in 50 ms; five times that where others use the machine."""
    sequence = declared(VOLLEY, shooters=10)
    for shooters, most in ((10, 0.025), (40, 0.25)):
        counted(sequence, "lost", {"shooters": shooters})
        took = []
        for _ in range(3):
            start = process_time()
            counted(sequence, "lost", {"shooters": shooters})
            took.append(process_time() - start)
        assert min(took) < most, took


def test_more_than_the_most_is_said_and_counted() -> None:
    sequence = declared(CAPPED, shooters=1)
    found = rolled(sequence, {"shooters": 1}, 5, 6, 6, 1)
    assert [line.text() for line in found.lines] == [
        "Shrapnel: 3 dice of 5, the card's most",
        "Shrapnel: [6] [6] [1]",
    ]
    assert [line.text() for line in rolled(sequence, {"shooters": 1}, 3, 6, 6, 1).lines] == [
        "Shrapnel: [6] [6] [1]"
    ]
    six = icepool.d6 == 6
    expected = icepool.d6.map(lambda count: min(count, 3) @ six)
    assert counted(sequence, "lost", {"shooters": 1}) == {
        n: Fraction(expected.quantity(n), expected.denominator()) for n in range(4)
    }


def test_sides_and_labels_may_hang_on_dice() -> None:
    sequence = declared("""
- roll: {size: "1d3: size"}
  let: {sides: "[4, 6, 8][size - 1]"}
- roll: {hurt: "1d{sides}: harm by d{sides}"}
  tell: {lost: hurt}
  headline: "{hurt}"
""")
    found = rolled(sequence, {}, 3, 8)
    assert [(die.label, die.sides) for die in found.dice] == [("size", 3), ("harm by d8", 8)]
    expected = {
        n: sum(Fraction(1, 3 * sides) for sides in (4, 6, 8) if n <= sides) for n in range(1, 9)
    }
    assert counted(sequence, "lost", {}) == expected


def test_dice_of_one_step_may_hang_on_those_before() -> None:
    sequence = declared(
        '- roll: {first: "1d3", more: "{first}d6"}\n  tell: {lost: more}\n  headline: "{more}"\n'
    )
    assert rolled(sequence, {}, 2, 5, 6).out["lost"] == 11


def test_fewer_than_none_are_none() -> None:
    sequence = declared(
        '- roll: {a: 1d6}\n- roll: {b: "{a - 3}d6"}\n  tell: {lost: b}\n  headline: "{b}"\n'
    )
    assert rolled(sequence, {}, 2).out["lost"] == 0
    assert rolled(sequence, {}, 5, 6, 1).out["lost"] == 7


def test_a_list_may_hang_on_dice() -> None:
    sequence = declared("""
- let: {lost: 0}
- roll: {a: 1d6}
- each: numbers(a)
  as: one
  roll: {b: 1d6}
  let: {lost: lost + (1 if b == 6 else 0)}
- tell: {lost: lost}
  headline: "{lost}"
""")
    assert rolled(sequence, {}, 2, 6, 1).out["lost"] == 1
    expected = icepool.d6.map(lambda count: count @ (icepool.d6 == 6))
    assert counted(sequence, "lost", {})[0] == Fraction(
        expected.quantity(0), expected.denominator()
    )


def test_what_inputs_alone_decide_is_refused_before_the_first_die() -> None:
    sequence = declared('- roll: {a: 1d6, b: "{shooters * 20}d6"}\n  tell: {lost: b}\n', shooters=1)
    with pytest.raises(UserError, match="dice are too many for one roll"):
        sequence.plan(Given({"shooters": 40}))


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            '- roll: {a: "9d6"}\n- roll: {b: "{a * 60}d6: armour"}\n',
            "line 5, column 14, row volley, step 2, roll, b: dice decide how many dice these are, and it may be "
            '3,240; give a maximum: "{hits}d6, at most 20"',
        ),
        (
            '- roll: {a: 1d900}\n- roll: {b: "{a}d6"}\n',
            "and nothing sets a maximum; give a maximum",
        ),
        ('- roll: {a: 4d100}\n- roll: {b: "{a}d6"}\n', "it may be 400; give a maximum"),
        (
            '- roll: {a: 1d6}\n- roll: {b: "{a / 2}d6"}\n',
            "may have a fraction; up(...) or down(...) rounds it",
        ),
        ('- roll: {a: 1d6}\n- roll: {b: "{a if a > 1 else none}d6"}\n', "it may be none"),
        ('- roll: {a: 1d6}\n- roll: {b: "{a / 2}d6, at most 9"}\n', "may have a fraction"),
        (
            '- roll: {a: 1d6}\n- roll: {b: "1d{a - 1}"}\n',
            "dice decide their sides, and it may be 0",
        ),
        (
            "- roll: {a: 1d6}\n- roll: {b: 54d6}\n- each: faces(b)\n  as: f\n  let: {c: f}\n",
            "it may be 54",
        ),
        (
            '- roll: {a: 4d6}\n- roll: {b: "1d{a * 1000}"}\n',
            "dice decide their sides, and it may be 24,000",
        ),
        (
            '- roll: {a: 1d6}\n- roll: {b: "{a}d6, at most 500"}\n',
            "at most goes with a count in braces",
        ),
        (
            '- roll: {a: 1d6}\n- roll: {b: "5d6, at most 3"}\n',
            "at most goes with a count in braces",
        ),
        ('- roll: {b: "{[1, 2]}d6"}\n', "a list cannot be the number of dice"),
        (
            "- roll: {a: 9d6}\n- each: numbers(a)\n  let: {b: 1}\n",
            "dice decide how long this list is, and it may be 54",
        ),
        ("- roll: {a: 1d6}\n- when: a > 3\n  refuse: no\n", "dice decide whether this is refused"),
    ],
)
def test_what_no_bound_holds_is_found_when_the_file_is_loaded(steps: str, said: str) -> None:
    with pytest.raises(TableError) as error:
        declared(steps)
    assert said in str(error.value)


def test_each_die_may_be_gone_through() -> None:
    sequence = declared("""
- let: {lost: 0}
- roll: {a: 1d3}
- roll: {b: "{a}d6: where"}
- each: faces(b)
  as: place
  roll: {harm: "1d{place}: harm"}
  let: {lost: lost + harm}
- tell: {lost: lost}
  headline: "{lost}"
""")
    assert rolled(sequence, {}, 2, 4, 6, 3, 5).out["lost"] == 8
    one = icepool.d6.map(lambda sides: icepool.d(sides))
    expected = icepool.d(3).map(lambda count: count @ one)
    assert counted(sequence, "lost", {}) == {
        n: Fraction(expected.quantity(n), expected.denominator()) for n in expected.outcomes()
    }


def test_no_more_dice_than_are_written_as_the_most_also_where_inputs_decide_them() -> None:
    sequence = declared('- roll: {a: "{shooters}d6, at most 9"}\n  tell: {lost: a}\n', shooters=1)
    found = rolled(sequence, {"shooters": 12}, *[1] * 9)
    assert found.out["lost"] == 9
    assert [line.text() for line in found.lines] == ["A: 9 dice of 12, the card's most"]
    assert max(counted(sequence, "lost", {"shooters": 12})) == 54


def test_more_items_than_a_list_may_have_are_refused() -> None:
    sequence = declared("- each: numbers(shooters)\n  let: {b: 1}\n- headline: done\n", shooters=1)
    with pytest.raises(UserError, match="at most 40 items here, not 41"):
        sequence.plan(Given({"shooters": 41}))


@pytest.mark.parametrize(
    ("steps", "dice", "said"),
    [
        (
            "- roll: {a: 1d6}\n- let: {b: 6 // (a - 1)}\n  tell: {lost: b}\n",
            (1,),
            "volley.yaml, line 5, column 13, row volley, step 2, let, b: The steps cannot be worked out: it "
            "divides by 0 (a is 1).",
        ),
        (
            "- roll: {a: 1d2}\n- let: {b: \"['x', 3][a - 1]\"}\n- say: {label: total, total: b + 1}\n",
            (1,),
            "line 6, column 27, row volley, step 3, say, total: The steps cannot be worked out: only numbers can be",
        ),
        (
            '- roll: {a: 1d2}\n- let: {b: "[\'x\', 3][a - 1]"}\n- headline: "{max(b, 2)}"\n',
            (1,),
            "line 6, column 7, row volley, step 3, headline: The steps cannot be worked out: these values do not go "
            "together (b is x).",
        ),
    ],
)
def test_what_makes_no_sense_of_its_values_names_its_place(
    steps: str, dice: tuple[int, ...], said: str
) -> None:
    with pytest.raises(UserError) as error:
        rolled(declared(steps), {}, *dice)
    assert said in str(error.value)


def test_rolls_of_one_step_cost_what_they_cost_apart() -> None:
    """Two bounds of 200 dice are no product: the dice fall and count as those of two steps do."""
    together = """
- roll: {saves: "{n}d6, at most 200: saves", wards: "{m}d6, at most 200: wards"}
  let: {hits: "how_many(saves, face >= 5)", lost: "hits - how_many(wards, face >= 6)"}
  say: [{label: saves, dice: saves}, {label: wards, dice: wards}]
"""
    apart = together.replace(', wards: "{m}', '}\n- roll: {wards: "{m}')
    found = [declared(text, n=1, m=1) for text in (together, apart)]
    for given in ({"n": 1, "m": 1}, {"n": 6, "m": 3}):
        dice = [6] * given["n"] + [5] * given["m"]
        one, two = [rolled(sequence, given, *dice) for sequence in found]
        assert one == two
        assert counted(found[0], "lost", given) == counted(found[1], "lost", given)
    assert rolled(found[0], {"n": 40, "m": 40}, *[6] * 80).out == {"hits": 40, "lost": 0}


@pytest.mark.parametrize(
    ("dice", "fault"),
    [
        ("{n}d100, at most 200: fire", "200 dice of 100 sides may add up to 20,000"),
        ("99d400: fire", "99 dice of 400 sides may add up to 39,600"),
        ("99d400!: fire", "99 dice of 400 sides may add up to 39,600"),
        ("{first}d5000: fire", "6 dice of 5000 sides may add up to 30,000"),
    ],
)
def test_a_roll_that_is_too_large_is_a_fault_with_its_line(dice: str, fault: str) -> None:
    steps = f'- roll: {{first: 1d6}}\n- roll: {{a: "{dice}"}}\n  tell: {{lost: a}}\n'
    with pytest.raises(
        TableError, match=f"line 5, column 14.*{fault}, and the limit for one roll is 10,000"
    ):
        declared(steps, n=1)


def test_a_roll_that_inputs_make_too_large_is_named() -> None:
    sequence = declared('- roll: {a: "{n}d1000: fire"}\n  tell: {lost: a}\n', n=1)
    with pytest.raises(UserError, match=r"11d1000 \(fire\) is too much for one roll"):
        sequence.plan(Given({"n": 11}))
