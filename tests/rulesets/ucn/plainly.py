"""Odds the long way: the plan as it is played, every face of every die, nothing grouped and
nothing left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bot.rules.odds.odds import compute_marginals
from bot.rules.sequence.sequence import RuledStep
from bot.rulesets.catalog import find_shared_system


def every_face(sequence: str, given: Mapping[str, object], path: str) -> dict[str, Fraction]:
    """Chances of the output `path` from the dice in the order in which they are played."""
    found = find_shared_system("ucn").find_sequence(sequence)
    plan = found.plan(found.read_inputs(given, {}))
    steps = {name: RuledStep(step.list_dice, step.rule) for name, step in plan.steps.items()}
    counted = compute_marginals(plan._replace(steps=steps, find_independent_parts=None), [path])[
        path
    ]
    return {str(value): chance for value, chance in counted.items()}
