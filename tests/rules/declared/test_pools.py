"""Pools of alike dice: how many pass a test, a list of single results, one row for all who roll
the same.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import pytest
import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Declared, Library
from bot.rules.dice import Script
from bot.rules.errors import TableError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.odds.by_unit import list_rows
from bot.rules.odds.odds import compute_joint_odds, compute_marginals
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.sequence import play
from tests.rules.declared.code_helpers import counted
from tests.rules.declared.language_helpers import given as with_squads
from tests.rules.declared.language_helpers import squad, steps
from tests.rules.declared.pools_helpers import (
    CHOICES,
    ROUNDS,
)

POOL = """
- roll: {roll: "{count}d6: attack"}
  let: {hits: "how_many(roll, face >= needed)", sixes: "how_many(roll, face == 6)"}
- each: numbers(count)
  into: results
  row: {name: "each of {count}", alike: count}
  tell: {results: "'hit' if faces(roll)[at] >= needed else 'missed'"}
- tell: {hits: hits, sixes: sixes}
  headline: "{hits} of {count} hit"
"""
OUTPUTS = {"results": "list of hit | missed", "hits": "int", "sixes": "int", "wound": "int or null"}


def pool_of(steps: str = POOL) -> Declared:
    """A sequence that rolls `count` dice against `needed`."""
    source: dict[str, Any] = {"sequences": {"attack": {"steps": yaml.safe_load(steps)}}}
    head = SequenceHead((Option("count", "int"), Option("needed", "int")), OUTPUTS, "results[0]")
    return Library(source, Setting("pool.yaml"), {"attack": head}).load_sequence("attack")


def given(count: int, needed: int = 5) -> Given:
    return Given({"count": count, "needed": needed})


def test_dice_that_pass_are_counted_and_each_has_its_result() -> None:
    played = play(pool_of().plan(given(4)), Script([5, 1, 6, 4]))
    assert played.out == {"results": ["hit", "missed", "hit", "missed"], "hits": 2, "sixes": 1}
    assert played.resolution.headline == "2 of 4 hit"


def test_forty_dice_are_counted_by_how_many_pass() -> None:
    """Each hits in 1 of 3, so 10 of 40 hit as a binomial says."""
    counted = compute_marginals(pool_of().plan(given(40)), ["hits"])["hits"]
    assert counted[10] == comb(40, 10) * Fraction(1, 3) ** 10 * Fraction(2, 3) ** 30


def test_a_die_that_is_asked_for_is_told_apart() -> None:
    plan = pool_of().plan(given(30))
    assert compute_joint_odds(plan, ("results[29]", "hits"))["hit", 30] == Fraction(1, 3) ** 30
    assert plan.narrow is not None
    alone = plan.narrow(("results[3]",))
    assert len(alone.steps["0001"].group_rolls(alone.start) or ()) == 2, (
        "hit or missed, whatever the others show"
    )


@pytest.mark.parametrize(
    "paths", [("hits", "sixes"), ("results[1]", "sixes"), ("results[0]", "results[2]", "hits")]
)
def test_odds_are_those_of_every_face(paths: tuple[str, ...]) -> None:
    """Three dice, face by face, against the classes of the pool."""
    plan, counted = pool_of().plan(given(3, 4)), dict[tuple[Any, ...], Fraction]()
    for number in range(216):
        dice = [number // 36 + 1, number // 6 % 6 + 1, number % 6 + 1]
        out = play(plan, Script(dice)).out
        values = {"hits": out["hits"], "sixes": out["sixes"]}
        values |= {f"results[{at}]": word for at, word in enumerate(out["results"])}
        key = tuple(values[path] for path in paths)
        counted[key] = counted.get(key, Fraction(0)) + Fraction(1, 216)
    assert compute_joint_odds(plan, paths) == counted


def test_all_who_roll_the_same_have_one_row() -> None:
    (row,) = list_rows(pool_of().plan(given(7)), "results[0]")
    assert (row.name, row.unit_count, row.paths) == ("each of 7", 7, ("results[0]",))


def test_a_test_that_an_earlier_roll_decides_is_counted_for_each_way_it_fell() -> None:
    opposed = pool_of("""
- roll: {need: "1d6: defence"}
- roll: {roll: "{count}d6: attack"}
  tell: {hits: "how_many(roll, face > need)"}
""")
    assert compute_marginals(opposed.plan(given(2)), ["hits"])["hits"][2] == Fraction(
        sum(n * n for n in range(6)), 216
    )
    assert compute_marginals(opposed.plan(given(30)), ["hits"])["hits"][30] == Fraction(
        sum(n**30 for n in range(6)), 6**31
    )


def test_a_test_that_a_later_roll_decides_counts_every_face() -> None:
    opposed = pool_of("""
- roll: {roll: "{count}d6: attack"}
- roll: {need: "1d6: defence"}
  tell: {hits: "how_many(roll, face > need)"}
""")
    assert compute_marginals(opposed.plan(given(2)), ["hits"])["hits"][2] == Fraction(
        sum(n * n for n in range(6)), 216
    )
    with pytest.raises(TooManyStates):
        compute_marginals(opposed.plan(given(9)), ["hits"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("path", ["total", "units[0].result"])
@pytest.mark.parametrize(("text", "lucky"), [(ROUNDS, False), (CHOICES, False), (CHOICES, True)])
def test_pools_within_lists_and_choices_are_counted_as_every_face(
    text: str, lucky: bool, path: str
) -> None:
    sequence, inputs = steps(text), with_squads(squad(6), squad(7), lucky=lucky)
    assert compute_marginals(sequence.plan(inputs), [path])[path] == counted(sequence, inputs, path)


def test_an_output_that_may_be_null_is_null_where_none_is_told() -> None:
    wounding = pool_of("""
- roll: {roll: "1d6: attack"}
  tell: {wound: roll if roll >= needed else none}
""")
    assert play(wounding.plan(given(1)), Script([4])).out["wound"] is None
    assert compute_marginals(wounding.plan(given(1)), ["wound"])["wound"] == {
        "none": Fraction(4, 6),
        5: Fraction(1, 6),
        6: Fraction(1, 6),
    }


def test_what_is_counted_must_be_a_roll() -> None:
    with pytest.raises(
        TableError,
        match=r"step 1, tell, hits: how_many\(\.\.\.\) takes the name of a roll and a test",
    ):
        pool_of("""- tell: {hits: "how_many(count, face > 3)"}""")
    with pytest.raises(TableError, match="there is no name face here"):
        pool_of("""- tell: {hits: "face + 1"}""")
