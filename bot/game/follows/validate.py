"""Whether a state that came from elsewhere is one that we could have made ourselves.

An exported log may have been written by anybody: its chain can be whole and its content still such that no later
command could read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bot.game.events import ROLLS
from bot.game.roster import MAX_NAME, MAX_ROSTER
from bot.game.state import COMPACT, FULL, Game
from bot.rules.inputs.units import Back, RosterUnit
from bot.systems.catalog import systems

LONGEST = 200
LONGEST_TEXT = 8_000
_ODD = re.compile("[\x00-\x08\n-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Breaks of a line, and marks that turn the direction of what is read."""
LATEST = 10**11
"""Unix seconds that a calendar can still show."""


def is_valid(game: Game) -> bool:
    """Whether every part of the state has its type and a bearable size."""
    words = (game.id, game.system, game.name, game.master, game.phase, game.initiative, game.winner)
    return (
        all(map(_is_name, (*words, game.commitment, game.digest)))
        and (not game.system or game.system in systems())
        and all(
            isinstance(value, bool) for value in (game.started, game.ended, game.hand_dice, game.confirm, game.drawn)
        )
        and game.answers in (FULL, COMPACT)
        and all(_is_number(value) for value in (game.turn, game.number, game.last, game.epoch, *game.redo))
        and all(_is_number(value) for value in game.withdrawn)
        and all(map(_is_name, game.sides))
        and _maps_words(game.players)
        and all(_is_number(number) and _is_word(person) for number, person in game.sealed.items())
        and _maps_words(game.orders)
        and all(map(str.isdecimal, game.orders))
        and _is_number(game.orders_due)
        and all(_is_word(name) and isinstance(on, bool) for name, on in game.rules.items())
        and len(game.units) <= MAX_ROSTER
        and all(key == unit.name.casefold() and _is_sound_unit(unit) for key, unit in game.units.items())
    )


def is_valid_event(body: Mapping[str, Any]) -> bool:
    """Whether log, exports and statistics can tell this event; what it leads to is for `is_valid`."""
    kind = body.get("kind")
    return (
        all(_is_word(body.get(name, "")) for name in ("who", "side", "kind", "command", "system", "target", "asked"))
        and all(name in body for name in ("who", "side", "kind"))
        and all(_is_number(body.get(name, 0)) for name in ("number", "behind", "event", "last"))
        and _is_number(body.get("at"))
        and body["at"] < LATEST
        and _is_text(body.get("result", ""))
        and all(map(_is_number, _listed(body, "opens")))
        and all(map(_is_number, _listed(body, "reads")))
        and all(isinstance(die, Mapping) and _is_value(die.get("value")) for die in _listed(body, "dice"))
        and all(map(_is_named, _listed(body, "used")))
        and all(map(_is_word, _listed(body, "acting")))
        and all(_is_sound_patch(body.get(name, {})) for name in ("before", "after"))
        and (kind not in ROLLS or _are_inputs(body))
        and (kind not in ("undo", "redo") or "event" in body)
        and (kind != "undo" or "last" in body)
    )


def _listed(body: Mapping[str, Any], name: str) -> Iterable[Any]:
    """The entries of a list in an event; something unsound where it is none."""
    found = body.get(name, ())
    return found if isinstance(found, list | tuple) else (None,)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def _is_named(unit: object) -> bool:
    return isinstance(unit, Mapping) and all(_is_name(unit.get(name)) for name in ("name", "handle", "type"))


def _is_sound_patch(patch: object) -> bool:
    if not isinstance(patch, Mapping):
        return False
    units, fields = patch.get("units", {}), patch.get("game", {})
    return (
        isinstance(units, Mapping)
        and isinstance(fields, Mapping)
        and _is_word(fields.get("name", ""))
        and all(unit is None or _is_named(unit) for unit in units.values())
    )


def _are_inputs(body: Mapping[str, Any]) -> bool:
    inputs = body.get("inputs", {})
    return (
        isinstance(inputs, Mapping)
        and _is_word(body.get("command"))
        and (body["kind"] != "roll" or _is_text(inputs.get("dice")))
        and all(_is_text(value) or _is_value(value) or isinstance(value, list) for value in inputs.values())
    )


def _is_sound_unit(unit: RosterUnit) -> bool:
    return (
        all(map(_is_name, (unit.name, unit.handle, unit.type, unit.side, unit.state, *unit.marks)))
        and 0 < len(unit.name) <= MAX_NAME
        and all(_is_name(key) and _is_value(value) for key, value in unit.numbers.items())
        and _is_sound_back(unit.back)
    )


def _is_sound_back(back: Back | None) -> bool:
    return back is None or (
        _is_name(back.type) and all(_is_name(key) and _is_value(value) for key, value in back.numbers.items())
    )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def is_in_line(text: str) -> bool:
    """Whether a text shows as what it is, in one line. What is typed is made so; a file could bring a whole answer."""
    return _ODD.search(text) is None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _is_word(value) and is_in_line(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_value(value: object) -> bool:
    if isinstance(value, tuple):
        return len(value) <= LONGEST and all(map(_is_value, value))
    return isinstance(value, bool | int | float) or _is_word(value)


def _maps_words(value: object) -> bool:
    return isinstance(value, Mapping) and all(_is_word(key) and _is_word(item) for key, item in value.items())
