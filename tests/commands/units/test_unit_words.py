"""Answers about units have words and no ids; types, states, markers and numbers come from the data
of all games.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.commands.units.unit_words import describe_changes, describe_unit
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from tests.playing import Channel

ID = re.compile(r"[a-z]_[a-z]|=|(?<!half)-(?!squad|track)[a-z]")
"""What a typed id has and a word of the game has not."""


@pytest.mark.parametrize("game", [one.id for one in load_shared_systems().values()])
def test_units_and_their_changes_are_said_in_words(game: str) -> None:
    system_ = find_shared_system(game)
    units = system_.game["units"]
    words = system_.words["units"]
    for type_ in words.types:
        before = RosterUnit("Red", "us1", type_)
        assert not ID.search(describe_unit(before, system_)), type_
        for state in units.get("states", ()):
            after = replace(before, state=state)
            for text in (describe_unit(after, system_), describe_changes(before, after, system_)):
                assert not ID.search(text), text
        for marker in units.get("markers", ()):
            after = replace(before, marks=frozenset({marker}))
            for text in (
                describe_unit(after, system_),
                describe_changes(before, after, system_),
                describe_changes(after, before, system_),
            ):
                assert not ID.search(text), text
        for key, option in words.keys.items():
            if option.type == "int":
                after = replace(before, numbers={key: 1})
                text = describe_changes(before, after, system_)
                assert not ID.search(text), text


async def test_a_state_of_two_flags_is_said_with_and() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford")
    edited = await channel.do("Anna", 'unit edit "Cadre Minh" state=shaken-wounded')
    assert edited.format_body()[0].startswith("shaken and wounded · ")
    assert "turned to its reduced side" in edited.format_text()
    refused = await channel.say("Anna", 'lnlt fire "Cadre Minh" "Rifle 1"')
    assert "is shaken and cannot fire" in refused.format_text()
    odds = await channel.do("Anna", 'lnlt fire "Rifle 1" "Cadre Minh" odds')
    assert "Cadre Minh is already shaken and wounded." in odds.format_text()
