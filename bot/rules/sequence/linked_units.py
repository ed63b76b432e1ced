"""Changes of units that others are linked to: the squad of a man, the men of a squad, the holder
of a weapon.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bot.rules.inputs.relations import list_link_names
from bot.rules.inputs.units import RosterUnit
from bot.rules.sequence.sequence import Change
from bot.rules.text.normalize import comparison_key


def resolve_links(
    changes: Iterable[Change],
    units: Iterable[RosterUnit],
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Change, ...]:
    """Return plain changes: each names one unit and gives the values that it has afterwards.

    `units` are those still in play; links that lead to none of them change nothing. `defaults` are
    the numbers of a unit that has no number of its own.
    """
    units_in_play = tuple(units)
    totals: dict[tuple[str, str], int] = {}
    plain_changes: list[Change] = []
    for change in changes:
        plain_changes += _resolve_link(change, units_in_play, totals, defaults)
    return tuple(plain_changes)


def _resolve_link(
    change: Change,
    units: tuple[RosterUnit, ...],
    totals: dict[tuple[str, str], int],
    defaults: Mapping[str, Any],
) -> Iterator[Change]:
    """Yield the plain changes of one change.

    `totals` holds the numbers after earlier changes, by (unit name, attribute), and is updated.
    """
    if not (change.add or change.of):
        yield change
        return
    for unit in _find_affected_units(change, units):
        values: dict[str, Any] = dict(change.set)
        for key, change_by in change.add.items():
            noted = unit.numbers.get(key, defaults.get(key))
            current = totals.get((unit.name, key), noted)
            if isinstance(current, int):
                values[key] = totals[unit.name, key] = max(0, current + change_by)
        if change.drop:
            values[change.of] = _drop_name(str(unit.numbers[change.of]), change.unit)
        if values or change.mark or change.unmark:
            yield Change(unit.name, values, change.mark, change.unmark, turn=change.turn)


def _drop_name(text: str, dropped: str) -> str | None:
    """Return a list of names, separated by commas, without one name; None if it is then empty."""
    key = comparison_key(dropped)
    names = [name.strip() for name in text.split(",")]
    remaining = [name for name in names if comparison_key(name) != key]
    return ",".join(remaining) or None


def _find_affected_units(change: Change, units: tuple[RosterUnit, ...]) -> list[RosterUnit]:
    """Return the unit that the change names, or with `of` the units linked to it by that
    attribute.
    """
    folded = comparison_key(change.unit)
    exact = [unit for unit in units if unit.name.casefold() == change.unit.casefold()]
    linked = exact or [unit for unit in units if folded in list_link_names(unit)][:1]
    if not change.of:
        return linked
    names = list_link_names(linked[0]) if linked else {folded}
    return [unit for unit in units if names & set(_split_names(unit, change.of))]


def list_linked_names(units: Iterable[RosterUnit], link: object) -> list[str]:
    """Return the names of the units that `link` names, by name or handle.

    `link` is the value of another unit's attribute, as in `squad: Squad 3`. None are named by an
    empty one.
    """
    folded = comparison_key(str(link or ""))
    return [unit.name for unit in units if folded in list_link_names(unit)]


def _split_names(unit: RosterUnit, key: str) -> list[str]:
    """Return the comparison keys of the names that an attribute lists, separated by commas."""
    return [comparison_key(name) for name in str(unit.numbers.get(key, "")).split(",")]
