"""Every kind of answer of three systems, from the frozen outcomes: its first line, and how the lines below begin."""

from __future__ import annotations

import pytest

from bot.game.state import roster_of
from bot.interface.parts import Small
from bot.play.actors import actors
from bot.play.answers import played_reply
from bot.play.news import are_counted
from bot.rules.dice import Script
from bot.rules.sequence import play
from bot.systems.catalog import systems
from tools.corpus import frozen, game_of

PLAYS = 12
SEQUENCES = [(id, name) for id in ("asl", "baps", "ucn") for name in systems()[id].sequences]


@pytest.mark.parametrize(("system", "name"), SEQUENCES, ids=[f"{system}-{name}" for system, name in SEQUENCES])
def test_the_first_line_names_the_units_and_the_lines_below_are_in_order(system: str, name: str) -> None:
    """Two units at most are named, more are counted; no line begins with a small letter; all fits two phone screens."""
    sequence, corpus = systems()[system].sequence(name), frozen(system)
    roster = roster_of(game_of(corpus.roster))
    entries = [entry for entry in corpus.of("sequence", name) if "out" in entry][:PLAYS]
    assert entries
    for entry in entries:
        given = sequence.given(entry["in"], roster)
        played = play(sequence.plan(given), Script([die[2] for die in entry["dice"]]))
        fates = played.settlement.fates
        reply = played_reply("Alice", sequence, played, actors(sequence, given))
        assert played.settlement.headline == entry["says"]
        assert fates
        assert reply.by
        if not are_counted(sequence, fates) and len(fates) == 1:
            assert fates[0].unit.casefold() in reply.title.casefold()
        lines = reply.text().split("\n")
        assert all(line[:1] == line[:1].upper() for line in lines), lines
        small = sum(len(line.text) for line in reply.lines if isinstance(line, Small))
        assert sum(-(-len(line) // 39) for line in lines) - small // 39 <= 22, lines
