"""A Critical Hit on a Gun, fire on a half-track and WP reach the crew and the passengers; undo takes
all of it back.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.playing import Channel

ABOARD = ('unit edit "Grenadier 1" stats="in=germ9"', 'unit edit "Grenadier 2" stats="in=germ9"')
TRACK = 'unit="Half-track 1"'


@pytest.mark.parametrize(
    ("line", "states"),
    [
        (
            "asl critical-hit infantry 8 unit=Pak hand=1,1",
            {"pak": "destroyed", "gun crew": "eliminated"},
        ),
        ("asl critical-hit infantry 8 unit=Pak wp=yes hand=1,1", {"pak": "", "gun crew": ""}),
        ("asl critical-hit infantry 8 unit=Pak hand=4,4", {"pak": "", "gun crew": ""}),
        ("asl wp-morale unit=Pak hand=5,5", {"gun crew": "pinned", "pak": ""}),
        ("asl wp-morale unit=Pak hand=5,6", {"gun crew": "broken", "pak": ""}),
        (
            f"asl ht-effects {TRACK} passenger=1mc hand=3,4",
            {"grenadier 1": "broken", "grenadier 2": "broken", "half-track 1": ""},
        ),
        (
            f"asl ht-effects {TRACK} passenger=pin crew=break",
            {"grenadier 1": "pinned", "grenadier 2": "pinned", "half-track 1": "stunned"},
        ),
        (f"asl ht-effects {TRACK} passenger=ok", {"grenadier 1": "", "grenadier 2": ""}),
        (
            f'asl ht-effects {TRACK} passenger=pin passengers="Grenadier 2"',
            {"grenadier 1": "", "grenadier 2": "pinned"},
        ),
        (
            f"asl wp-morale {TRACK} hand=1,1,5,5,1,1",
            {"half-track 1": "", "grenadier 1": "broken", "grenadier 2": ""},
        ),
    ],
)
async def test_the_roster_after_it_and_after_undo(line: str, states: Mapping[str, str]) -> None:
    """WP takes 2 off the NMC of an emplaced Gun and of an open-topped half-track; morale 8 and 7."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", *ABOARD)
    before = await channel.content()
    await channel.do("Anna", line)
    units = (await channel.game()).units
    assert {name: units[name].state for name in states} == states
    await channel.undo_last("Anna")
    assert await channel.content() == before


async def test_those_aboard_are_named() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", *ABOARD)
    gun = await channel.do("Anna", "asl critical-hit infantry 8 unit=Pak hand=1,1")
    assert gun.title == "Pak takes a Critical Hit, destroying the Gun and eliminating Gun Crew"
    track = await channel.do("Anna", f"asl ht-effects {TRACK} passenger=break")
    assert track.title == "Grenadier 1 + 2 break, no effect on Half-track 1"


async def test_the_passengers_check_against_their_own_morale() -> None:
    """Left out, it is the lowest of those aboard; typed, it is what is typed."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", ABOARD[0])
    await channel.do("Anna", 'unit edit "Grenadier 1" stats="morale=5"')
    own = await channel.do("Anna", f"asl ht-effects {TRACK} passenger=nmc hand=2,2")
    assert "against morale 5" in own.format_text()
    typed = await channel.do(
        "Anna", f"asl ht-effects {TRACK} passenger=nmc passenger_morale=9 hand=2,2"
    )
    assert "against morale 9" in typed.format_text()


@pytest.mark.parametrize(
    ("unit", "edit", "line", "part"),
    [
        ("Half-track 1", "", "flame-attack weapon=mol-adjacent", "OT BU"),
        ("Half-track 1", "marker=+ce", "flame-attack weapon=mol-adjacent", "OT CE"),
        ("Half-track 1", "marker=+motion", "flame-attack weapon=mol-adjacent", "moving"),
        ("Half-track 1", "marker=+ce", "smoke dispenser=sp usage_number=7 phase=mph", "7 or less"),
        (
            "Half-track 1",
            "marker=+ce",
            "smoke dispenser=sp usage_number=7 phase=mph crew=ot-bu",
            "not allowed for a BU OT AFV",
        ),
    ],
)
async def test_what_a_vehicle_shows_counts(unit: str, edit: str, line: str, part: str) -> None:
    """Tables 4 and 17: open topped, crew exposed and in Motion are on the roster."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    if edit:
        await channel.do("Anna", f'unit edit "{unit}" {edit}')
    reply = await channel.do("Anna", f'asl {line} unit="{unit}"')
    assert part in reply.format_text()


async def test_a_guns_check_is_not_called_that_of_a_support_weapon() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", "asl malfunction unit=Pak hand=6,6")
    await channel.do("Anna", "asl malfunction unit=Bren hand=6,6")
    story = (await channel.do("Anna", "log story")).format_text()
    assert "Pak malfunctions (Anna checks for a breakdown: Gun)" in story
    assert "Bren malfunctions (Anna checks for a breakdown: support weapon)" in story


async def test_a_malfunction_in_the_check_reaches_the_gun() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    line = 'asl fpf-check attacker=gun unit="Gun Crew" b_number=11 hand=6,6'
    await channel.do("Anna", line)
    units = (await channel.game()).units
    assert (units["pak"].state, units["gun crew"].state) == ("malfunctioned", "broken")
