"""The simulator bites: with a mend taken out it finds the fault within so many seeds, and names the promise."""

from __future__ import annotations

import pytest

from tests.simulation.intents import plan
from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.world import play

WITHIN = 150
"""Seeds, of which the suite plays three hundred."""


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mend_taken_out_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant.take_out(monkeypatch)
    assert any(is_found(mutant, seed) for seed in range(1, WITHIN + 1)), f"{mutant} is not found in {WITHIN} worlds"


def is_found(mutant: Mutant, seed: int) -> bool:
    """Whether a world breaks a promise of those that the mutant names."""
    broken = play(seed, plan(seed)).violations
    return any(line[1] in mutant.letters and mutant.about in line for line in broken)
