"""The other side of a counter: read as it is typed, and turned up."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Back, RosterUnit, UnitWords, value_of

REDUCED, FLIP = "reduced", "flip"
_REDUCED = re.compile(rf"(?:^|\s){REDUCED}\s*:", re.IGNORECASE)


def parted_stats(text: str) -> tuple[str, str | None]:
    """What was typed of a unit, and of its reduced side: `morale=5 fp=2 reduced: morale=4 fp=1`."""
    pieces = _REDUCED.split(text, maxsplit=1)
    return pieces[0], (pieces[1] if len(pieces) > 1 else None)


def with_reduced(unit: RosterUnit, text: str, words: UnitWords) -> RosterUnit:
    """The unit with the reduced side that `half-squad morale=4 fp=1` says; `none` takes it off. Raises UserError."""
    if text.strip().casefold() in ("", "none"):
        return replace(unit, back=None, turned=False)
    if unit.turned:
        raise UserError(f"{unit.name} is on its reduced side.", hint="Set its numbers as they are.", code="no-change")
    kind, numbers = words.reduced.get(unit.type, ""), dict[str, Any]()
    for word in text.split():
        key, equals, value = word.strip(",").partition("=")
        folded = key.casefold().replace("_", "-")
        if equals and key.casefold() in words.keys:
            numbers[key.casefold()] = value_of(words.keys[key.casefold()], value)
        elif not equals and folded in words.types:
            kind = folded
        else:
            raise UserError(
                f'A reduced side has no "{word[:40]}".',
                hint="It holds a unit type and numbers: half-squad morale=4 fp=1.",
                option="stats",
                code="unknown-attribute",
            )
    return replace(unit, back=Back(kind if kind != unit.type else "", numbers))


def turned_over(unit: RosterUnit) -> RosterUnit:
    """The unit with its other side up; as it is where it has none."""
    back = unit.back
    if back is None:
        return unit
    down = Back(unit.type if back.type else "", {key: unit.numbers[key] for key in back.numbers if key in unit.numbers})
    numbers = {**unit.numbers, **back.numbers}
    return replace(unit, type=back.type or unit.type, numbers=numbers, back=down, turned=not unit.turned)


def flipped(unit: RosterUnit, words: UnitWords) -> RosterUnit:
    """The unit turned over by hand, with the state that goes with that side. Raises UserError for one without."""
    if unit.back is None:
        raise UserError(
            f"{unit.name} has no other side.",
            hint="Give it one: reduced: morale=4 fp=1.",
            option="stats",
            code="no-change",
        )
    turned = turned_over(unit)
    if turned.type != unit.type or not words.reduced_states:
        return turned
    change = words.joined if turned.turned else words.parted
    return replace(turned, state=change(unit.state, words.reduced_states[0]) or words.sound)


def fitting_side(was: RosterUnit, unit: RosterUnit, words: UnitWords) -> RosterUnit:
    """The unit with the side up that its type and state call for, where `was` became `unit` by hand."""
    if unit.back is None or unit.turned != was.turned:
        return unit
    reduced = words.reduced_states
    by_type = unit.type != was.type and unit.type == unit.back.type
    by_state = (unit.state in reduced) != (was.state in reduced) and (unit.state in reduced) != unit.turned
    if not (by_type or by_state):
        return unit
    turned = turned_over(replace(unit, type=was.type))
    typed = {key: value for key, value in unit.numbers.items() if was.numbers.get(key) != value}
    return replace(turned, numbers={**turned.numbers, **typed})
