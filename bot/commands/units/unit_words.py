"""Units and their changes in the words that players read."""

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
    """Describe a unit in one line: `Rifle 1 (us1): squad, morale 5, fp 2, moved`."""
    return f"{unit.name} ({unit.handle}): {_describe_kind(unit, system)}"


def describe_units(units: Iterable[RosterUnit], system: System | None) -> list[str]:
    """Return the lines that describe these units, in their order.

    Three or more successive units that differ only in name, and whose handles count up by one,
    share a line: `GI 1-12 (us1..us12): ...`. All others have a line each.
    """
    lines: list[str] = []

    def get_side_and_kind(unit: RosterUnit) -> tuple[str, str]:
        return unit.side, _describe_kind(unit, system)

    for (_, kind), group in groupby(units, get_side_and_kind):
        row = list(group)
        first_handle = row[0].handle
        last_handle = row[-1].handle
        handle_span = handle_number(last_handle) - handle_number(first_handle)
        if len(row) > 2 and handle_span == len(row) - 1:
            names = join_names(unit.name for unit in row)
            lines.append(f"{names} ({first_handle}..{last_handle}): {kind}")
        else:
            lines += [describe_unit(unit, system) for unit in row]
    return lines


def describe_numbers(
    type_: str, numbers: Mapping[str, Any], system: System | None
) -> Iterator[str]:
    """Yield the numbers of a unit in words: those printed on its counter in the order of the
    counter, then the others in the rule set's order.
    """
    printed = [key for key in counter_faces.list_printed_keys(type_, system) if key in numbers]
    for key in dict.fromkeys([*printed, *sort_keys(numbers, system)]):
        if key == LOADOUT:
            yield f"carries {format_weapons(numbers)}"
        else:
            yield f"{counter_faces.format_word(key)} {format_number(numbers[key])}"


def sort_keys(keys: Iterable[str], system: System | None) -> list[str]:
    """Sort the keys of numbers in the rule set's order. Keys that it does not have come last."""
    ordered_keys = [*system.words["units"].keys] if system is not None else []
    return sorted(
        keys, key=lambda key: ordered_keys.index(key) if key in ordered_keys else len(ordered_keys)
    )


def describe_other_side(unit: RosterUnit, system: System | None) -> str:
    """Describe the side of the unit's counter that is face down: `Reduced: half-squad, morale 4, fp
    1`. Return "" for a unit without one.
    """
    if unit.back is None:
        return ""
    numbers = describe_numbers(unit.back.type or unit.type, unit.back.numbers, system)
    type_ = _get_type_name(unit.back.type, system)
    down = ", ".join(filter(None, (type_, *numbers))) or "the same numbers"
    return f"{'Full' if unit.turned else 'Reduced'}: {down}"


def describe_changes(unit_before: RosterUnit, unit_after: RosterUnit, system: System | None) -> str:
    """Describe the differences between two forms of a unit: `fp 3, was 2 · shaken · marked low
    crawl · no longer moved`.
    """
    changes = [
        *_describe_new_kind(unit_before, unit_after, system),
        *_describe_new_numbers(unit_before, unit_after),
        *_describe_flip(unit_before, unit_after, system),
    ]
    added_marks = unit_after.marks - unit_before.marks
    removed_marks = unit_before.marks - unit_after.marks
    added = counter_faces.list_marks(unit_after, system, added_marks)
    removed = counter_faces.list_marks(unit_before, system, removed_marks)
    changes += [f"marked {mark}" for mark in added]
    changes += [f"no longer {mark}" for mark in removed]
    return " · ".join(changes)


def _describe_new_kind(
    unit_before: RosterUnit, unit_after: RosterUnit, system: System | None
) -> Iterator[str]:
    """Yield the name, side, type and state of a unit if they have changed."""
    for key in ("name", "side"):
        old_value = getattr(unit_before, key)
        new_value = getattr(unit_after, key)
        if old_value != new_value:
            yield _describe_change(f"{key} {new_value or 'none'}", old_value)
    if unit_before.type != unit_after.type:
        old_type = _get_type_name(unit_before.type, system)
        yield _describe_change(_get_type_name(unit_after.type, system), old_type)
    old_state = counter_faces.describe_state(unit_before, system)
    new_state = counter_faces.describe_state(unit_after, system)
    if old_state != new_state:
        state = new_state or counter_faces.get_normal_state(unit_after, system)
        old_words = counter_faces.say_state(old_state, system)
        yield _describe_change(counter_faces.say_state(state, system), old_words)


def _describe_new_numbers(unit_before: RosterUnit, unit_after: RosterUnit) -> Iterator[str]:
    """Yield the numbers of a unit that have changed: `fp 3, was 2`."""
    for key in {**unit_before.numbers, **unit_after.numbers}:
        old_number = unit_before.numbers.get(key)
        new_number = unit_after.numbers.get(key)
        if old_number != new_number:
            new_text = "none" if new_number in _NOTHING else format_number(new_number)
            old_text = "" if old_number in _NOTHING else format_number(old_number)
            yield _describe_change(f"{counter_faces.format_word(key)} {new_text}", old_text)


def _describe_flip(
    unit_before: RosterUnit, unit_after: RosterUnit, system: System | None
) -> Iterator[str]:
    """Yield that the unit's counter was flipped to its other side.

    If it was not, but the side that is face down has changed, yield a description of that side.
    """
    if unit_before.turned != unit_after.turned:
        yield "turned to its reduced side" if unit_after.turned else "turned to its full side"
    elif unit_before.back != unit_after.back:
        yield describe_other_side(unit_after, system) or "no other side"


_NOTHING = (None, "")


def _describe_change(new_text: str, old_text: str) -> str:
    """Return `NEW, was OLD`, or the new text alone if there was nothing before."""
    return f"{new_text}, was {old_text}" if old_text else new_text


def _get_type_name(type_: str, system: System | None) -> str:
    """Return the name of a unit type as players read it, or the type if it has no name."""
    return list_type_names(system).get(type_, type_) if system is not None else type_


def _describe_kind(unit: RosterUnit, system: System | None) -> str:
    """Describe a unit without its name: type, numbers, state, markers, and its other side in
    parentheses.
    """
    loss_keys = counter_faces.get_loss_keys(system)
    numbers = {key: value for key, value in unit.numbers.items() if key not in loss_keys}
    pieces = [
        _get_type_name(unit.type, system),
        *describe_numbers(unit.type, numbers, system),
        *counter_faces.list_conditions(unit, system),
        *counter_faces.list_marks(unit, system),
    ]
    text = ", ".join(pieces)
    other_side = describe_other_side(unit, system)
    if other_side:
        text = f"{text} ({other_side[:1].lower()}{other_side[1:]})"
    return text
