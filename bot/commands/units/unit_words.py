"""Units and what has changed about them, in the words that players read."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from bot.game import counter_faces
from bot.game.roster import handle_number
from bot.presentation.headline import list_type_names
from bot.rules.inputs.loadout import LOADOUT, format_weapons
from bot.rules.inputs.options import format_number
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import join_names
from bot.rulesets.system import System


def describe_unit(unit: RosterUnit, system: System | None) -> str:
    """Return a unit in one line: `Rifle 1 (us1): squad, morale 5, fp 2, moved`."""
    return f"{unit.name} ({unit.handle}): {_describe_kind(unit, system)}"


def describe_units(units: Iterable[RosterUnit], system: System | None) -> list[str]:
    """Return units line by line; three or more that are alike share one: `GI 1-12 (us1..us12)`."""
    lines: list[str] = []

    def get_side_and_kind(unit: RosterUnit) -> tuple[str, str]:
        return unit.side, _describe_kind(unit, system)

    for (_, kind), alike in groupby(units, get_side_and_kind):
        row = list(alike)
        first = row[0].handle
        last = row[-1].handle
        if len(row) > 2 and handle_number(last) - handle_number(first) == len(row) - 1:
            lines.append(f"{join_names(unit.name for unit in row)} ({first}..{last}): {kind}")
        else:
            lines += [describe_unit(unit, system) for unit in row]
    return lines


def describe_numbers(
    type_: str, numbers: Mapping[str, Any], system: System | None
) -> Iterator[str]:
    """Yield the numbers of a unit in words: those printed on its counter first, as they are there,
    then the others in the game's own order.
    """
    printed = [key for key in counter_faces.list_printed_keys(type_, system) if key in numbers]
    for key in dict.fromkeys([*printed, *sort_keys(numbers, system)]):
        if key == LOADOUT:
            yield f"carries {format_weapons(numbers)}"
        else:
            yield f"{counter_faces.format_word(key)} {format_number(numbers[key])}"


def sort_keys(keys: Iterable[str], system: System | None) -> list[str]:
    """Return the keys of numbers in the game's own order."""
    known = [*system.words["units"].keys] if system is not None else []
    return sorted(keys, key=lambda key: known.index(key) if key in known else len(known))


def describe_other_side(unit: RosterUnit, system: System | None) -> str:
    """Return the side of its counter that is down: `Reduced: half-squad, morale 4, fp 1`; "" for
    a unit without one.
    """
    if unit.back is None:
        return ""
    numbers = describe_numbers(unit.back.type or unit.type, unit.back.numbers, system)
    type_ = _say_type(unit.back.type, system)
    down = ", ".join(filter(None, (type_, *numbers))) or "the same numbers"
    return f"{'Full' if unit.turned else 'Reduced'}: {down}"


def describe_changes(before: RosterUnit, after: RosterUnit, system: System | None) -> str:
    """Return what has changed: `fp 3, was 2 · shaken · marked low crawl · no longer moved`."""
    changes = [
        *_describe_new_kind(before, after, system),
        *_describe_new_numbers(before, after),
        *_describe_new_side_up(before, after, system),
    ]
    added = counter_faces.list_marks(after, system, after.marks - before.marks)
    removed = counter_faces.list_marks(before, system, before.marks - after.marks)
    changes += [f"marked {mark}" for mark in added]
    changes += [f"no longer {mark}" for mark in removed]
    return " · ".join(changes)


def _describe_new_kind(
    before: RosterUnit, after: RosterUnit, system: System | None
) -> Iterator[str]:
    """Yield another name, side, type and state."""
    for key in ("name", "side"):
        old, new = getattr(before, key), getattr(after, key)
        if old != new:
            yield _describe_change(f"{key} {new or 'none'}", old)
    if before.type != after.type:
        yield _describe_change(_say_type(after.type, system), _say_type(before.type, system))
    old_state = counter_faces.describe_state(before, system)
    new_state = counter_faces.describe_state(after, system)
    if old_state != new_state:
        state = new_state or _get_sound_state(after, system)
        old = counter_faces.say_state(old_state, system)
        yield _describe_change(counter_faces.say_state(state, system), old)


def _describe_new_numbers(before: RosterUnit, after: RosterUnit) -> Iterator[str]:
    for key in {**before.numbers, **after.numbers}:
        old, new = before.numbers.get(key), after.numbers.get(key)
        if old != new:
            value = "none" if new in _NOTHING else format_number(new)
            old_value = "" if old in _NOTHING else format_number(old)
            yield _describe_change(f"{counter_faces.format_word(key)} {value}", old_value)


def _describe_new_side_up(
    before: RosterUnit, after: RosterUnit, system: System | None
) -> Iterator[str]:
    """Yield that the counter was turned, or what its other side is now."""
    if before.turned != after.turned:
        yield "turned to its reduced side" if after.turned else "turned to its full side"
    elif before.back != after.back:
        yield describe_other_side(after, system) or "no other side"


_NOTHING = (None, "")


def _describe_change(now: str, old: str) -> str:
    return f"{now}, was {old}" if old else now


def _say_type(type_: str, system: System | None) -> str:
    return list_type_names(system).get(type_, type_) if system is not None else type_


def _get_sound_state(unit: RosterUnit, system: System | None) -> str:
    """Return the word for a unit that nothing ails."""
    words = system.words["units"] if system is not None else None
    return (words.get_state(unit) or words.sound if words is not None else "") or "ready"


def _describe_kind(unit: RosterUnit, system: System | None) -> str:
    lost = counter_faces.get_loss_keys(system)
    numbers = {key: value for key, value in unit.numbers.items() if key not in lost}
    pieces = [
        _say_type(unit.type, system),
        *describe_numbers(unit.type, numbers, system),
        *counter_faces.list_conditions(unit, system),
        *counter_faces.list_marks(unit, system),
    ]
    other_side = describe_other_side(unit, system)
    return ", ".join(pieces) + (
        f" ({other_side[:1].lower()}{other_side[1:]})" if other_side else ""
    )
