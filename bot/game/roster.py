"""Roster rules: names, handles, numbers and markers as typed, and the effect of results on units."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bot.game.counter_faces import (
    FLIP,
    REDUCED,
    flip,
    set_reduced_side,
    split_reduced_stats,
    turn_over,
    turn_to_fitting_side,
)
from bot.game.state import Game, Json, Units, build_roster
from bot.rules.errors import UserError, did_you_mean, suggest_names, with_sign_of
from bot.rules.inputs.options import Option, clean
from bot.rules.inputs.units import Roster, RosterUnit, UnitWords, join_pairs, parse_value
from bot.rules.sequence.sequence import Arrival, Change
from bot.rules.text.names import format_count
from bot.rules.text.normalize import (
    ascii_letters,
    comparison_key,
    normalize_name,
    normalize_text,
    normalize_value,
    plain_signs,
    word_key,
)
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System

MAX_NAME = 32
MAX_ROSTER = 500
RESERVED = ("none", "all", "self")
"""Words with another meaning in place of a unit's name."""
_MEANS = re.compile(r"(side:|hex:|[-+#@/])\s*", re.IGNORECASE)
"""Beginnings of words that select units or describe them: `side:US`, `-shaken`, `#5`."""
_LAST_NUMBER = re.compile(r"(?<!\d)\d+$")
_NAME = Option("name", "str")


def is_of_game(game: Game, system: System) -> bool:
    """Return whether a system's results belong to the game's units.

    They do if it is the game's own system or extends it, or in free play without units.
    """
    if game.system in ("", system.id) or is_open(game):
        return True
    return game.system == system.home


def is_id_of_game(game: Game, id: str, systems: RuleSets) -> bool:
    """Return whether the results of the system with this id belong to the game's units.

    See `is_of_game`. Those of dice without a system, with the id "", do.
    """
    if not id or game.system in ("", id) or is_open(game):
        return True
    return id in systems and is_of_game(game, systems[id])


def is_open(game: Game) -> bool:
    """Return whether the next system used becomes the game's, as in free play without units."""
    return not game.started and not game.units


def get_system_roster(game: Game, system: System) -> Roster:
    """Return the roster that a command of a system can name units of, {} for another game's system."""
    return build_roster(game) if is_of_game(game, system) else {}


def get_hex(unit: RosterUnit) -> str:
    """Return the hex of a unit, or "" if the roster does not have it."""
    return str(unit.numbers.get("hex") or "")


def count_units(count: int) -> str:
    """Format a number of units: `1 unit`, `3 units`."""
    return format_count(count, "unit")


def sort_units(units: Iterable[RosterUnit]) -> list[RosterUnit]:
    """Return the units sorted by side, then by the number of their handles."""
    return sorted(
        units,
        key=lambda unit: (unit.side.casefold(), handle_number(unit.handle), unit.name.casefold()),
    )


def check_name(raw: str, units: Units, words: UnitWords) -> str:
    """Return a typed name in the form that the roster keeps.

    Raise UserError for a name that is taken, too long, or would be misread.
    """
    name = normalize_name(str(clean(_NAME, normalize_text(raw))))
    folded = plain_signs(name).casefold()
    key = comparison_key(name)
    is_name = folded in units or any(comparison_key(unit.name) == key for unit in units.values())
    is_handle = any(unit.handle == key for unit in units.values())
    problem = _find_spelling_problem(name, folded, key, words)
    if not problem and is_name:
        problem = "is taken"
    elif not problem and is_handle:
        problem = "is the handle of another unit"
    if problem:
        raise UserError(
            f'The name "{name[:40]}" {problem}.',
            option="name",
            code="name-taken" if is_name or is_handle else "bad-name",
        )
    return name


def _find_spelling_problem(name: str, folded: str, key: str, words: UnitWords) -> str:
    """Return why no unit may have this name, as the end of a sentence, or ""."""
    if not name or len(name) > MAX_NAME:
        return f"must have 1 to {MAX_NAME} characters"
    if set(folded) & set(';,="“”„') or key.startswith("'"):
        return "must not contain ; , = or quotation marks"
    if _MEANS.match(folded):
        suggestion = _MEANS.sub("", name).strip() or "Squad"
        return f'means something else in lists; try "{suggestion}"'
    if key.replace("_", "-") in words.types:
        return "is a unit type"
    if key in RESERVED:
        return f'means something else; try "{name} 1"'
    if name.isdecimal():
        return "is a number, which would be read as a count of units"
    return ""


