"""Dice expressions as players type them, with the dice that fell."""

from __future__ import annotations

import pytest

from bot.rules.dice import RolledDie, Script
from bot.rules.expression.model import GUIDE
from bot.rules.expression.rolling import DieFate, Rolling, roll
from bot.rules.expression.sum_parser import compute_worst_cost, find_fault, parse
from tests.refusing import refuses


def play(text: str, *dice: object) -> Rolling:
    """`text` rolled with exactly these dice."""
    script = Script(dice)
    rolling = roll(parse(text), script)
    script.finish()
    return rolling


@pytest.mark.parametrize(
    ("text", "dice", "answer"),
    [
        ("2d6+3", [4, 2], "2d6+3: [4, 2] + 3 = 9"),
        ("d20", [14], "d20: [14] = 14"),
        ("1D20 - 1", [14], "d20-1: [14] - 1 = 13"),
        ("d%", [100], "d%: [100] = 100"),
        ("4d6kh3", [4, 1, 6, 3], "4d6kh3: [4, ~1~, 6, 3] = 13"),
        ("4d6kh3", [1, 1, 1, 1], "4d6kh3: [1, 1, 1, ~1~] = 3"),
        ("2d20kl", [17, 5], "2d20kl1: [~17~, 5] = 5"),
        ("2d20 k", [17, 5], "2d20kh1: [17, ~5~] = 17"),
        ("5d6dh1dl1", [2, 6, 1, 3, 4], "5d6dh1dl1: [2, ~6~, ~1~, 3, 4] = 9"),
        ("2d6r1", [1, 1, 4, 5], "2d6r1: [1->1->4, 5] = 9"),
        ("2d6r<3", [2, 3, 6], "2d6r<3: [2->3, 6] = 9"),
        ("2d6r>=5", [5, 6, 1, 2], "2d6r>=5: [5->6->1, 2] = 3"),
        ("2d6ro1", [1, 1, 5], "2d6ro1: [1->1, 5] = 6"),
        ("3d6!", [6, 6, 2, 3, 4], "3d6!: [6!, 6!, 2, 3, 4] = 21"),
        ("2d6!5", [5, 6, 1], "2d6!5: [5!, 6, 1] = 12"),
        ("2d6!>=5", [5, 6, 1, 2], "2d6!>=5: [5!, 6!, 1, 2] = 14"),
        ("2d6!kh1", [6, 3, 5], "2d6!kh1: [6!, ~3~, ~5~] = 6"),
        ("2d6r1!", [6, 1, 2, 4], "2d6r1!: [6!, 1->2, 4] = 12"),
        ("5d10>=8", [8, 10, 3, 7, 9], "5d10>=8: [(8), (10), 3, 7, (9)] = 3 successes"),
        ("2d10 > 8", [9, 8], "2d10>8: [(9), 8] = 1 success"),
        ("2d6<=2", [3, 4], "2d6<=2: [3, 4] = 0 successes"),
        ("2d6=6", [6, 4], "2d6=6: [(6), 4] = 1 success"),
        ("2d6≥6", [6, 4], "2d6>=6: [(6), 4] = 1 success"),
        ("2d10!10>=8", [10, 8, 1], "2d10!10>=8: [(10!), (8), 1] = 2 successes"),
        ("3d6>=5 + 1", [5, 1, 6], "3d6>=5+1: [(5), 1, (6)] + 1 = 3"),
        ("4dF", [-1, 0, 1, 1], "4dF: [-1, 0, +1, +1] = 1"),
        ("4df>=0", [-1, 0, 1, 1], "4dF>=0: [-1, (0), (+1), (+1)] = 3 successes"),
        ("3da", [2, 4, 5], "3dA: [2, 4, 5] = 11"),
        ("d[0, 0, +2]*10", [2], "d[0,0,2]*10: [2] * 10 = 20"),
        (
            "3d[hit, miss,miss]",
            ["miss", "hit", "miss"],
            "3d[hit,miss,miss]: [miss, hit, miss] = 1x hit, 2x miss",
        ),
        ("2d[0,1,Jam]", [1, "Jam"], "2d[0,1,Jam]: [1, Jam] = 1x 1, 1x Jam"),
        ("2d6 [morale] + 1 [leader]", [4, 2], "2d6+1: morale [4, 2] + leader 1 = 7"),
        ("[morale check] 2d6", [4, 2], "2d6: morale check [4, 2] = 6"),
        ("(2d6+1) [fire]", [4, 2], "(2d6+1): (fire [4, 2] + 1) = 7"),
        ("2d6−1", [4, 2], "2d6-1: [4, 2] - 1 = 5"),
        (
            "3x 2d6+1",
            [4, 2, 1, 1, 6, 5],
            "3x 2d6+1 = 7, 3, 12\n1: [4, 2] + 1 = 7\n2: [1, 1] + 1 = 3\n3: [6, 5] + 1 = 12",
        ),
        ("7/2", [], "7/2: 7 / 2 = 3"),
        ("-7/2", [], "-7/2: -7 / 2 = -3"),
        ("2+3*4", [], "2+3*4: 2 + 3 * 4 = 14"),
        ("(2+3)*4", [], "(2+3)*4: (2 + 3) * 4 = 20"),
        ("10-3-2", [], "10-3-2: 10 - 3 - 2 = 5"),
        ("100/5/2", [], "100/5/2: 100 / 5 / 2 = 10"),
        ("2 - -3", [], "2--3: 2 - -3 = 5"),
        ("-(d6 - 2) * 3", [6], "-(d6-2)*3: -([6] - 2) * 3 = -12"),
    ],
)
def test_a_roll_reads_as_it_was_played(text: str, dice: list[object], answer: str) -> None:
    assert play(text, *dice).format_text() == answer


