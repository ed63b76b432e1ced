"""The chances of what a sequence tells, from playing each of its rolls: nothing is merged, grouped or
left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from bot.rules.odds.odds import format_key
from bot.rules.sequence.sequence import Plan

MOST_ROLLS = 120_000


def play_every_roll(plan: Plan[Any]) -> dict[str, dict[Any, Fraction]]:
    """Return the distribution of each output that is one value, by its path.

    An output that some plays do not tell is `none` in them. Fails if a play tells an output twice,
    and if there are more than MOST_ROLLS plays.
    """
    plays = Counter[int]()  # by the number of equally likely plays that each is one of
    counts: dict[str, Counter[tuple[Any, int]]] = defaultdict(Counter)

    def follow(state: Any, outputs: dict[str, Any], equals: int) -> None:
        if state.next_step is None:
            plays[equals] += 1
            assert plays.total() <= MOST_ROLLS, "too many rolls to play: give it a smaller example"
            for path, value in _add(outputs, plan.closing(state)).items():
                if not isinstance(value, list | dict):
                    counts[path][format_key(value), equals] += 1
            return
        step = plan.steps[state.next_step]
        faces: list[Any] = [die.faces or range(1, die.sides + 1) for die in step.list_dice(state)]
        rolls = list(product(*faces))
        for roll in rolls:
            ruling = step.rule(state, roll)
            follow(ruling.next_state, _add(outputs, ruling.outputs), equals * len(rolls))

    follow(plan.start, dict(plan.opening), 1)
    return {path: _compute_chances(count) for path, count in counts.items()}


def _add(outputs: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    twice = [path for path in more if path in outputs and outputs[path] != []]
    assert not twice, f"told twice: {twice}"
    return {**outputs, **more}


def _compute_chances(count: Counter[tuple[Any, int]]) -> dict[Any, Fraction]:
    chances: dict[Any, Fraction] = defaultdict(Fraction)
    for (value, equals), times in count.items():
        chances[value] += Fraction(times, equals)
    rest = 1 - sum(chances.values())
    if rest:
        chances["none"] += rest
    return dict(chances)
