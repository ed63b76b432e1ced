"""Drawn sequences of dice that hang on dice, pools, words, losses and stops: their odds are
those of every roll.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from bot.rules.declared.declared import Declared
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.odds.odds import compute_joint_odds, compute_marginals, format_key
from bot.rules.sequence.sequence import play
from tests.rules.declared.idioms_helpers import declared, given, squad

PATHS = (
    "roll",
    "hits",
    "result",
    "saved",
    "units[0].fell",
    "units[1].fell",
    "units[1].becomes",
    "units[2].result",
)
MOST = 20_000
"""Rolls that are followed; what needs more is drawn again."""


def drawn(random: Random) -> str:
    """Steps that begin with a roll and a pool, and go on with some of these."""
    count, sides = random.randint(1, 3), random.choice((2, 3))
    words = random.choice(("", "", "kh1", "dl1" if count > 1 else "", "ro1"))
    lines = [f'- roll: {{roll: "{count}d{sides}{words}"}}']
    test = random.choice(("face == 1", "face >= 2", "face != 2"))
    lines.append(
        f'- pool: {{dice: "{{roll}}d2, at most {random.randint(1, 4)}", success: {test}, gives: hits}}'
    )
    lines.append("- let: {saved: 0, extra: 0}")
    further = [
        "- pool: {dice: '{hits}d3kh1', success: face >= 2, gives: saved}",
        "- when: hits > 1\n  roll: {extra: 1d2}",
        "- each: numbers(hits)\n  as: one\n  when: one < 2\n  roll: {die: 1d2}\n  let: {extra: extra + die}",
        "- roll: {where: '{hits}d2'}\n- each: faces(where)\n  as: place\n  let: {extra: 'max(extra, place)'}",
        "- stop: hits == 0",
        "- spread: {loss: hits + extra, over: units, from: men, lost: gone}",
        "- each: units\n  when: at < hits\n  test: {dice: 1d2, plus: {extra: extra}, at_most: 3, gives: [pass, fail]}",
        "- each: units\n  roll: {own: 1d2}\n  let: {unit.mine: own}\n- each: units\n  let: {extra: extra + unit.mine}",
        "- test: {dice: '{saved + 1}d2', at_least: 2, gives: [pass, fail]}",
    ]
    lines += random.sample(further, random.randint(2, 4))
    lines += ["- tell: {roll: roll, hits: hits, saved: saved + extra}", "- headline: done"]
    return "\n".join(lines)


class Prefix:
    """Dice that are given, then no more."""

    def __init__(self, faces: tuple[Any, ...]) -> None:
        self.left, self.owed = list(faces), Die("")

    def draw(self, die: Die) -> Any:
        self.owed = die
        return self.left.pop(0)


def every_roll(sequence: Declared, inputs: Given) -> dict[str, dict[Any, Fraction]] | None:
    """The odds of all paths, each roll followed to its end; None for too many."""
    plan, found, left = sequence.plan(inputs), dict[str, dict[Any, Fraction]](), MOST
    stack: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
    while stack:
        faces, weight = stack.pop()
        source = Prefix(faces)
        left -= 1
        if left < 0:
            return None
        try:
            out = play(plan, source).out
        except IndexError:
            stack += [
                ((*faces, face), weight / source.owed.sides)
                for face in range(1, source.owed.sides + 1)
            ]
            continue
        for path in PATHS:
            value = told(out, path)
            values = found.setdefault(path, {})
            values[value] = values.get(value, Fraction(0)) + weight
    return found


def told(out: dict[str, Any], path: str) -> Any:
    if "[" not in path:
        return format_key(out.get(path))
    name, _, rest = path.partition("[")
    at, key = int(rest[0]), rest.partition(".")[2]
    some = out.get(name, [])
    return format_key(some[at].get(key)) if at < len(some) else "none"


@pytest.mark.slow_sample(4)
@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(16))
def test_the_odds_of_drawn_sequences_are_those_of_every_roll(seed: int) -> None:
    random = Random(seed)
    inputs = given(
        squad(2, word="A", state="steady"), squad(1, word="B", state="steady"), squad(3, word="C")
    )
    for _ in range(20):
        steps = drawn(random)
        sequence = declared(steps)
        try:
            expected = every_roll(sequence, inputs)
        except UserError:  # more dice by some roll than are written, or a result that is told twice
            continue
        if expected is None:
            continue
        plan = sequence.plan(inputs)
        one_by_one = compute_marginals(plan, PATHS)
        for path in PATHS:
            assert compute_marginals(plan, [path])[path] == one_by_one[path] == expected[path], (
                f"{path}\n{steps}"
            )
        assert sum(compute_joint_odds(plan, PATHS[:4]).values()) == 1
        return
    raise AssertionError("nothing small enough was drawn")
