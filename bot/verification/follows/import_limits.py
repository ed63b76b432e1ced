"""Whether a log that came from elsewhere can be shown here: `grognard verify` finds it sound, and
yet a name in it may be one that we would not have taken, or a roster larger than ours."""

import re
from collections.abc import Mapping
from typing import Any

from bot.game.events import ROLLS
from bot.game.roster import MAX_NAME, MAX_ROSTER
from bot.game.state import Game
from bot.rulesets.catalog import get_systems

_LONGEST_TEXT = 8_000
_ODD = re.compile("[\x00-\x08\n-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Breaks of a line, and marks that turn the direction of what is read."""


def is_in_line(text: str) -> bool:
    """Return whether a text shows as what it is, in one line. What is typed is made so; a file
    could bring a whole answer.
    """
    return _ODD.search(text) is None


def is_valid(game: Game) -> bool:
    """Return whether the state to which a sound log leads is one of a system that is here, with
    names as we take them.
    """
    units = game.units.values()
    names = (
        game.id,
        game.system,
        game.name,
        game.master,
        game.phase,
        game.initiative,
        game.winner,
        game.wins,
        *game.sides,
    )
    parts = (
        word
        for unit in units
        for word in (unit.name, unit.handle, unit.type, unit.side, unit.state, *unit.marks)
    )
    keys = (
        key for unit in units for key in (*unit.numbers, *(unit.back.numbers if unit.back else ()))
    )
    backs = (unit.back.type for unit in units if unit.back)
    return (
        (not game.system or game.system in get_systems())
        and len(game.units) <= MAX_ROSTER
        and all(len(unit.name) <= MAX_NAME for unit in units)
        and all(map(is_in_line, (*names, *parts, *keys, *backs)))
    )


def is_valid_event(body: Mapping[str, Any]) -> bool:
    """Return whether log, exports and statistics can tell this event of a sound log: its units, and
    the inputs of a roll.
    """
    patches = (body.get(name, {}).get("units", {}).values() for name in ("before", "after"))
    units = [
        *body.get("used", ()),
        *body.get("sources", ()),
        *(unit for patch in patches for unit in patch if unit),
    ]
    names = all(is_in_line(unit[part]) for unit in units for part in ("name", "handle", "type"))
    return names and (
        body["kind"] not in ROLLS or _are_inputs(body["kind"], body.get("inputs", {}))
    )


def _are_inputs(kind: str, inputs: Mapping[str, Any]) -> bool:
    """Return whether inputs are texts, numbers and lists, and a roll says which dice."""
    return (kind != "roll" or isinstance(inputs.get("dice"), str)) and all(
        len(value) <= _LONGEST_TEXT
        if isinstance(value, str)
        else isinstance(value, bool | int | float | list)
        for value in inputs.values()
    )
