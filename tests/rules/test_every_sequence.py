"""Every sequence of every game: its example runs, and its odds are those of playing every roll
one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from bot.rules.odds.odds import format_key
from bot.rules.sequence.sequence import Plan
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.play_once import count_odds, play_sequence
from bot.rulesets.system import Sequence
from bot.runtime.entropy import create_throwaway_source

SEQUENCES = [(game.id, id) for game in load_shared_systems().values() for id in game.sequences]
IDS = [f"{game}-{id}" for game, id in SEQUENCES]
LONG = {("ucn", "attack-vehicle"), ("ucn", "building-assault"), ("baps", "vehicle-fire")}
"""Even the example in SMALL has many rolls: slow."""
MOST_ROLLS = 120_000
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
"""Where the example has more rolls than a test can play one by one: one that has fewer."""


def play_all(plan: Plan[Any], by: str) -> dict[str, Fraction]:
    """Chances of the output `by` from playing each roll by itself, face by face, nothing merged
    or grouped.
    """
    ends = Counter[tuple[str, int]]()  # how often a value comes up among so many rolls
    played = 0

    def go_on(state: Any, told: dict[str, Any], among: int) -> None:
        nonlocal played
        if state.next_step is None:
            played += 1
            assert played <= MOST_ROLLS, (
                "too many rolls to play one by one: give it an example in SMALL"
            )
            told = _told_once(told, plan.closing(state))
            ends[str(format_key(told.get(by))), among] += 1
            return
        step = plan.steps[state.next_step]
        faces: list[Any] = [die.faces or range(1, die.sides + 1) for die in step.list_dice(state)]
        rolls = list(product(*faces))
        for roll in rolls:
            ruling = step.rule(state, roll)
            go_on(ruling.next_state, _told_once(told, ruling.outputs), among * len(rolls))

    go_on(plan.start, dict(plan.opening), 1)
    chances: dict[str, Fraction] = defaultdict(Fraction)
    for (value, among), count in ends.items():
        chances[value] += Fraction(count, among)
    return dict(chances)


def _told_once(told: dict[str, Any], more: Any) -> dict[str, Any]:
    again = [path for path in more if path in told and told[path] != []]
    assert not again, f"told twice: {again}"
    return {**told, **more}


def the(game: str, id: str) -> Sequence:
    return load_shared_systems()[game].find_sequence(id)


@pytest.mark.parametrize(("game", "id"), SEQUENCES, ids=IDS)
def test_the_example_plays_and_tells_the_declared_outputs(game: str, id: str) -> None:
    sequence = the(game, id)
    needed = any(option.is_required for option in sequence.inputs)
    assert sequence.example or not needed, "help needs an example that runs"
    for _ in range(20):
        played = play_sequence(sequence, sequence.example, create_throwaway_source())
        assert set(played.out) <= set(sequence.outputs)
        assert set(sequence.outputs) <= set(played.out), set(sequence.outputs) - set(played.out)
        assert played.resolution.headline
        assert "\n" not in played.resolution.headline


@pytest.mark.sample(12)
@pytest.mark.parametrize(
    ("game", "id"),
    [pytest.param(*one, marks=[pytest.mark.slow] if one in LONG else []) for one in SEQUENCES],
    ids=IDS,
)
def test_odds_are_those_of_every_roll(game: str, id: str) -> None:
    sequence = the(game, id)
    if not sequence.odds_by:
        pytest.skip("rolls nothing")
    example = SMALL.get((game, id), sequence.example)
    counted = count_odds(sequence, example)
    assert sum(counted.values()) == 1
    assert all(chance > 0 for chance in counted.values())
    expected = play_all(sequence.plan(sequence.read_inputs(example, {})), sequence.odds_by)
    assert {str(value): chance for value, chance in counted.items()} == expected
