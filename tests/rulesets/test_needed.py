"""What an answer says is needed is what the odds count, for every sum of modifiers of every game.

A 1 or a 20 always counts on some cards; then no number below 1 or above 20 may be asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import pytest

from bot.rules.errors import DieOwed, UserError
from bot.rules.sequence.sequence import Line, Play
from tests.examples import odds, play_example


class Check(NamedTuple):
    """A roll of a sequence: its dice, the label of its line, the output that succeeds, and the
    inputs that shift what is needed. `dice` fail or end the sequence at once.
    """

    game: str
    sequence: str
    given: Mapping[str, object]
    label: str
    dice: Sequence[int]
    sides: int
    by: str
    fails: frozenset[str]
    shifts: Mapping[str, Sequence[object]]


CHECKS = [
    Check(
        "baps", "vehicle-fire", {"weapon": "medium", "range": 400, "armor": "medium"}, "to hit", [1], 20,
        "hit", frozenset({"false"}),
        {"target_move": ["none", "fast"], "hasty": [False, True], "cover": ["none", "hull-defilade"],
         "suppressed": [False, True], "smoke": [False, True], "range": [10, 400]},
    ),
    Check(
        "baps", "he-gun", {"weapon": "medium", "range": 400, "lethal": 1}, "to hit", [1], 20,
        "outcome", frozenset({"miss"}),
        {"target_move": ["none", "fast"], "hasty": [False, True], "suppressed": [False, True],
         "smoke": [False, True], "range": [10, 400]},
    ),
    Check(
        "lnlt", "ordnance-infantry", {"he": 3, "targets": "squad morale=5"}, "to hit", [6, 6], 6,
        "hit", frozenset({"false"}),
        {"to_hit": [2, 7, 12], "tm": [-4, 0, 6, 12], "degrading": [0, 2], "lm": [0, 3]},
    ),
    Check(
        "lnlt", "spot", {"terrain": "degrading"}, "spotting", [5], 6,
        "outcome", frozenset({"not-spotted"}),
        {"lm": [0, 1, 2, 3], "tis": [False, True], "scout": [False, True], "degrading": [0, 1, 2]},
    ),
    Check(
        "lnlt", "smoke", {}, "roll", [6], 6, "outcome", frozenset({"none"}),
        {"capability": [0, 1, 3, 5, 6]},
    ),
    Check(
        "ucn", "spot", {"skill": 12}, "to spot", [20], 20, "result", frozenset({"not-spotted"}),
        {"mod": range(-40, 41, 4)},
    ),
    Check(
        "ucn", "attack-vehicle", {"skill": 12, "pen": 0, "hull": 9}, "to hit", [20], 20, "result",
        frozenset({"miss"}), {"mod": range(-40, 41, 4)},
    ),
    Check(
        "ucn", "react", {}, "to react", [20], 20, "results[0]", frozenset({"suppressed"}),
        {"morale": [1, 2, 19, 20, 30]},
    ),
    Check("asl", "smoke", {"dispenser": "sm", "phase": "mph"}, "usage", [6, 6], 6, "result",
          frozenset({"failed"}), {"usage_number": [2, 7, 12], "hindrance": [0, 6]}),
]  # fmt: skip


def faces_of(check: Check) -> list[int]:
    """The sums of the dice, each as often as it falls."""
    rolls = product(range(1, check.sides + 1), repeat=len(check.dice))
    return [sum(roll) for roll in rolls]


def success_by_words(line: Line, check: Check) -> Callable[[int], bool]:
    """Which natural sums succeed by the words of the line."""
    words = line.result
    added = int(line.total or 0) - sum(check.dice) if line.total is not None else 0
    most = check.sides * len(check.dice)
    if "no roll is" in words:
        return lambda natural: False
    if natural := re.search(r"needs a natural (\d+)|needs a (\d+)\b", words):
        only = int(natural[1] or natural[2])
        return lambda face: face == only
    if never := re.search(r"only on a natural (\d+)|a natural (\d+) (?:never|always)", words):
        bad = int(never[1] or never[2])
        return lambda face: face != bad
    if less := re.search(r"(\d+) or less", words):
        assert int(less[1]) >= 1
        return lambda face: face + added <= int(less[1])
    more = re.search(r"(\d+) or more", words)
    assert more is not None, words
    assert int(more[1]) <= most + max(0, added)
    return lambda face: face + added >= int(more[1])


def shifted(check: Check) -> list[dict[str, object]]:
    """The inputs with each combination of what shifts the number."""
    names = [*check.shifts]
    return [
        {**check.given, **dict(zip(names, values, strict=True))}
        for values in product(*check.shifts.values())
    ]


def chance_by_odds(check: Check, given: Mapping[str, object]) -> Fraction:
    """The chance of success as the odds count it."""
    counted: dict[str, Any] = odds(check.game, check.sequence, given, check.by)
    return 1 - sum((counted.get(word, Fraction(0)) for word in check.fails), Fraction(0))


def play_with_ones(check: Check, given: Mapping[str, object]) -> Play | None:
    """Play a check with its dice, then ones for whatever follows; None for a shot out of reach."""
    dice = [*check.dice]
    while True:
        try:
            return play_example(check.game, check.sequence, given, dice)
        except DieOwed:
            dice.append(1)
        except UserError as error:
            if error.code != "out-of-reach":
                raise
            return None


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.game} {check.sequence}")
def test_what_is_needed_is_what_the_odds_count(check: Check) -> None:
    tried = 0
    for given in shifted(check):
        played = play_with_ones(check, given)
        if played is None:
            continue
        line = next(line for line in played.lines if check.label in line.label)
        succeeds = success_by_words(line, check)
        faces = faces_of(check)
        by_words = Fraction(sum(map(succeeds, faces)), len(faces))
        assert by_words == chance_by_odds(check, given), (given, line.text())
        tried += 1
    assert tried
