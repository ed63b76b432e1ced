"""Short histories of many seeds: whatever people, platforms, disk and clock do, the bot keeps
its promises.
"""

from __future__ import annotations

import pytest

from tests.simulation.__main__ import smallest, told
from tests.simulation.intents import plan
from tests.simulation.regressions import Regression, line_of, regressions
from tests.simulation.shrink import shrunk
from tests.simulation.world import play

QUICK, SEEDS, CHUNK = 8, 83, 15
"""Worlds of the quick run, of both runs, and of one slow test; `make simulate` plays thousands."""
CHUNKS = [
    range(1, QUICK + 1),
    *(
        pytest.param(range(first, min(first + CHUNK, SEEDS + 1)), marks=pytest.mark.slow)
        for first in range(QUICK + 1, SEEDS + 1, CHUNK)
    ),
]


@pytest.mark.slow_sample(2)
@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda seeds: str(seeds[0]))
def test_promises_hold_in_every_world(seeds: range) -> None:
    for seed in seeds:
        world = play(seed, plan(seed))
        if world.violations:
            steps = smallest(seed, plan(seed), world.violations[0][1])
            kept = line_of(seed, world.violations[0][1], "...", steps)
            pytest.fail(f"{told(seed, steps)}\nFor seeds.jsonl: {kept}", pytrace=False)


@pytest.mark.parametrize("old", regressions(), ids=str)
def test_what_broke_a_promise_once_does_so_no_more(old: Regression) -> None:
    world = play(old.seed, old.steps)
    assert not world.violations, told(old.seed, old.steps)


@pytest.mark.parametrize(
    "seed", [3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (4, 5))]
)
def test_one_seed_is_one_world(seed: int) -> None:
    first, second = (play(seed, plan(seed)) for _ in range(2))
    assert [_plain(line) for line in first.history] == [_plain(line) for line in second.history]
    assert first.counts == second.counts


def test_a_failing_history_is_shrunk_to_what_matters() -> None:
    assert shrunk(tuple(range(40)), lambda left: {7, 31} <= set(left)) == (7, 31)


@pytest.mark.slow
def test_the_simulator_is_not_asleep() -> None:
    """Over some worlds everything that it can do happens."""
    counts = play(1, plan(1)).counts
    for seed in range(2, 40):
        counts += play(seed, plan(seed)).counts
    wanted = """roll lnlt again duplicates crash start lock clock broken full slow
        game_link game_transfer game_import game_delete privacy_delete fair_add press_undo press_consent press_reveal
        second_opinions discord_calls_that_fail slack_calls_that_fail"""
    assert [name for name in wanted.split() if not counts[name.replace("_", " ")]] == []


def _plain(line: str) -> str:
    """A line without the folder, which differs each time."""
    return line.partition("grognard-world-")[0]
