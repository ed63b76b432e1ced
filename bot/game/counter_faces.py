"""A unit as its counter shows it: frame, printed numbers, state in words, whether it is lost or
hurt; and its other side, read as it is typed, and turned up."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Back, RosterUnit, UnitWords, join_pairs, parse_value
from bot.rules.text.names import get_plural_verb
from bot.rulesets.catalog import list_lost_states
from bot.rulesets.game_file import ANY
from bot.rulesets.system import System

VEHICLES = ("armor", "mechanized", "soft")
"""The frames of the counters of vehicles."""
REDUCED, FLIP = "reduced", "flip"
_REDUCED = re.compile(rf"(?:^|\s){REDUCED}\s*:", re.IGNORECASE)


def format_token(token: str, system: System | None) -> str:
    """A type, a marker or what was lost as the game says it; else the token as it is read."""
    words: Mapping[str, str] = (system.game.get("words") or {}) if system else {}
    return words.get(token, format_word(token))


def list_printed_numbers(unit: RosterUnit, system: System | None) -> list[str]:
    """The numbers on its counter, as they read there: `2`, `5`. Without a system (free play) it
    has none.
    """
    return [
        _format_number(unit.numbers[key])
        for key in list_printed_keys(unit.type, system)
        if key in unit.numbers
    ]


def get_frame(type_: str, system: System | None) -> str:
    """What is drawn on the counters of a unit type: one of `bot.rulesets.game_file.FRAMES`."""
    return str(_get_counter(type_, system).get("frame", ANY))


def list_printed_keys(type_: str, system: System | None) -> tuple[str, ...]:
    """The keys of the numbers that are printed on the counters of a unit type."""
    return tuple(_get_counter(type_, system).get("numbers") or ())


def _get_counter(type_: str, system: System | None) -> Mapping[str, Any]:
    return (system.game["units"].get("counters") or {}).get(type_, {}) if system is not None else {}


def is_lost(unit: RosterUnit, system: System | None) -> bool:
    """Return whether the unit is out of the game."""
    return describe_state(unit, system) in list_lost_states(system)


def is_hurt(unit: RosterUnit, system: System | None) -> bool:
    """Return whether the unit has lost strength: by its state, its reduced side, a marker or a
    number that counts losses.
    """
    if unit.turned:
        return True
    data = system.game["units"] if system is not None else {}
    signs = (*(data.get("hurt") or ()), *(data.get("reduced_states") or ()))
    return any(
        sign == describe_state(unit, system) or sign in unit.marks or unit.numbers.get(sign)
        for sign in signs
    )


def is_weaker(unit: RosterUnit, first_type: str, system: System | None) -> bool:
    """Return whether the unit has lost strength since it came as a unit of `first_type`."""
    if is_hurt(unit, system):
        return True
    reduced = system.words["units"].reduced if system is not None else {}
    lesser = first_type
    for _ in reduced:
        lesser = reduced.get(lesser, "")
        if unit.type == lesser:
            return True
    return False


def describe_state(unit: RosterUnit, system: System | None) -> str:
    """The state of the unit, or nothing where that is the sound one."""
    if system is None:
        return unit.state
    words = system.words["units"]
    state = words.get_state(unit)
    return "" if state in (words.sound, *(system.game["units"].get("well") or ())) else state


def say_state(state: str, system: System | None) -> str:
    """Return a state in words; one that sets several flags names them: `shaken and wounded`."""
    flags = system.words["units"].states.get(state, ()) if system is not None else ()
    return " and ".join(map(format_word, flags)) if len(flags) > 1 else format_word(state)


def list_conditions(unit: RosterUnit, system: System | None) -> tuple[str, ...]:
    """All that ails the unit, in words: its state, its reduced side, wounds and men lost; none
    where it is well.
    """
    state = describe_state(unit, system)
    found = list[str]()
    if state:
        found.append(say_state(state, system))
    if unit.turned and REDUCED not in state and not is_lost(unit, system):
        found.append(REDUCED)
    for key in get_loss_keys(system):
        if lost := unit.numbers.get(key):
            found.append(
                format_loss(key, sum(lost) if isinstance(lost, tuple | list) else lost, system)
            )
    return tuple(found)


def describe_condition(unit: RosterUnit, system: System | None) -> str:
    """The same with its markers, in one text: `suppressed, wounded twice, jammed or out of ammo`;
    empty where it has none."""
    if not (
        unit.state or unit.marks or unit.turned or any(map(unit.numbers.get, get_loss_keys(system)))
    ):
        return ""
    return ", ".join((*list_conditions(unit, system), *list_marks(unit, system)))


def describe_for_menu(unit: RosterUnit, system: System | None) -> str:
    """What one chooses by in a menu: its type, and all that ails it."""
    return " · ".join(filter(None, (unit.type, describe_condition(unit, system))))


def list_marks(
    unit: RosterUnit, system: System | None, marks: Collection[str] | None = None
) -> tuple[str, ...]:
    """Its markers in words, or of these alone."""
    shown = sorted(unit.marks if marks is None else marks)
    return tuple(format_token(mark, system) for mark in shown if mark != unit.state)


def list_lasting_marks(system: System | None) -> frozenset[str]:
    """Markers that say how a unit is, as a state does: those of one that has lost strength, or
    that no phase clears.
    """
    if system is None:
        return frozenset()
    units = system.game["units"]
    cleared = {
        mark for phase in system.game.get("phases") or () for mark in phase.get("clears") or ()
    }
    return frozenset(
        [
            *(units.get("hurt") or ()),
            *(set(units.get("markers") or ()) - cleared if cleared else ()),
        ]
    )


def get_loss_keys(system: System | None) -> tuple[str, ...]:
    """The keys of the numbers that count what a unit has lost: wounds, casualties."""
    return system.loss_keys if system is not None else ()


def format_loss(key: str, count: int, system: System | None) -> str:
    """What it has lost: `1 casualty`, or as the game's words have it, `wounded twice`."""
    return format_token(
        f"{count} {get_plural_verb(format_word(key)) if count == 1 else format_word(key)}", system
    )


