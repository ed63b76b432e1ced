"""The odds of every sequence are those of every roll.

Each output is held against playing every roll, in which nothing is merged. Too many rolls for that
are held against one roll after the other, without the parts that a sequence calls independent.
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
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.lnlt import checks
from bot.rulesets.play_once import count_odds
from bot.rulesets.system import Sequence
from tests.every_roll import play_every_roll
from tests.rulesets.properties_helpers import SEQUENCES, play_any
from tools.corpus import frozen, game_of, inputs_for

SMALL: dict[tuple[str, str], dict[str, Any]] = {
    ("baps", "fire"): {"attackers": "soldier weapon=rifle-bolt", "range": 45, "targets": 1},
    ("baps", "blast"): {"weapon": "grenade", "lethal": 1, "burst": 1},
    ("baps", "he-attack"): {"weapon": "hand-grenade", "range": 8, "lethal": 1},
    ("baps", "he-gun"): {"weapon": "medium", "range": 400, "lethal": 1},
    ("baps", "vehicle-fire"): {"weapon": "light", "range": 1000, "armor": "medium", "extra_armor": True},
    ("baps", "barrage"): {"weapon": "heavy-mortar", "vaporize": 1, "burst": 1},
    ("lnlt", "ordnance-vehicle"): {"to_hit": 8, "penetration": 6, "armor": 5, "turret_armor": 6, "morale": 6},
    ("lnlt", "ordnance-infantry"): {"to_hit": 9, "he": 3, "targets": "squad morale=5"},
    ("lnlt", "barrage"): {"weapon": "mortar", "fp": 3, "targets": "leader morale=6 lm=1", "flammable": True},
    ("lnlt", "fire-mission"): {"fp": 5, "stage": "attack", "targets": "squad morale=5 hex=A dist=0 tm=1"},
    ("lnlt", "air-support"): {"value": 6, "targets": "armored-vehicle morale=6 av=5"},
    ("ucn", "shoot"): {"shooters": "bolt-action-rifle", "skill": 12, "target_in_cover": True},
    ("ucn", "melee"): {"attackers": 2, "attacker_skill": 10, "defenders": 1, "defender_skill": 9},
    ("ucn", "building-assault"): {
        "attackers": 2, "attacker_skill": 11, "defenders": 1, "defender_skill": 9, "grenade": True,
    },
    ("ucn", "attack-vehicle"): {"skill": 1, "spot_skill": 1, "pen": 12, "hull": 12},
    ("ucn", "interrupt"): {"shooters": "bolt-action-rifle", "spot_skill": 12, "skill": 11},
}  # fmt: skip
"""Examples with fewer rolls, for sequences whose own example has more than can be played."""
GROUPS: list[tuple[str, dict[str, Any]]] = [
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
"""Stacks and vehicles of LNLT whose units change what happens to those after them."""
MANY_ROLLS = {
    ("baps", "crash"),
    ("baps", "vehicle-fire"),
    ("lnlt", "close-assault"),
    ("lnlt", "fire"),
    ("ucn", "attack-vehicle"),
    ("ucn", "building-assault"),
}
"""Sequences whose smallest example has tens of thousands of rolls: slow."""


def list_cases() -> Iterator[Any]:
    """Yield the example of every sequence that rolls, and those of groups of units."""
    for game, id in SEQUENCES:
        sequence = load_shared_systems()[game].find_sequence(id)
        if sequence.odds_by:
            example = SMALL.get((game, id), sequence.example)
            marks = [pytest.mark.slow] if (game, id) in MANY_ROLLS else []
            yield pytest.param(game, id, example, id=f"{game}-{id}", marks=marks)
    for number, (id, given) in enumerate(GROUPS, 1):
        yield pytest.param("lnlt", id, given, id=f"lnlt-{id}-group-{number}")


@pytest.mark.slow_sample(20)
@pytest.mark.sample(12)
@pytest.mark.parametrize(("game", "id", "given"), [*list_cases()])
def test_odds_are_those_of_every_roll(game: str, id: str, given: dict[str, Any]) -> None:
    sequence = load_shared_systems()[game].find_sequence(id)
    plan = sequence.plan(sequence.read_inputs(given, {}))
    played = play_every_roll(plan)
    assert compute_marginals(plan, list(played)) == played
    counted = count_odds(sequence, given)
    assert all(chance > 0 for chance in counted.values())
    assert counted == {str(value): chance for value, chance in played[sequence.odds_by].items()}


SEPARABLE = (
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


@pytest.mark.slow_sample(4)
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("system", "id"),
    [pytest.param(*one, marks=[pytest.mark.slow] if one in LONG else []) for one in SEPARABLE],
    ids=[f"{system}-{id}" for system, id in SEPARABLE],
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
    """Whoever says it of another adds it to SEPARABLE."""
    for system, id in sorted({*SEQUENCES} - {*SEPARABLE}):
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
