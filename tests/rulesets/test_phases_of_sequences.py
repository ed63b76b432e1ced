"""A sequence that names its phases is remarked on in every other one; the games come from the
catalog.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.game.phases import list_phases
from bot.game.rights import find_irregularities
from bot.game.state import Game
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import Sequence, System
from tests.playing import Channel

NAMING = [
    pytest.param(system, sequence, id=f"{system.id}-{sequence.id}")
    for system in load_shared_systems().values()
    for sequence in system.sequences.values()
    if sequence.phases
]


@pytest.mark.parametrize(("system", "sequence"), NAMING)
def test_each_other_phase_is_remarked_on(system: System, sequence: Sequence) -> None:
    names = [str(phase["name"]) for phase in list_phases(system)]
    assert {*sequence.phases} <= {*names}, "a phase that the game does not have"
    game = Game("g", system.id, started=True)
    remarked = {
        name
        for name in names
        if find_irregularities(replace(game, phase=name), system, sequence, (), (), "")
    }
    assert remarked == {*names} - {*sequence.phases}


@pytest.mark.parametrize(
    ("line", "remark"),
    [
        ('asl vs-afv unit="Airborne 1"', "This is the Rally Phase."),
        ("asl flame-attack mol-adjacent ct-bu", "This is the Rally Phase."),
    ],
)
async def test_a_look_up_and_a_molotov_are_remarked_on_in_rally(line: str, remark: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    reply = await channel.do("Anna", line)
    assert remark in reply.format_text()
    assert "turn:" not in reply.format_text(), "who is attacked acts, whoever is to play"
    await channel.do("Anna", "game next")
    await channel.do("Anna", "game next")
    assert "Phase." not in (await channel.do("Anna", line)).format_text()


async def test_a_strict_game_refuses_the_molotov_and_not_the_look_up() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", "game settings strict=yes")
    await channel.do("Anna", 'asl vs-afv unit="Airborne 1"')
    await channel.refused("Anna", "asl flame-attack mol-adjacent ct-bu", "strict-game")
