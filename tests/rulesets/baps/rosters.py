"""A few men, squads and vehicles as a channel remembers them."""

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
    type: str = "soldier",
    *,
    state: str = "ready",
    marks: tuple[str, ...] = (),
    **more: Any,
) -> RosterUnit:
    """One roster unit; its handle is its name without blanks."""
    return RosterUnit(
        name, name.casefold().replace(" ", ""), type, "US", more, state, frozenset(marks)
    )


def changes(played: Play) -> dict[str, dict[str, Any]]:
    """What the roster takes from an answer, by unit: the values set, what is added, markers under
    mark and unmark.

    What all men of a squad take is under `squad=NAME`.
    """
    found: dict[str, dict[str, Any]] = {}
    for change in played.resolution.changes:
        more = {"mark": set(change.mark), "unmark": set(change.unmark), "add": dict(change.add)}
        whom = f"{change.of}={change.unit}" if change.of else change.unit
        found[whom] = {**change.set, **{key: value for key, value in more.items() if value}}
    return found