def create_handle(side: str, units: Units, reserved: Iterable[str] = ()) -> str:
    """Create a short handle such as `us3`: letters of the side and the next free number."""
    prefix = re.sub(r"[^a-z0-9]", "", ascii_letters(side))[:4] or "u"
    if prefix[-1].isdigit():
        prefix += "x"
    used = {unit.handle for unit in units.values()} | set(units) | set(reserved)
    highest = max(
        (handle_number(handle) for handle in used if re.fullmatch(prefix + r"\d+", handle)),
        default=0,
    )
    number = highest + 1
    while f"{prefix}{number}" in used:
        number += 1
    return f"{prefix}{number}"


def find_type(raw: str, words: UnitWords) -> str:
    """Return the unit type of the game that was typed. Raise UserError with the nearest type."""
    folded = word_key(raw).replace(" ", "-")
    if folded in words.types:
        return folded
    hint = did_you_mean(folded, words.types) or f"Types are {', '.join(words.types)}."
    raise UserError(
        f'"{raw[:40]}" is not a unit type.', hint=hint, option="type", code="unknown-type"
    )


def edit_unit(unit: RosterUnit, text: str, system: System) -> RosterUnit:
    """Return the unit with `morale=5 state=shaken marker=+moved -fired reduced: morale=4` applied.

    `key=none` removes a number, `marker=-x` or `-x` a marker or flag, `flip` turns the unit over.
    A type or state of its reduced side turns it, too. Raise UserError naming the word at fault.
    """
    words = system.words["units"]
    front, reduced = split_reduced_stats(text)
    if reduced is not None:
        unit = set_reduced_side(unit, reduced, words)
    unit_before = unit
    pieces = [piece.strip(",") for piece in front.split()]
    for word in join_pairs([piece for piece in pieces if piece], words):
        if word.casefold() == FLIP:
            unit = flip(unit, words)
        else:
            unit = _set_word(unit, word, system)
    return turn_to_fitting_side(unit_before, unit, words)


def _set_word(unit: RosterUnit, word: str, system: System) -> RosterUnit:
    """Return the unit with one typed word applied.

    The word is a marker, flag or state (`+moved`, `-moved`, `shaken`), a number (`morale=5`,
    `fp=+1`), or a value of `state=`, `marker=`, `type=` or `half=`, the reduced side as FP/morale.
    Raise UserError for an unknown word or a value that does not fit.
    """
    words = system.words["units"]
    typed_key, equals, value = split_word(word)
    key = typed_key.casefold()
    if not equals:
        return _mark(unit, word, system)
    if key == "state":
        state = str(clean(Option("state", "enum", values=_list_states(system)), value))
        return replace(unit, state=state, marks=unit.marks - words.states_as_markers)
    if key in ("marker", "markers", "flag"):
        for piece in value.split(","):
            unit = _mark(unit, piece, system)
        return unit
    if key == "type":
        return replace(unit, type=find_type(value, words))
    if key == "half" and unit.type in words.reduced:
        fp, _, morale = value.partition("/")
        return set_reduced_side(unit, f"fp={fp} morale={morale}" if morale else value, words)
    if key in words.keys:
        return _set_number(unit, key, value, words.keys[key])
    raise _make_unknown_key_error(key, words)


def _set_number(unit: RosterUnit, key: str, value: str, option: Option) -> RosterUnit:
    """Return the unit with a number set, changed by `+2` or `-1`, or removed by `none`."""
    numbers = {name: number for name, number in unit.numbers.items() if name != key}
    minimum = option.min or 0
    is_change = plain_signs(value[:1]) in ("+", "-") and option.type == "int" and minimum >= 0
    if is_change:
        change = int(clean(Option("number", "int", min=-99, max=99), value))
        new_number = max(int(minimum), int(unit.numbers.get(key, 0)) + change)
        numbers[key] = parse_value(option, str(new_number))
    elif value.casefold() not in ("", "none"):
        numbers[key] = parse_value(option, value)
    return replace(unit, numbers=numbers)


def _make_unknown_key_error(key: str, words: UnitWords) -> UserError:
    """Build the error for a number that units do not have, with the nearest names."""
    keys = [*words.keys, "state", "marker"]
    matches = [name for name, option in words.keys.items() if _is_called(option, key)]
    nearest = suggest_names(key, matches) or did_you_mean(key, keys)
    hint = nearest or f"They can have {', '.join(keys)}."
    return UserError(
        f'Units have no "{key[:40]}".', hint=hint, option="stats", code="unknown-attribute"
    )


def split_word(word: str) -> tuple[str, str, str]:
    """Split `morale=5` into key, equals sign and value. A sign of full width counts too."""
    position = plain_signs(word).find("=")
    if position < 0:
        return plain_signs(word), "", ""
    return plain_signs(word[:position]), "=", word[position + 1 :]


