"""Lines that begin with a unit: what is suggested can be typed as it stands."""

from __future__ import annotations

import pytest

from bot.rulesets.catalog import find_shared_system
from bot.rulesets.system import list_builtin_systems
from tests.playing import Channel

SCENARIOS = [
    (id, name)
    for id in list_builtin_systems()
    for name in find_shared_system(id).list_files("scenarios")
]
DEEDS = ("fires", "checks morale", "is cold")


async def suggested(channel: Channel, line: str) -> str:
    """The command that the refusal of a line suggests."""
    reply = await channel.fails("Anna", line, "is a unit; a command begins with what it does")
    return reply.format_text().partition("For example: /")[2]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("brandt fires at us3", "baps fire attackers=germ2 range=45 targets=us3"),
        ("Grenadier 2 shoots at GI 4", "baps fire attackers=germ4 range=45 targets=us6"),
        ("brenner attacks the light tank", "baps fire attackers=germ2 range=45 targets=us2"),
        ("germ4 checks its morale", "baps morale-check unit=germ1"),
        ("Sgt Cole rolls for leader points", "baps leader-points unit=us2"),
        ("MG 42", "unit show germ8"),
        ("Brandt, move up!", "unit show germ1"),
    ],
)
async def test_the_verb_and_the_target_are_taken_from_the_line(line: str, command: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start baps scenario=farm")
    assert await suggested(channel, line) == command


@pytest.mark.parametrize(("id", "name"), SCENARIOS)
async def test_what_is_suggested_works(id: str, name: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {id} scenario={name}")
    lines = dict[str, None]()
    for unit in (await channel.game()).units.values():
        for deed in DEEDS:
            lines[await suggested(channel, f"{unit.handle} {deed}")] = None
    for line in lines:
        here = await Channel.fresh()
        await here.do("Anna", f"game start {id} scenario={name}", line)


async def test_other_lines_are_answered_as_ever() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford")
    reply = await channel.fails("Anna", "dance wildly", 'There is no command "dance"')
    assert "is a unit" not in reply.format_text()
