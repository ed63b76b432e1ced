"""Every sequence of every game has an example that plays, and tells the outputs that it declares."""

from __future__ import annotations

import pytest

from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.play_once import play_sequence
from bot.rulesets.system import Sequence
from bot.runtime.entropy import create_throwaway_source

SEQUENCES = [(game.id, id) for game in load_shared_systems().values() for id in game.sequences]
IDS = [f"{game}-{id}" for game, id in SEQUENCES]


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
