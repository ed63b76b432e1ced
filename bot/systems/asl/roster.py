"""What a result makes of the roster unit that an option names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Change

RANKS = (
    ("good-order", "pinned", "broken"),
    ("normal", "buttoned-up", "stunned", "recalled", "destroyed", "burning"),
    ("working", "low-ammo", "malfunctioned", "disabled"),
)
"""States of personnel, vehicles and weapons, each kind from the best to the worst."""
LASTING = ("recalled", "destroyed", "burning")


def called(unit: Unit | None, otherwise: str) -> str:
    """The unit's name as the answer shows it, or what is shown where none was named."""
    return unit.word if unit is not None else otherwise


def change(unit: Unit | None, values: Mapping[str, Any], mark: frozenset[str] = frozenset()) -> tuple[Change, ...]:
    """One change of a roster unit; none for a unit that no roster knows, or where nothing changes."""
    if unit is None or not unit.name or not (values or mark):
        return ()
    return (Change(unit.name, values, mark),)


def is_one(given: Given, option: str, types: Collection[str], yes: object = True) -> bool:
    """Whether `option` is `yes`; left out, the type of the roster unit that `unit` names decides."""
    unit = given.unit("unit")
    if option in given.typed or unit is None or not unit.type:
        return bool(given.values[option] == yes)
    return unit.type in types


def new_state(unit: Unit | None, state: str | None) -> tuple[Change, ...]:
    """The change to `state`, or none for None: nothing gets better by a result, a burning wreck burns on."""
    if state is None or stays(unit, state):
        return ()
    return change(unit, {"state": state})


def stays(unit: Unit | None, state: str) -> bool:
    """Whether the unit is in a worse state already: broken and not pinned, recalled and not stunned.

    What becomes of its crew does not change a vehicle that is recalled or a wreck.
    """
    if unit is None:
        return False
    for ranks in RANKS:
        if unit.state in ranks and state in ranks:
            return ranks.index(unit.state) > ranks.index(state)
    return unit.state in LASTING
