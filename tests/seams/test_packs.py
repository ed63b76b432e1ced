"""Every pack that comes with the program, as the host's and as a server's own, x odds on the
spot and in the worker.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from bot.odds_pool import pool
from bot.odds_pool.pool import OddsService, Worker
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import OF_SEQUENCES, OF_TABLES, PackSystem
from bot.rulesets.packs.visible_rulesets import combine_with_packs
from bot.rulesets.play_once import compute_each_odds
from bot.rulesets.system import list_builtin_systems
from bot.ui.common_options import PICTURE, PRIVATE, ROLL_OPTIONS, ROUNDS, WHOLE
from tests.packs.conftest import read


@pytest.mark.parametrize("whose", ["the host's", "a server's"])
async def test_the_worker_counts_what_is_counted_on_the_spot(
    whose: str, use_packs: Callable[[Path], None], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker process is sent each pack with its sequence, whoever brought it, and gives the same
    fractions.
    """
    packs = cast("dict[str, PackSystem]", read(root / "packs"))
    if whose == "the host's":
        use_packs(root / "packs")
    sight = (
        load_shared_systems()
        if whose == "the host's"
        else combine_with_packs(list_builtin_systems(), packs.values())
    )
    monkeypatch.setattr(pool, "INLINE_STATES", 0)
    worker = Worker(seconds=30)
    odds, counted = OddsService(worker), 0
    try:
        for id in packs:
            for sequence in sight[id].sequences.values():
                if sequence.odds_by and id != "asl-fire":  # its table is blank
                    paths = (sequence.odds_by,)
                    found = await odds.count(sequence, sequence.example, paths, {})
                    assert found == compute_each_odds(sequence, sequence.example, paths, {}), (
                        f"{id} {sequence.id}"
                    )
                    counted += 1
    finally:
        await worker.close()
    assert counted >= len(packs) - 1


def test_the_words_of_every_command_cannot_be_inputs_of_a_pack() -> None:
    """What the registry adds to a sequence or a table is what the check reserves; `mods` is what
    flags fold into.
    """
    assert {*OF_SEQUENCES} == {*(option.name for option in (*ROLL_OPTIONS, ROUNDS)), "mods"}
    assert {*OF_TABLES} == {PRIVATE.name, PICTURE.name, WHOLE.name, "mods"}
