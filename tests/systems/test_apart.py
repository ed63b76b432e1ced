"""What a sequence says is independent really is: by parts or one roll after the other, drawn inputs have equal odds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from bot.game.state import roster_of
from bot.rules.errors import UserError
from bot.rules.odds.odds import TooManyStates, joint, marginals
from bot.rules.odds.rows import row_path, rows_of, told_by_rows
from bot.rules.sequence.sequence import Plan
from bot.systems.catalog import systems
from bot.systems.system import Sequence
from tests.systems.test_properties import SEQUENCES, play_any
from tools.corpus import frozen, game_of, inputs_for

APART = (
    *(("baps", id) for id in ("fire", "flame")),
    ("lnlt", "fire"),
    *(("nhis", id) for id in ("fire", "morale", "damage")),
)
PLANS, TRIES, WORK = 25, 600, 40_000
LED = "squad morale=5; leader morale=6 lm=2; squad morale=5; leader morale=5 lm=1"
STACK = f"{LED}; half-squad morale=4 shaken; hero morale=7"
FIRE: dict[str, Any] = {"attackers": "squad fp=2 sw=3; squad fp=3", "targets": STACK}
TYPED: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("lnlt", "fire"): [FIRE, FIRE | {"flammable": True}, FIRE | {"shooter": "sniper", "flammable": True}],
}
"""Inputs that are not left to chance: leaders within a stack, and what comes after all."""


def drawn(sequence: Sequence, draw: random.Random) -> Iterator[tuple[Plan[Any], list[str]]]:
    """Plans for inputs that are taken, with outputs that a play of each told."""
    system = sequence.system.id
    roster = roster_of(game_of(frozen(system).roster))
    names = [unit["name"] for unit in frozen(system).roster]
    some = (inputs_for(draw, sequence, names) for _ in range(TRIES))
    for given in chain(TYPED.get((system, sequence.id), ()), some):
        if (told := play_any(sequence, given, roster, draw)) is not None:
            plan = sequence.plan(sequence.given(given, roster))
            yield plan, [path for path, value in told.items() if not isinstance(value, list | dict)]


@pytest.mark.parametrize(("system", "id"), APART, ids=[f"{system}-{id}" for system, id in APART])
def test_parts_have_the_odds_of_one_roll_after_the_other(system: str, id: str) -> None:
    sequence, draw, compared = systems()[system].sequence(id), random.Random(f"apart {system} {id}"), 0
    for plan, paths in drawn(sequence, draw):
        by_rows = told_by_rows(plan, sequence.odds_by)
        rows = [row_path(at) for at in range(len(rows_of(plan, sequence.odds_by)))]
        exact = [path for path in paths if "rolls" not in path]
        for one, by, together in (
            (by_rows, rows, False),
            (plan, draw.sample(paths, min(4, len(paths))), False),
            (plan, draw.sample(paths, 1), False),
            (plan, draw.sample(paths, min(3, len(paths))), True),
            (plan, draw.sample(exact, min(3, len(exact))), True),
            (plan, [sequence.odds_by, "targets[39].result"], True),
        ):
            count: Any = joint if together else marginals
            try:
                focused = one if one.focus is None else one.focus(tuple(by))
                plain = count(replace(focused, apart=None), by, budget=WORK, rolls=WORK)
            except TooManyStates:
                continue
            assert (parts := count(one, by, budget=WORK, rolls=2 * WORK)) == plain, (by, plan.opening)
            assert not together or any("rolls" in path for path in by) or [*parts] == [*plain], "in the same order"
            compared += 1
        if compared >= 6 * PLANS:
            return
    assert compared, "no drawn inputs are taken"


def test_no_other_sequence_says_so() -> None:
    """Whoever says it of another adds it to APART."""
    for system, id in sorted({*SEQUENCES} - {*APART}):
        sequence, draw = systems()[system].sequence(id), random.Random(f"apart {system} {id}")
        for _ in range(10):
            try:
                plan = sequence.plan(sequence.given(inputs_for(draw, sequence, []), {}))
            except UserError:
                continue
            focused = plan if plan.focus is None else plan.focus((sequence.odds_by,))
            assert focused.apart is None, f"{system} {id}"