def test_dice_are_drawn_as_written_from_left_to_right() -> None:
    rolling = play("2*d20 [tank] - (d6 + 2d8 [gun])", 20, 6, 7, 8)
    assert rolling.dice == (
        RolledDie("tank", 20, 20),
        RolledDie("d6", 6, 6),
        RolledDie("gun", 8, 7),
        RolledDie("gun", 8, 8),
    )
    assert rolling.results[0].total == 40 - 21


def test_each_die_knows_what_became_of_it() -> None:
    ((_, fates, _, _),) = play("3d6r1!kh2>=5", 1, 6, 5, 2, 3).results[0].thrown
    assert fates == [
        DieFate.REROLLED,
        DieFate.EXPLODED | DieFate.KEPT | DieFate.SUCCESS,
        DieFate.KEPT | DieFate.SUCCESS,
        DieFate.DROPPED,
        DieFate.DROPPED,
    ]


@pytest.mark.parametrize(
    ("text", "dice", "out"),
    [
        ("2d6+3", [4, 2], {"total": 9, "dice": [4, 2]}),
        ("4d6dl1", [4, 2, 3, 1], {"total": 9, "dice": [4, 2, 3, 1]}),
        ("2x d6", [4, 2], {"totals": [4, 2], "dice": [4, 2]}),
        ("1x d6", [4], {"totals": [4], "dice": [4]}),
        (
            "3d[hit,miss]",
            ["hit", "miss", "hit"],
            {"faces": {"hit": 2, "miss": 1}, "dice": ["hit", "miss", "hit"]},
        ),
        (
            "2x d[hit,miss]",
            ["hit", "miss"],
            {"faces": [{"hit": 1}, {"miss": 1}], "dice": ["hit", "miss"]},
        ),
        ("3+4", [], {"total": 7, "dice": []}),
    ],
)
def test_a_program_gets_totals_and_every_die(
    text: str, dice: list[object], out: dict[str, object]
) -> None:
    assert play(text, *dice).to_output() == out


def test_rerolls_and_explosions_stop_at_the_limit_and_say_so() -> None:
    """One die may bring 20 + 2 further dice; the 23rd stays as it is."""
    rolling = play("d6r1", *[1] * 23)
    assert rolling.results[0].total == 1
    assert rolling.format_text().endswith("->1] (stopped at the limit for extra dice) = 1")
    assert play("d6!", *[6] * 23).results[0].total == 6 * 23
    assert compute_worst_cost(parse("d6!")) == compute_worst_cost(parse("d6r1")) == 23


def test_dice_given_by_hand_must_fit_and_must_suffice() -> None:
    with refuses("die-owed morale"):
        play("2d6 [morale]", 4)
    with refuses("bad-face"):
        play("d%", 101)
    with refuses("dice-left-over"):
        play("d6", 1, 2)


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("3+4", 0),
        ("2d6", 2),
        ("2d6+d8", 3),
        ("3x 2d6", 6),
        ("4d6ro1", 8),
        ("10d10!", 50),
        ("1000d6", 1000),
    ],
)
def test_the_worst_cost_is_known_before_rolling(text: str, cost: int) -> None:
    assert compute_worst_cost(parse(text)) == cost


@pytest.mark.parametrize("example", [example for example, _ in GUIDE])
def test_each_example_of_the_guide_can_be_rolled(example: str) -> None:
    assert find_fault(example) == ""
    assert find_fault(parse(example).notation) == ""
