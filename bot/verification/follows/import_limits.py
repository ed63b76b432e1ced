"""The limits of an imported log that `grognard verify` finds sound.

A name in it may be one that nobody could type here, or its roster larger than ours.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.game.events import ROLLS
from bot.game.roster import MAX_NAME, MAX_ROSTER
from bot.game.state import Game
from bot.rulesets.rule_sets import RuleSets

_LONGEST_TEXT = 8_000
_ODD = re.compile("[\x00-\x08\n-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Line breaks and control characters, and marks that turn the direction of what is read."""


def is_in_line(text: str) -> bool:
    """Return whether a text shows as one line, without hidden characters.

    Typed texts are cleaned. A text of a file could look like a whole answer of the bot.
    """
    return _ODD.search(text) is None


def is_valid(game: Game, systems: RuleSets) -> bool:
    """Return whether the state that an imported log leads to can be played here.

    Its rule set must be one of `systems`, its roster have at most MAX_ROSTER units, and its names be short
    and in one line.
    """
    if game.system and game.system not in systems:
        return False
    if len(game.units) > MAX_ROSTER:
        return False
    if any(len(unit.name) > MAX_NAME for unit in game.units.values()):
        return False
    return all(map(is_in_line, _list_names(game)))


def _list_names(game: Game) -> Iterator[str]:
    """Yield the names and other words that answers about a game show."""
    yield from (game.id, game.system, game.name, game.master, game.phase)
    yield from (game.initiative, game.winner, game.wins, *game.sides)
    for unit in game.units.values():
        yield from (unit.name, unit.handle, unit.type, unit.side, unit.state)
        yield from unit.marks
        yield from unit.numbers
        if unit.back:
            yield unit.back.type
            yield from unit.back.numbers


def is_valid_event(body: Mapping[str, Any]) -> bool:
    """Return whether log, exports and statistics can show an event of a sound log.

    The names of its units must be in one line, and the inputs of a roll as `_are_inputs` says.
    """
    units = [*body.get("used", ()), *body.get("sources", ())]
    for name in ("before", "after"):
        patch_units = body.get(name, {}).get("units", {})
        units += [unit for unit in patch_units.values() if unit]
    for unit in units:
        if not all(is_in_line(unit[field]) for field in ("name", "handle", "type")):
            return False
    return body["kind"] not in ROLLS or _are_inputs(body["kind"], body.get("inputs", {}))


def _are_inputs(kind: str, inputs: Mapping[str, Any]) -> bool:
    """Return whether inputs are short texts, numbers and lists. A plain roll must name its dice."""
    if kind == "roll" and not isinstance(inputs.get("dice"), str):
        return False
    for value in inputs.values():
        if isinstance(value, str):
            if len(value) > _LONGEST_TEXT:
                return False
        elif not isinstance(value, bool | int | float | list):
            return False
    return True
