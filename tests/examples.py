"""How tests play an example: a sequence, its inputs and scripted dice that must be used up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from bot.presentation.run_sequence import build_play_reply
from bot.rules.dice import Script
from bot.rules.sequence.sequence import Play
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import count_odds, play_sequence


def play_example(
    game: str, sequence: str, given: Mapping[str, object], dice: Sequence[int], roster: Any = None
) -> Play:
    """Play one sequence with exactly these dice; fails when a die is missing, impossible or left
    over.
    """
    script = Script(dice)
    played = play_sequence(find_shared_system(game).find_sequence(sequence), given, script, roster)
    script.finish()
    return played


def said(game: str, sequence: str, played: Play) -> str:
    """The first line of the answer, without who did it."""
    return build_play_reply(
        "Alice", find_shared_system(game).find_sequence(sequence), played, ()
    ).title


def odds(
    game: str, sequence: str, given: Mapping[str, object], *by: str, roster: Any = None
) -> dict[str, Fraction]:
    """Exact odds of one sequence; checks that they sum to 1."""
    counted = count_odds(find_shared_system(game).find_sequence(sequence), given, by, roster)
    assert sum(counted.values()) == 1
    return counted


def lookup(game: str, table: str, **given: object) -> dict[str, Any]:
    """What a table answers."""
    return dict(find_shared_system(game).find_table(table).read(given).out)
