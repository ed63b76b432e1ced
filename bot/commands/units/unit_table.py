"""The roster as tables, one for each side."""

from __future__ import annotations

from collections.abc import Iterable

from bot.game.counter import (
    REDUCED,
    is_hurt,
    is_lost,
    lasting_marks,
    loss_keys,
    marks_of,
    printed_on,
    state_of,
    states_of,
)
from bot.interface.reply.tone import GAME, HURT, SHAKEN
from bot.interface.reply.unit_table import UnitTable
from bot.rules.inputs.loadout import LOADOUT
from bot.rules.inputs.units import RosterUnit
from bot.systems.system import System

MOST_KEYS = 3
HALF = " ½"


def tables(units: Iterable[RosterUnit], headings: dict[str, str], system: System | None) -> tuple[UnitTable, ...]:
    """A table for each side in `headings`, in that order; sides without a unit are left out."""
    units = list(units)
    keys = _keys(units, system)
    made: list[UnitTable] = []
    for side, heading in headings.items():
        if own := [unit for unit in units if unit.side.casefold() == side.casefold()]:
            rows = tuple(_row(unit, keys, system) for unit in own)
            made.append(UnitTable(heading, keys, rows, spaced=bool(made)))
    return tuple(made)


def tone_of(unit: RosterUnit, system: System | None) -> str:
    """How grave the unit's state is."""
    if is_lost(unit, system) or is_hurt(unit, system):
        return HURT
    return SHAKEN if state_of(unit, system) else GAME


def _keys(units: list[RosterUnit], system: System | None) -> tuple[str, ...]:
    """The numbers that most units have, at most three: those printed on counters first, in the game's own order."""
    counts: dict[str, int] = {}
    for unit in units:
        for key, value in unit.numbers.items():
            counts[key] = counts.get(key, 0) + isinstance(value, int)
    printed = {key for unit in units for key in printed_on(unit.type, system)}
    common = [key for key in counts if counts[key] * 2 >= len(units) and key not in loss_keys(system)]
    common.sort(key=lambda key: (key not in printed, -counts[key]))
    return tuple(in_order(common[:MOST_KEYS], system))


def in_order(keys: Iterable[str], system: System | None) -> list[str]:
    """Numbers in the order in which the game lists them."""
    known = list(system.words["units"].keys) if system is not None else []
    return sorted(keys, key=lambda key: known.index(key) if key in known else len(known))


def _row(unit: RosterUnit, keys: tuple[str, ...], system: System | None) -> tuple[str, ...]:
    lasting = lasting_marks(system)
    ill = (
        *(said for said in states_of(unit, system) if said != REDUCED),
        *marks_of(unit, system, unit.marks & lasting),
    )
    words = marks_of(unit, system, unit.marks - lasting)
    printed = printed_on(unit.type, system)
    others = in_order((key for key in unit.numbers if key not in (*keys, *loss_keys(system), LOADOUT)), system)
    others.sort(key=lambda key: key not in printed)
    options = system.words["units"].keys if system is not None else {}
    rest = [
        _said(unit.numbers[key]) if key in options and options[key].values else f"{key} {_said(unit.numbers[key])}"
        for key in others
    ]
    mark = HALF if unit.turned or unit.type == "half-squad" else ""
    numbers = (_said(unit.numbers[key]) if key in unit.numbers else "" for key in keys)
    return (
        unit.handle,
        unit.name,
        unit.type,
        f"{', '.join(ill)}{mark}".strip(),
        ", ".join((*words, *rest)),
        tone_of(unit, system),
        *numbers,
    )


def _said(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