def _mark(unit: RosterUnit, raw: str, system: System) -> RosterUnit:
    """Return the unit with a marker, flag or state added (`moved`, `+shaken`) or removed (`-moved`).

    Raise UserError for an unknown one.
    """
    plain = normalize_value(raw)
    is_signed = plain[:1] in ("+", "-")
    is_added = not plain.startswith("-")
    folded = comparison_key(plain[1:] if is_signed else plain)
    words = system.words["units"]
    states = _list_states(system)
    markers = tuple(system.game["units"].get("markers") or ())
    state = folded.replace("_", "-")
    if state in states:
        change = words.join_states if is_added else words.remove_state
        marks = unit.marks - words.states_as_markers
        if state in markers:
            marks = marks | {state} if is_added else marks - {state}
        return replace(unit, state=change(words.get_state(unit), state), marks=marks)
    marker_of_flag = {flag: marker for marker, flag in words.marks.items()}
    for mark in (folded, folded.replace("_", "-"), folded.replace("-", "_")):
        if mark in markers or mark in words.flags:
            marker = marker_of_flag.get(mark, mark)  # a phase removes the marker, not the flag
            marks = unit.marks | {marker} if is_added else unit.marks - {marker, mark}
            return replace(unit, marks=frozenset(marks))
    raise _unknown_mark(raw, plain, [*states, *markers, *words.flags])


def _unknown_mark(raw: str, plain: str, markers: list[str]) -> UserError:
    """Build the error for an unknown marker.

    Its suggestion keeps the typed sign, so that it never offers the opposite.
    """
    name = plain.lstrip("+-")
    hint = did_you_mean(comparison_key(name), markers)
    if plain != name:
        hint = with_sign_of(raw, hint)
    listed_markers = dict.fromkeys(marker.replace("_", "-") for marker in markers)
    return UserError(
        f'There is no marker "{name[:40]}".',
        hint=hint or f"States and markers are {', '.join(listed_markers)}.",
        option="stats",
        code="unknown-marker",
    )


def is_stat(word: str, system: System) -> bool:
    """Return whether a bare word names a state, marker or flag of the game's units."""
    folded = word_key(word)
    units = system.game["units"]
    stats = (*_list_states(system), *(units.get("markers") or ()), *system.words["units"].flags)
    return folded in (name.replace("_", "-") for name in stats)


def _list_states(system: System) -> tuple[str, ...]:
    return tuple(system.game["units"].get("states") or ())


def create_unit(
    name: str,
    type_: str,
    side: str,
    stats: str,
    system: System,
    units: Units,
    reserved: Iterable[str] = (),
    *,
    started: bool = False,
) -> RosterUnit:
    """Create a unit for the roster.

    In a game that has `started`, the unit has the starting numbers of its type. Raise UserError for
    a name, type or number that does not fit.
    """
    words = system.words["units"]
    checked = check_name(name, units, words)
    handle = create_handle(side, units, (*reserved, checked.casefold()))
    unit = RosterUnit(checked, handle, find_type(type_, words), side)
    unit = add_starting_numbers(unit, system) if started else unit
    return edit_unit(unit, stats, system)


def add_starting_numbers(unit: RosterUnit, system: System) -> RosterUnit:
    """Return the unit with the starting numbers of its type that it lacks."""
    starts = system.game["units"].get("starts") or {}
    missing = {
        key: by_type[unit.type]
        for key, by_type in starts.items()
        if unit.type in by_type and key not in unit.numbers
    }
    return replace(unit, numbers={**unit.numbers, **missing}) if missing else unit


def add_units(game: Game, new_units: Iterable[RosterUnit]) -> Game:
    """Return the game with further units. Raise UserError if the roster is full."""
    units = {**game.units, **{unit.name.casefold(): unit for unit in new_units}}
    check_roster_room(units)
    return replace(game, units=units)


def check_roster_room(units: Units) -> None:
    """Raise UserError for more units than a roster holds."""
    if len(units) > MAX_ROSTER:
        raise UserError(f"A roster can have at most {MAX_ROSTER} units.", code="too-many")


def find_units_by_name(game: Game, names: Iterable[str]) -> list[RosterUnit]:
    """Return the game's units with these names. Unknown names are left out."""
    units = (game.units.get(name.casefold()) for name in names)
    return [unit for unit in units if unit is not None]


def apply_changes(game: Game, changes: Iterable[Change], system: System | None) -> Game:
    """Return the game with the changes from a sequence applied to its units, in order.

    Changes of units that are not in the game are left out. `system` is the game's own.
    """
    units = dict(game.units)
    for change in changes:
        key = change.unit.casefold()
        unit = units.get(key)
        if unit is None:
            continue
        states = frozenset[str]()
        if system is not None and "state" in change.set:
            states = system.words["units"].states_as_markers
        units[key] = apply_change(unit, change, states)
    return replace(game, units=units)


