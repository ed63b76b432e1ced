"""A few elements and vehicles as a channel remembers them."""

from __future__ import annotations

from typing import Any

from bot.rules.inputs.units import RosterUnit
from bot.rules.sequence.sequence import Play


def roster(*units: RosterUnit) -> dict[str, RosterUnit]:
    """Roster units by name and by handle."""
    found = {unit.name.casefold(): unit for unit in units}
    return found | {unit.handle: unit for unit in units}


def unit(
    name: str,
    type: str = "element",
    *,
    state: str = "ready",
    marks: tuple[str, ...] = (),
    **numbers: Any,
) -> RosterUnit:
    """One roster unit; its handle is its name without blanks."""
    return RosterUnit(
        name, name.casefold().replace(" ", ""), type, "US", numbers, state, frozenset(marks)
    )


def changes(played: Play) -> dict[str, dict[str, Any]]:
    """What the roster takes from an answer, by unit: the values set, and the markers under mark."""
    found: dict[str, dict[str, Any]] = {}
    for change in played.resolution.changes:
        found[change.unit] = {**change.set, **({"mark": set(change.mark)} if change.mark else {})}
    return found
