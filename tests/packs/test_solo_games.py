"""Random games against a side that plays itself, of a built-in game and of a free pack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.fuzz import FuzzTally, find_fuzz_system, play_random_games

pytestmark = pytest.mark.scenes(6)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["lnlt", "generic"])
async def test_random_games_against_the_table_end_without_a_typed_enemy_order(
    name: str, root: Path, use_packs: Callable[[Path], None]
) -> None:
    if name == "generic":
        use_packs(root / "packs" / "generic")
    system = find_fuzz_system(name)
    tally = FuzzTally()
    failure = await play_random_games(system, 2, 7, tally, alone=True)
    assert failure is None, failure
    assert tally.plays == 2
