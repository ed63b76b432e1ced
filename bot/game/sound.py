"""Whether a state that came from elsewhere is one that we could have made ourselves.

An exported log may have been written by anybody: its chain can be whole and its content still such that no later
command could read it.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.charts import systems
from bot.game.roster import MAX_NAME, MAX_ROSTER
from bot.game.state import COMPACT, FULL, Game
from bot.rules.units import RosterUnit

LONGEST = 200


def is_sound(game: Game) -> bool:
    """Whether every part of the state has its type and a bearable size."""
    words = (game.id, game.system, game.name, game.master, game.phase, game.initiative, game.commitment, game.digest)
    return (
        all(map(_is_word, words))
        and (not game.system or game.system in systems())
        and all(isinstance(value, bool) for value in (game.started, game.ended, game.hand_dice, game.drawn))
        and game.answers in (FULL, COMPACT)
        and all(_is_number(value) for value in (game.turn, game.number, game.last, game.epoch, *game.redo))
        and all(_is_number(value) for value in game.withdrawn)
        and all(map(_is_word, game.sides))
        and _maps_words(game.players)
        and all(_is_number(number) and _is_word(person) for number, person in game.sealed.items())
        and len(game.units) <= MAX_ROSTER
        and all(key == unit.name.casefold() and _is_sound_unit(unit) for key, unit in game.units.items())
    )


def _is_sound_unit(unit: RosterUnit) -> bool:
    return (
        all(map(_is_word, (unit.name, unit.handle, unit.type, unit.side, unit.state, *unit.marks)))
        and 0 < len(unit.name) <= MAX_NAME
        and all(_is_word(key) and _is_value(value) for key, value in unit.numbers.items())
    )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_value(value: object) -> bool:
    if isinstance(value, tuple):
        return len(value) <= LONGEST and all(map(_is_value, value))
    return isinstance(value, bool | int | float) or _is_word(value)


def _maps_words(value: object) -> bool:
    return isinstance(value, Mapping) and all(_is_word(key) and _is_word(item) for key, item in value.items())
