"""The counter of a unit: its frame, printed numbers, state in words, losses and reduced side."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Back, RosterUnit, UnitWords, join_pairs, parse_value
from bot.rules.text.names import format_singular
from bot.rulesets.game_keys import ANY
from bot.rulesets.system import System, is_lost

VEHICLES = ("armor", "mechanized", "soft")
"""Frames on the counters of vehicles."""
REDUCED, FLIP = "reduced", "flip"
_REDUCED = re.compile(rf"(?:^|\s){REDUCED}\s*:", re.IGNORECASE)


def format_token(token: str, system: System | None) -> str:
    """Format a type, a marker or a loss in the words of the game."""
    words: Mapping[str, str] = (system.game.get("words") or {}) if system else {}
    return words.get(token, format_word(token))


def list_printed_numbers(unit: RosterUnit, system: System | None) -> list[str]:
    """Return the numbers on the unit's counter as printed: `2`, `5`.

    There are none without a system (free play).
    """
    return [
        _format_number(unit.numbers[key])
        for key in list_printed_keys(unit.type, system)
        if key in unit.numbers
    ]


def get_frame(type_: str, system: System | None) -> str:
    """Return the frame on the counters of a unit type: one of `bot.rulesets.game_keys.FRAMES`."""
    return str(_get_counter(type_, system).get("frame", ANY))


def list_printed_keys(type_: str, system: System | None) -> tuple[str, ...]:
    """Return the keys of the numbers that are printed on the counters of a unit type."""
    return tuple(_get_counter(type_, system).get("numbers") or ())


def _get_counter(type_: str, system: System | None) -> Mapping[str, Any]:
    return (system.game["units"].get("counters") or {}).get(type_, {}) if system is not None else {}


def is_hurt(unit: RosterUnit, system: System | None) -> bool:
    """Return whether the unit has lost strength.

    Its state, its reduced side, a marker or a number that counts losses can show it.
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
    """Return whether the unit has lost strength since it joined as a unit of `first_type`."""
    if is_hurt(unit, system):
        return True
    reduced = system.words["units"].reduced if system is not None else {}
    lesser = first_type
    for _ in reduced:
        lesser = reduced.get(lesser, "")
        if unit.type == lesser:
            return True
    return False


def can_have(unit: RosterUnit, word: str, system: System) -> bool:
    """Return whether a unit of this type can have the state or marker, by `only` and `classes` of
    its game.
    """
    data = system.game["units"]
    only = data.get("only") or {}
    if word not in only:
        return True
    classes = data.get("classes") or {}
    kinds = {unit.type, *(name for name, types in classes.items() if unit.type in types)}
    return not kinds.isdisjoint(only[word])


def get_normal_state(unit: RosterUnit, system: System | None) -> str:
    """Return the word for the state of a unit in good order, `ready` if its game has none."""
    if system is None:
        return "ready"
    state = system.words["units"].get_state(unit)
    if state:
        return state
    units = system.game["units"]
    well = units.get("well") or (units.get("states") or ())[:1]
    fitting = [word for word in well if can_have(unit, word, system)]
    return fitting[0] if fitting else "ready"


def describe_state(unit: RosterUnit, system: System | None) -> str:
    """Return the state of the unit, or "" if it is in its sound state."""
    if system is None:
        return unit.state
    words = system.words["units"]
    state = words.get_state(unit)
    sound_states = (words.sound, *(system.game["units"].get("well") or ()))
    return "" if state in sound_states else state


def say_state(state: str, system: System | None) -> str:
    """Format a state in words: `combat ineffective`.

    A state of several flags names each: `shaken and wounded`.
    """
    flags = system.words["units"].states.get(state, ()) if system is not None else ()
    return " and ".join(map(format_word, flags)) if len(flags) > 1 else format_word(state)


def list_conditions(unit: RosterUnit, system: System | None) -> tuple[str, ...]:
    """Return the unit's state, reduced side, wounds and losses in words, () if it is sound."""
    state = describe_state(unit, system)
    conditions = list[str]()
    if state:
        conditions.append(say_state(state, system))
    if unit.turned and REDUCED not in state and not is_lost(unit, system):
        conditions.append(REDUCED)
    for key in get_loss_keys(system):
        losses = unit.numbers.get(key)
        if losses:
            count = sum(losses) if isinstance(losses, tuple | list) else losses
            conditions.append(format_loss(key, count, system))
    return tuple(conditions)


def describe_condition(unit: RosterUnit, system: System | None) -> str:
    """Return the conditions and markers of a unit in one text, "" if it has none.

    For example: `suppressed, wounded twice, jammed or out of ammo`.
    """
    has_losses = any(map(unit.numbers.get, get_loss_keys(system)))
    if not (unit.state or unit.marks or unit.turned or has_losses):
        return ""
    return ", ".join((*list_conditions(unit, system), *list_marks(unit, system)))


