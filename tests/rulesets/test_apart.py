"""What a sequence says is independent really is: by parts or one roll after the other, drawn
inputs have equal odds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from bot.game.state import build_roster
from bot.rules.errors import UserError
from bot.rules.odds.by_unit import index_rows
from bot.rules.odds.odds import compute_joint_odds, compute_marginals
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.sequence import Plan
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.lnlt import checks
from bot.rulesets.system import Sequence
from tests.rulesets.properties_helpers import SEQUENCES, play_any
from tools.corpus import frozen, game_of, inputs_for

APART = (
    *(("baps", id) for id in ("fire", "flame", "vehicle-fire")),
    *(
        ("lnlt", id)
        for id in ("air-support", "barrage", "crash", "damage-check", "fire", "fire-mission")
    ),
    *(("lnlt", id) for id in ("close-assault", "ordnance-infantry", "overrun")),
    *(
        ("ucn", id) for id in ("building-assault", "damage", "interrupt", "melee", "shoot")
    ),  # two are declared: by what is asked
)
LONG = {
    ("baps", "fire"),
    ("baps", "vehicle-fire"),
    ("lnlt", "fire"),
    ("ucn", "building-assault"),
    ("ucn", "melee"),
    ("ucn", "shoot"),
}
"""Those with the most rolls: slow."""
TRIES = 600
WORK, PLANS = 40_000, 25
LITTLE, FEW = 4_000, 6
"""Where one roll after the other is soon too much work, or the parts are those of another
sequence.
"""
LEAST = 1_000
"""Where nearly all plans are too much work: most of the time would go by until that is known."""
HEAVY = {("ucn", "building-assault"), ("ucn", "melee")}
LED = "squad morale=5; leader morale=6 lm=2; squad morale=5; leader morale=5 lm=1"
STACK = f"{LED}; half-squad morale=4 shaken; hero morale=7"
FIRE: dict[str, Any] = {"attackers": "squad fp=2 sw=3; squad fp=3", "targets": STACK}
TYPED: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("lnlt", "fire"): [
        FIRE,
        FIRE | {"flammable": True},
        FIRE | {"shooter": "sniper", "flammable": True},
    ],
}
"""Inputs that are not left to chance: leaders within a stack, and what comes after all."""


def drawn(sequence: Sequence, draw: random.Random) -> Iterator[tuple[Plan[Any], list[str]]]:
    """Plans for inputs that are taken, with outputs that a play of each told."""
    system = sequence.system.id
    roster = build_roster(game_of(frozen(system).roster))
    names = [unit["name"] for unit in frozen(system).roster]
    some = (inputs_for(draw, sequence, names) for _ in range(TRIES))
    for given in chain(TYPED.get((system, sequence.id), ()), some):
        if (told := play_any(sequence, given, roster, draw)) is not None:
            plan = sequence.plan(sequence.read_inputs(given, roster))
            yield plan, [path for path, value in told.items() if not isinstance(value, list | dict)]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("system", "id"),
    [pytest.param(*one, marks=[pytest.mark.slow] if one in LONG else []) for one in APART],
    ids=[f"{system}-{id}" for system, id in APART],
)
def test_parts_have_the_odds_of_one_roll_after_the_other(
    system: str, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "MIN_SPLIT_SIZE", 2)  # also few are counted by themselves
    sequence, draw, compared = (
        load_shared_systems()[system].find_sequence(id),
        random.Random(f"apart {system} {id}"),
        0,
    )
    work, plans = (WORK, PLANS) if id in ("fire", "flame") else (LITTLE, FEW)
    if (system, id) in HEAVY:
        work = LEAST
    for plan, paths in drawn(sequence, draw):
        rows = index_rows(plan, sequence.odds_by)
        exact = [path for path in paths if "rolls" not in path]
        for by, together in (
            ([*rows], False),
            (draw.sample(paths, min(4, len(paths))), False),
            (draw.sample(paths, 1), False),
            (draw.sample(paths, min(3, len(paths))), True),
            (draw.sample(exact, min(3, len(exact))), True),
            ([sequence.odds_by, "targets[39].result"], True),
        ):
            count: Any = compute_joint_odds if together else compute_marginals
            try:
                plain = count(
                    plan._replace(find_independent_parts=None, narrow=None),
                    by,
                    rows,
                    budget=work,
                    rolls=work,
                )
            except TooManyStates:
                continue
            assert count(plan, by, rows, budget=work, rolls=2 * work) == plain, (by, plan.opening)
            compared += 1
        if compared >= 6 * plans:
            return
    assert compared, "no drawn inputs are taken"


def test_no_other_sequence_says_so() -> None:
    """Whoever says it of another adds it to APART."""
    for system, id in sorted({*SEQUENCES} - {*APART}):
        sequence, draw = (
            load_shared_systems()[system].find_sequence(id),
            random.Random(f"apart {system} {id}"),
        )
        for _ in range(10):
            try:
                plan = sequence.plan(sequence.read_inputs(inputs_for(draw, sequence, []), {}))
            except UserError:
                continue
            assert plan.find_independent_parts is None, f"{system} {id}"
