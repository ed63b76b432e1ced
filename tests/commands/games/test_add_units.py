"""The button *Add units*: on the cards of a game that may have units and has none."""

from __future__ import annotations

import pytest

from bot.rulesets.catalog import find_shared_system
from bot.rulesets.system import list_builtin_systems
from bot.ui.reply.reply import Reply
from tests.playing import Channel


def offers_units(reply: Reply) -> bool:
    return ("form:unit add", "Add units") in [
        (button.action, button.label) for button in reply.buttons
    ]


@pytest.mark.parametrize("id", list_builtin_systems())
async def test_a_game_offers_units_until_it_has_some(id: str) -> None:
    channel = await Channel.fresh()
    for line in (f'game start {id} sides="US, VC"', "game status", "game next"):
        assert offers_units(await channel.do("Anna", line)), line
    assert not offers_units(await channel.do("Anna", "game end confirm"))
    assert offers_units(await channel.do("Anna", "game resume"))
    type_ = next(iter(find_shared_system(id).words["units"].types))
    await channel.do("Anna", f'unit add "Able 1" {type_}')
    for line in ("game status", "game next"):
        assert not offers_units(await channel.do("Anna", line)), line


async def test_a_scenario_brings_its_units() -> None:
    channel = await Channel.fresh()
    assert not offers_units(await channel.do("Anna", "game start lnlt scenario=ford"))
