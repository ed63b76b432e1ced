"""The simulator bites: with a mend taken out it finds the fault within so many seeds, and names
the promise.
"""

from __future__ import annotations

import pytest

from tests.simulation.intents import plan
from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.world import play

WITHIN = 300
"""Seeds that are tried before a mutant counts as not found; the rarest is found in world 239."""


@pytest.mark.slow_sample(8)
@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mend_taken_out_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant.take_out(monkeypatch)
    if not is_found(mutant, mutant.seed):  # what people do has changed: another world finds it now
        found = next((seed for seed in range(1, WITHIN + 1) if is_found(mutant, seed)), None)
        assert found is not None, f"{mutant} is not found in {WITHIN} worlds"
        print(f"{mutant} is found in world {found} now, not in {mutant.seed}")


def is_found(mutant: Mutant, seed: int) -> bool:
    """Whether a world breaks a promise of those that the mutant names."""
    broken = play(seed, plan(seed)).violations
    return any(line[1] in mutant.letters and mutant.about in line for line in broken)
