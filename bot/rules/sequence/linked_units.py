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
    """The changes as plain ones, each of one unit by name and with the values that it has
    afterwards.

    `units` are those still in play; links that lead to none of them change nothing. `defaults` are
    the numbers of units on which nothing is noted.
    """
    listed = tuple(units)
    totals: dict[tuple[str, str], int] = {}
    return tuple(
        plain for change in changes for plain in _resolve_link(change, listed, totals, defaults)
    )


def _resolve_link(
    change: Change,
    units: tuple[RosterUnit, ...],
    totals: dict[tuple[str, str], int],
    defaults: Mapping[str, Any],
) -> Iterator[Change]:
    if not (change.add or change.of):
        yield change
        return
    for unit in _find_affected_units(change, units):
        new: dict[str, Any] = dict(change.set)
        for key, more in change.add.items():
            noted = unit.numbers.get(key, defaults.get(key))
            before = totals.get((unit.name, key), noted)
            if isinstance(before, int):
                new[key] = totals[unit.name, key] = max(0, before + more)
        if change.drop:
            names = [name.strip() for name in str(unit.numbers[change.of]).split(",")]
            new[change.of] = (
                ",".join(
                    name for name in names if comparison_key(name) != comparison_key(change.unit)
                )
                or None
            )
        if new or change.mark or change.unmark:
            yield Change(unit.name, new, change.mark, change.unmark, turn=change.turn)


def _find_affected_units(change: Change, units: tuple[RosterUnit, ...]) -> list[RosterUnit]:
    """The unit that the link names, or with `of` those that name it in that attribute."""
    folded = comparison_key(change.unit)
    exact = [unit for unit in units if unit.name.casefold() == change.unit.casefold()]
    named = exact or [unit for unit in units if folded in list_link_names(unit)][:1]
    if not change.of:
        return named
    names = list_link_names(named[0]) if named else {folded}
    return [unit for unit in units if names & set(_split_names(unit, change.of))]


def list_linked_names(units: Iterable[RosterUnit], link: object) -> list[str]:
    """The names of the units that a link may mean."""
    folded = comparison_key(str(link or ""))
    return [unit.name for unit in units if folded in list_link_names(unit)]


def _split_names(unit: RosterUnit, key: str) -> list[str]:
    """The names in an attribute, separated by commas."""
    return [comparison_key(name) for name in str(unit.numbers.get(key, "")).split(",")]