def describe_for_menu(unit: RosterUnit, system: System | None) -> str:
    """Return the text of a unit in a menu: its type and its condition."""
    return " · ".join(filter(None, (unit.type, describe_condition(unit, system))))


def list_marks(
    unit: RosterUnit, system: System | None, marks: Collection[str] | None = None
) -> tuple[str, ...]:
    """Return the markers of a unit in words: all, or only `marks`."""
    sorted_marks = sorted(unit.marks if marks is None else marks)
    return tuple(format_token(mark, system) for mark in sorted_marks if mark != unit.state)


def list_lasting_marks(system: System | None) -> frozenset[str]:
    """Return the markers that describe a unit's condition for long, as a state does.

    These are the markers of lost strength. If the phases of the game clear markers, those that no
    phase clears are among them too. Return none without a system.
    """
    if system is None:
        return frozenset()
    units = system.game["units"]
    lasting = set(units.get("hurt") or ())
    cleared = {
        mark for phase in system.game.get("phases") or () for mark in phase.get("clears") or ()
    }
    if cleared:
        lasting |= set(units.get("markers") or ()) - cleared
    return frozenset(lasting)


def get_loss_keys(system: System | None) -> tuple[str, ...]:
    """Return the keys of the numbers that count losses, such as wounds and casualties."""
    return system.loss_keys if system is not None else ()


def format_loss(key: str, count: int, system: System | None) -> str:
    """Format a loss: `1 casualty`, or in the game's own words, `wounded twice`."""
    nouns = format_word(key)
    noun = format_singular(nouns) if count == 1 else nouns
    return format_token(f"{count} {noun}", system)


def format_word(word: object) -> str:
    """Format a token of the game as words, without hyphens and underscores."""
    return str(word).replace("-", " ").replace("_", " ")


def _format_number(value: Any) -> str:
    """Format a number or word of a unit as printed on its counter.

    Several numbers are `3/2`. A word that ends in a digit is in capitals, `b11` as `B11`. In any
    other word, blanks replace hyphens and underscores.
    """
    if isinstance(value, tuple | list):
        return "/".join(map(str, value))
    text = str(value)
    return text.upper() if text[-1:].isdigit() and "-" not in text else format_word(text)


def split_reduced_stats(text: str) -> tuple[str, str | None]:
    """Split typed numbers into those of the full side and those of the reduced side.

    For example: `morale=5 fp=2 reduced: morale=4 fp=1`. The second is None if not given.
    """
    pieces = _REDUCED.split(text, maxsplit=1)
    return pieces[0], (pieces[1] if len(pieces) > 1 else None)


def set_reduced_side(unit: RosterUnit, text: str, words: UnitWords) -> RosterUnit:
    """Return the unit with the reduced side of `text`: `half-squad morale=4 fp=1`.

    `none` removes the reduced side. Raise UserError for text that is neither.
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
            message = f'A reduced side has no "{word[:40]}".'
            hint = "It has a unit type and numbers: half-squad morale=4 fp=1."
            raise UserError(message, hint=hint, option="stats", code="unknown-attribute")
    return replace(unit, back=Back(kind if kind != unit.type else "", numbers))


def turn_over(unit: RosterUnit) -> RosterUnit:
    """Return the unit with its other side up, or the same unit if it has no other side."""
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
    """Return the unit with its counter turned over, as a player does by hand.

    If the game has a state for reduced units, it is added or removed, unless the other side has
    another type. Raise UserError for a unit without another side.
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


def turn_to_fitting_side(old_unit: RosterUnit, unit: RosterUnit, words: UnitWords) -> RosterUnit:
    """Return `unit` with the side up that fits its type and state.

    A player changed `old_unit` into `unit` by hand. The counter is turned over if the unit now has
    the type of its other side, or if its state became or ceased to be one of reduced units and the
    side that is up does not show that. Numbers that the player changed are kept.
    """
    if unit.back is None or unit.turned != old_unit.turned:
        return unit
    has_type_of_back = unit.type != old_unit.type and unit.type == unit.back.type
    was_reduced = old_unit.state in words.reduced_states
    is_reduced = unit.state in words.reduced_states
    needs_turn_for_state = is_reduced != was_reduced and is_reduced != unit.turned
    if not (has_type_of_back or needs_turn_for_state):
        return unit
    turned = turn_over(replace(unit, type=old_unit.type))
    typed = {
        key: value for key, value in unit.numbers.items() if old_unit.numbers.get(key) != value
    }
    return replace(turned, numbers={**turned.numbers, **typed})