def format_word(word: object) -> str:
    """A token of the game as it is read."""
    return str(word).replace("-", " ").replace("_", " ")


def _format_number(value: Any) -> str:
    """A number as it is printed: `3`, `3/2` for several, `B11`."""
    if isinstance(value, tuple | list):
        return "/".join(map(str, value))
    text = str(value)
    return text.upper() if text[-1:].isdigit() and "-" not in text else format_word(text)


def split_reduced_stats(text: str) -> tuple[str, str | None]:
    """What was typed of a unit, and of its reduced side: `morale=5 fp=2 reduced: morale=4 fp=1`."""
    pieces = _REDUCED.split(text, maxsplit=1)
    return pieces[0], (pieces[1] if len(pieces) > 1 else None)


def set_reduced_side(unit: RosterUnit, text: str, words: UnitWords) -> RosterUnit:
    """The unit with the reduced side that `half-squad morale=4 fp=1` says; `none` takes it off.
    Raises UserError.
    """
    if text.strip().casefold() in ("", "none"):
        return replace(unit, back=None, turned=False)
    if unit.turned:
        raise UserError(
            f"{unit.name} is on its reduced side.",
            hint="Set its numbers as they are.",
            code="no-change",
        )
    kind = words.reduced.get(unit.type, "")
    numbers = dict[str, Any]()
    pieces = [piece.strip(",") for piece in text.split()]
    for word in join_pairs(pieces, words):
        key, equals, value = word.partition("=")
        folded = key.casefold().replace("_", "-")
        if equals and key.casefold() in words.keys:
            numbers[key.casefold()] = parse_value(words.keys[key.casefold()], value)
        elif not equals and folded in words.types:
            kind = folded
        else:
            what = f'A reduced side has no "{word[:40]}".'
            hint = "It holds a unit type and numbers: half-squad morale=4 fp=1."
            raise UserError(what, hint=hint, option="stats", code="unknown-attribute")
    return replace(unit, back=Back(kind if kind != unit.type else "", numbers))


def turn_over(unit: RosterUnit) -> RosterUnit:
    """The unit with its other side up; as it is where it has none."""
    back = unit.back
    if back is None:
        return unit
    down = Back(
        unit.type if back.type else "",
        {key: unit.numbers[key] for key in back.numbers if key in unit.numbers},
    )
    numbers = {**unit.numbers, **back.numbers}
    return replace(
        unit, type=back.type or unit.type, numbers=numbers, back=down, turned=not unit.turned
    )


def flip(unit: RosterUnit, words: UnitWords) -> RosterUnit:
    """The unit turned over by hand, with the state that goes with that side. Raises UserError
    for one without.
    """
    if unit.back is None:
        hint = "Give it one: reduced: morale=4 fp=1."
        raise UserError(
            f"{unit.name} has no other side.", hint=hint, option="stats", code="no-change"
        )
    turned = turn_over(unit)
    if turned.type != unit.type or not words.reduced_states:
        return turned
    change = words.join_states if turned.turned else words.remove_state
    return replace(turned, state=change(unit.state, words.reduced_states[0]) or words.sound)


def turn_to_fitting_side(was: RosterUnit, unit: RosterUnit, words: UnitWords) -> RosterUnit:
    """The unit with the side up that its type and state call for, where `was` became `unit` by
    hand.
    """
    if unit.back is None or unit.turned != was.turned:
        return unit
    reduced = words.reduced_states
    by_type = unit.type != was.type and unit.type == unit.back.type
    by_state = (unit.state in reduced) != (was.state in reduced) and (
        unit.state in reduced
    ) != unit.turned
    if not (by_type or by_state):
        return unit
    turned = turn_over(replace(unit, type=was.type))
    typed = {key: value for key, value in unit.numbers.items() if was.numbers.get(key) != value}
    return replace(turned, numbers={**turned.numbers, **typed})
