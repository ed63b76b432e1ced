"""Rule sets on their way to another process: a built-in game goes as its id, a pack as its files,
and what is built from them there is the same.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from bot.rulesets.packs.pack import PackSystem, load_pack
from bot.rulesets.packs.visible_rulesets import ExtendedSystem, combine_with_packs
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System, list_builtin_systems
from tests.packs.conftest import read

EXTENSIONS = {
    id: f"id: {id}\ntitle: {id}\nversion: 1\nauthor: A\nlicence: MIT\nextends: asl\n"
    for id in ("asl-one", "asl-two")
}


def build_rule_sets(root: Path, folder: Path) -> RuleSets:
    """Return all packs of the repository, and two extensions of one game, which both join it."""
    packs = list(read(root / "packs").values())
    for id, text in EXTENSIONS.items():
        (folder / id).mkdir()
        (folder / id / "pack.yaml").write_text(text)
        packs.append(load_pack(folder / id))
    return combine_with_packs(
        list_builtin_systems(), [pack for pack in packs if isinstance(pack, PackSystem)]
    )


@pytest.fixture
def systems(root: Path, tmp_path: Path) -> RuleSets:
    return build_rule_sets(root, tmp_path)


def send(value: RuleSets) -> RuleSets:
    """Return the value as another process gets it."""
    sent: RuleSets = pickle.loads(pickle.dumps(value))
    return sent


def test_all_rule_sets_arrive_as_they_are(systems: RuleSets) -> None:
    sent = send(systems)
    assert [*sent] == [*systems]
    assert [pack.edition for pack in sent.versions] == [pack.edition for pack in systems.versions]
    for id, system in systems.items():
        assert type(sent[id]) is type(system)
        assert (sent[id].rule_edition, sent[id].versions) == (system.rule_edition, system.versions)
        assert sent[id].words["units"].types == system.words["units"].types
        assert [*sent[id].sequences] == [*system.sequences]


def test_a_built_in_game_is_not_sent(systems: RuleSets) -> None:
    sent = send(systems)
    for id, system in list_builtin_systems().items():
        if not isinstance(systems[id], ExtendedSystem):
            assert sent[id] is system
    assert type(sent["asl"]) is ExtendedSystem


def test_a_sequence_arrives_as_that_of_its_own_pack(systems: RuleSets) -> None:
    sent = [
        (sequence, pickle.loads(pickle.dumps(sequence)))
        for system in systems.values()
        for sequence in list(system.sequences.values())[:2]
    ]
    assert len(sent) > len(systems)
    for sequence, other in sent:
        assert (other.id, other.system.key) == (sequence.id, sequence.system.key)
        assert other.inputs == sequence.inputs


def test_a_pack_that_is_sent_again_is_not_read_again(systems: RuleSets) -> None:
    """The process has it still, in the version of the same files beside the same extensions."""
    one, two = systems["generic"], systems["asl-one"]
    for system in (one, two):
        first, second = (pickle.loads(pickle.dumps(system)) for _ in range(2))
        assert isinstance(first, System)
        assert first is second
