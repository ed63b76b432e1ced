"""The losses of a side: units out of the game, and units weaker than when they joined.

Also the unit that a player took off the roster.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.game.counter_faces import is_weaker
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.system import System, is_lost


@dataclass(frozen=True, slots=True)
class Losses:
    """The lost and the weakened units of a side by name, and the number of all its units."""

    lost: tuple[str, ...]
    weakened: tuple[str, ...]
    total: int


def count_losses(
    units: Iterable[RosterUnit], types: Mapping[str, str], system: System | None
) -> Losses:
    """Return the names of a side's lost and weakened units, and the number of all its units.

    `units` are those of the side. `types` are their types when they joined, from `first_types`.
    """
    lost = list[str]()
    weakened = list[str]()
    total = 0
    for unit in units:
        total += 1
        if is_lost(unit, system):
            lost.append(unit.name)
        elif is_weaker(unit, types.get(unit.name.casefold(), unit.type), system):
            weakened.append(unit.name)
    return Losses(tuple(lost), tuple(weakened), total)


def first_types(events: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the type of each unit when it joined, by its folded name.

    `events` are those of a log in order. A unit that joined again has its first type.
    """
    types: dict[str, str] = {}
    for event in events:
        for key, unit in ((event.get("after") or {}).get("units") or {}).items():
            if unit:
                types.setdefault(key, unit["type"])
    return types


def find_removed_unit(newest_first: Iterable[Mapping[str, Any]], name: str) -> str:
    """Return the name of a unit with this name or handle that was taken off the roster.

    Return "" if these events have taken off no such unit.
    """
    for event in newest_first:
        after = event.get("after", {}).get("units", {})
        for key, unit in event.get("before", {}).get("units", {}).items():
            if unit and after.get(key, unit) is None and name.casefold() in (key, unit["handle"]):
                return str(unit["name"])
    return ""
