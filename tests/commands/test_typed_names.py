"""Refusals show what was typed in quotes and cut, so that no text of a stranger passes for ours."""

from __future__ import annotations

import re

from bot.commands.dispatch import load_shared_registry
from bot.rulesets.catalog import load_shared_systems
from tests.commands.ladder.club import Club, build_season

TYPED = "zqxj" * 30
PIECE = re.compile(r"(.?)((?:zqxj){2,}z?q?x?)")
MOST = 40
CHOICES = ("int", "number", "bool")


def list_lines() -> list[str]:
    """Every command that all games share, with each of its texts too long and unknown."""
    return [
        f"{' '.join(spec.path)} {option.name}={TYPED}"
        for spec in load_shared_registry()
        if spec.path[0].removesuffix("-table") not in load_shared_systems()
        for option in spec.options
        if option.type not in CHOICES
    ]


async def test_refusals_quote_and_cut_what_was_typed_in_every_command() -> None:
    club = await Club.fresh(results=build_season())
    await club.do("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    await club.do("Anna", "game join US")
    lines = list_lines()
    assert len(lines) > 100
    for line in lines:
        reply = await club.say("Anna", line)
        pieces = PIECE.findall(reply.format_text()) if reply.error else ()
        for before, piece in pieces:
            assert before == '"', reply.format_text()
            assert len(piece) <= MOST, reply.format_text()
