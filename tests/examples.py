"""How tests play an example: a sequence, its inputs and scripted dice that must be used up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from bot.answers.shot import played_reply
from bot.rules.dice import Script
from bot.rules.sequence.sequence import Played
from bot.systems.catalog import system
from bot.systems.resolve import count_odds, resolve


def play_example(
    game: str, sequence: str, given: Mapping[str, object], dice: Sequence[int], roster: Any = None
) -> Played:
    """Play one sequence with exactly these dice; fails when a die is missing, impossible or left
    over.
    """
    script = Script(dice)
    played = resolve(system(game).sequence(sequence), given, script, roster)
    script.finish()
    return played


def said(game: str, sequence: str, played: Played) -> str:
    """The first line of the answer, without who did it."""
    return played_reply("Alice", system(game).sequence(sequence), played, ()).title


def odds(
    game: str, sequence: str, given: Mapping[str, object], *by: str, roster: Any = None
) -> dict[str, Fraction]:
    """Exact odds of one sequence; checks that they sum to 1."""
    counted = count_odds(system(game).sequence(sequence), given, by, roster)
    assert sum(counted.values()) == 1
    return counted


def lookup(game: str, table: str, **given: object) -> dict[str, Any]:
    """What a table answers."""
    return dict(system(game).table(table).read(given).out)
