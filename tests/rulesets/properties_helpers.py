"""Helpers of tests/rulesets/test_properties.py, which other tests use as well."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster
from bot.rules.sequence.sequence import Plan, nest_outputs
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import Sequence

SEQUENCES = [
    (system.id, id) for system in load_shared_systems().values() for id in system.sequences
]


def play_any(
    sequence: Sequence, given: Mapping[str, Any], roster: Roster, draw: random.Random
) -> dict[str, Any] | None:
    """What a play with drawn dice tells, each path once; None where the inputs are refused."""
    try:
        plan: Plan[Any] = sequence.plan(sequence.read_inputs(given, roster))
    except UserError:
        return None
    state, told, notes = plan.start, dict(plan.opening), list(plan.notes)

    def tell(more: Mapping[str, Any]) -> None:
        again = [path for path in more if path in told and told[path] != []]
        assert not again, f"told twice: {again} for {given}"
        told.update(more)

    while state.next_step is not None:
        step = plan.steps[state.next_step]
        faces: list[Any] = [die.faces or range(1, die.sides + 1) for die in step.list_dice(state)]
        roll = tuple(map(draw.choice, faces))
        ruling = step.rule(state, roll)
        tell(ruling.outputs)
        assert all(line.text() for line in ruling.build_lines())
        notes += ruling.notes
        state = ruling.next_state
    tell(plan.closing(state))
    assert (
        plan.resolve_notes(notes)
        if plan.resolve_notes is not None
        else plan.resolve(nest_outputs(told))
    ).headline
    return told