def apply_change(
    unit: RosterUnit, change: Change, states: frozenset[str] = frozenset()
) -> RosterUnit:
    """Return the unit with the change applied.

    An empty value removes a number. A new state replaces markers that have the name of one of
    `states`, as in old rosters.
    """
    if change.turn and not unit.turned:
        unit = turn_over(unit)
    numbers: dict[str, Any] = dict(unit.numbers)
    fields: dict[str, Any] = {}
    for key, value in change.set.items():
        if key in ("state", "type", "side"):
            fields[key] = str(value)
        elif value is None or value == "":
            numbers.pop(key, None)
        else:
            numbers[key] = tuple(value) if isinstance(value, list | tuple) else value
    return replace(
        unit, numbers=numbers, marks=(unit.marks - change.unmark - states) | change.mark, **fields
    )


def change_to_json(change: Change) -> Json:
    """Return a unit's change in the form that a sealed roll holds."""
    plain: Json = {"unit": change.unit, "set": dict(change.set)}
    if change.mark:
        plain["mark"] = sorted(change.mark)
    if change.unmark:
        plain["unmark"] = sorted(change.unmark)
    if change.turn:
        plain["turn"] = True
    return plain


def change_from_json(data: Json) -> Change:
    """Return a unit's change from a sealed roll."""
    mark, unmark = (frozenset(data.get(key, ())) for key in ("mark", "unmark"))
    return Change(data["unit"], data["set"], mark, unmark, turn=data.get("turn") is True)


def add_joining_units(game: Game, arrivals: Iterable[Arrival]) -> Game:
    """Return the game with the units that come into play: Hero 1, Hero 2.

    Each joins the side of the unit that it appears with. A unit is left out if that unit is not in
    the game, or if the roster is full.
    """
    units = dict(game.units)
    for type_, friend_name, state, marks in arrivals:
        friend = units.get(friend_name.casefold())
        if friend is None or len(units) >= MAX_ROSTER:
            continue
        number = 1
        used_names = {*units, *(unit.handle for unit in units.values())}
        while f"{type_} {number}" in used_names:
            number += 1
        name = f"{type_[:1].upper()}{type_[1:]} {number}"
        handle = create_handle(friend.side, units)
        units[name.casefold()] = RosterUnit(
            name, handle, type_, friend.side, state=state, marks=marks
        )
    return replace(game, units=units)


def clear_marks(units: Units, words: Iterable[str]) -> dict[str, RosterUnit]:
    """Remove markers and numbers, by their names in `words`, as a phase does.

    Return only the units that had one of them, changed, by their keys.
    """
    removed = frozenset(words)
    changed: dict[str, RosterUnit] = {}
    for key, unit in units.items():
        if unit.marks & removed or unit.numbers.keys() & removed:
            numbers = {name: number for name, number in unit.numbers.items() if name not in removed}
            changed[key] = replace(unit, marks=unit.marks - removed, numbers=numbers)
    return changed


def describe_unit(unit: RosterUnit) -> str:
    """Describe a unit in one line, as it is typed: name, handle, type, numbers, state, markers."""
    return f"{unit.name} ({unit.handle}): {_describe_values(unit)}"


def _describe_values(unit: RosterUnit) -> str:
    """Return the type, numbers, state, markers and other side of a unit, as they are typed."""
    pieces = [
        unit.type,
        *(f"{key}={format_typed_number(value)}" for key, value in unit.numbers.items()),
    ]
    pieces += [piece for piece in (unit.state, *sorted(unit.marks)) if piece]
    pieces += [f"({describe_other_side(unit)})"] if unit.back is not None else []
    return " ".join(pieces)


def describe_other_side(unit: RosterUnit) -> str:
    """Describe the hidden side of a unit's counter: `reduced: half-squad morale=4 fp=1`.

    Return "" if it has none.
    """
    if unit.back is None:
        return ""
    words = [
        unit.back.type,
        *(f"{key}={format_typed_number(value)}" for key, value in unit.back.numbers.items()),
    ]
    return f"{'full' if unit.turned else REDUCED}: {' '.join(filter(None, words))}".rstrip(": ")


def format_typed_number(value: Any) -> str:
    """Format a number of a unit as it is typed, several with commas."""
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def handle_number(handle: str) -> int:
    """Return the number at the end of a handle, 0 if it has none."""
    match = _LAST_NUMBER.search(handle)
    return int(match[0]) if match else 0


def _is_called(option: Option, word: str) -> bool:
    """Return whether a word is in the label or help of a number: rating, for lr."""
    name = f"{option.label} {option.help}".casefold()
    return len(word) > 2 and word.casefold() in re.findall(r"[a-z]+", name.partition(";")[0])
