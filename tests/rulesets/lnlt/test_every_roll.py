"""Play and odds are one definition: every output, from playing each roll by itself, is what the
odds say.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.rules.dice import Die
from bot.rules.odds.odds import compute_marginals, format_key
from bot.rules.sequence.sequence import Plan, play
from bot.rulesets.catalog import find_shared_system

CASES: list[tuple[str, dict[str, Any]]] = [
    ("fire", {"attackers": "squad fp=2", "targets": "leader morale=6 lm=1; squad morale=4"}),
    (
        "fire",
        {
            "attackers": "squad fp=1",
            "targets": "armored-vehicle av=2; squad morale=4 outside; hero morale=5 inside",
        },
    ),
    (
        "fire",
        {
            "attackers": "squad fp=4",
            "targets": "helicopter morale=3; squad morale=4 inside; leader morale=4 outside",
        },
    ),
    ("damage-check", {"targets": "unarmored-vehicle morale=3; squad morale=4 inside", "dc_mod": 3}),
    (
        "damage-check",
        {"targets": "helicopter morale=3; squad morale=4 inside; squad morale=4", "dc_mod": 3},
    ),
    (
        "bail-out",
        {
            "cause": "dft",
            "vehicle": "destroyed",
            "passengers": "squad morale=4 outside",
            "dc_mod": 4,
        },
    ),
    (
        "bail-out",
        {
            "cause": "oft",
            "vehicle": "shaken",
            "passengers": "squad morale=4; hero morale=4 outside",
        },
    ),
    ("overrun", {"he": 1, "mg": 1, "targets": "leader morale=4 lm=1; squad morale=5"}),
    (
        "barrage",
        {
            "weapon": "artillery",
            "fp": 2,
            "targets": "squad morale=4; leader morale=5 lm=1",
            "flammable": True,
        },
    ),
    ("rally", {"units": "leader morale=6 lm=1; squad morale=4", "rallier": "none"}),
]


class Owed(Exception):
    """The dice laid out so far do not suffice."""

    def __init__(self, die: Die) -> None:
        super().__init__(die.label)
        self.die = die


class Laid:
    """Dice laid out beforehand; asks for the next one by raising Owed."""

    def __init__(self, faces: tuple[int, ...]) -> None:
        self._faces = list(faces)

    def draw(self, die: Die) -> int | str:
        """The next face."""
        if not self._faces:
            raise Owed(die)
        return self._faces.pop(0)


def paths(out: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Outputs by path; lists of plain words are left out."""
    found: dict[str, Any] = {}
    for name, value in out.items():
        if not isinstance(value, list):
            found[before + name] = value
            continue
        for at, item in enumerate(value):
            if isinstance(item, dict):
                found |= paths(item, f"{before}{name}[{at}].")
    return found


def play_every_roll(plan: Plan[Any]) -> dict[str, dict[Any, Fraction]]:
    """Chances of each value of each output."""
    chances: dict[str, dict[Any, Fraction]] = {}
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        faces, chance = waiting.pop()
        try:
            out = play(plan, Laid(faces)).out
        except Owed as owed:
            sides = owed.die.sides
            waiting += [((*faces, face), chance / sides) for face in range(1, sides + 1)]
            continue
        for path, value in paths(out).items():
            values = chances.setdefault(path, {})
            values[format_key(value)] = values.get(format_key(value), Fraction(0)) + chance
    for values in chances.values():
        rest = 1 - sum(values.values())
        if rest:
            values["none"] = values.get("none", Fraction(0)) + rest
    return chances


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("sequence", "given"), CASES, ids=[f"{at}-{case[0]}" for at, case in enumerate(CASES)]
)
def test_odds_of_each_output_are_those_of_every_roll(sequence: str, given: dict[str, Any]) -> None:
    """Nothing merged, nothing grouped, against the odds."""
    found = find_shared_system("lnlt").find_sequence(sequence)
    plan = found.plan(found.read_inputs(given, {}))
    played = play_every_roll(plan)
    assert compute_marginals(plan, list(played)) == played


def test_ten_firers_at_ten_targets_need_few_states() -> None:
    """Each unit's follow-up dice are taken with its check, so that all stay in step and equal
    states merge.
    """
    targets = "leader morale=6 lm=1; " + "; ".join(
        ["squad morale=5", "half-squad morale=4 shaken", "hero morale=7"] * 3
    )
    given = {"attackers": "; ".join(["squad fp=2"] * 10), "targets": targets, "flammable": True}
    found = find_shared_system("lnlt").find_sequence("fire")
    counted = compute_marginals(
        found.plan(found.read_inputs(given, {})),
        [f"targets[{at}].result" for at in range(10)],
        budget=1_000,
    )
    assert all(sum(chances.values()) == 1 for chances in counted.values())
