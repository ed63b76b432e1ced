"""A few units as a channel remembers them."""

from __future__ import annotations

from typing import Any

from bot.rules.inputs.units import RosterUnit


def roster(*units: RosterUnit) -> dict[str, RosterUnit]:
    """Roster units by name and by handle."""
    found = {unit.name.casefold(): unit for unit in units}
    return found | {unit.handle: unit for unit in units}


def unit(
    name: str, type: str, *, state: str = "good-order", marks: tuple[str, ...] = (), **numbers: Any
) -> RosterUnit:
    """One roster unit; its handle is its name without blanks."""
    handle = name.casefold().replace(" ", "")
    return RosterUnit(name, handle, type, "US", numbers, state, frozenset(marks))
