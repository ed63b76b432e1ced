"""Roster rules: names, handles, numbers and markers as typed, and what a result makes of a unit."""

import re
from collections.abc import Iterable
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
from bot.rules.copies import replace
from bot.rules.errors import UserError, did_you_mean, suggest_names, with_sign_of
from bot.rules.inputs.options import Option, clean
from bot.rules.inputs.units import Roster, RosterUnit, UnitWords, join_pairs, parse_value
from bot.rules.sequence.sequence import Change, Joining
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

# states of units that stay in the roster, hidden from lists
from bot.rulesets.catalog import (
    GONE as GONE,
)
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import System

MAX_NAME = 32
MAX_ROSTER = 500
RESERVED = ("none", "all", "self")
"""Words that stand for something else where a unit is named."""
_MEANS = re.compile(r"(side:|hex:|[-+#@/])\s*", re.IGNORECASE)
"""How a word begins that picks units or says something of them: `side:US`, `-shaken`, `#5`."""
_LAST_NUMBER = re.compile(r"(?<!\d)\d+$")
_NAME = Option("name", "str")


def has_left_fight(unit: RosterUnit) -> bool:
    """Return whether the unit has left the fight."""
    return unit.state in GONE


def is_of_game(game: Game, system: str) -> bool:
    """Return whether a system's results belong to the game's units: it is the game's own, or free
    play has no units yet.
    """
    if not system or game.system in ("", system) or is_open(game):
        return True
    played = get_systems().get(system)
    return played is not None and played.home == game.system


def is_open(game: Game) -> bool:
    """Return whether the next system used becomes the game's: free play without units goes with its
    players.
    """
    return not game.started and not game.units


def get_system_roster(game: Game, system: str) -> Roster:
    """The roster that a command of a system may name units of: the game's own system's, else
    none.
    """
    return build_roster(game) if is_of_game(game, system) else {}


def get_hex(unit: RosterUnit) -> str:
    """Where a unit is, if the roster says so."""
    return str(unit.numbers.get("hex") or "")


def count_units(count: int) -> str:
    """`1 unit`, `3 units`."""
    return format_count(count, "unit")


def sort_units(units: Iterable[RosterUnit]) -> list[RosterUnit]:
    """Units by side, then in the order of their handles."""
    return sorted(
        units,
        key=lambda unit: (unit.side.casefold(), handle_number(unit.handle), unit.name.casefold()),
    )


def check_name(raw: str, units: Units, words: UnitWords) -> str:
    """A name as the roster keeps it. Raises UserError for one that is taken, too long, or would
    be misread.
    """
    name = normalize_name(str(clean(_NAME, normalize_text(raw))))
    folded = plain_signs(name).casefold()
    key = comparison_key(name)
    problem = ""
    is_name = folded in units or any(comparison_key(unit.name) == key for unit in units.values())
    taken = is_name or any(unit.handle == key for unit in units.values())
    if not name or len(name) > MAX_NAME:
        problem = f"must have 1 to {MAX_NAME} characters"
    elif set(folded) & set(';,="“”„') or key.startswith("'"):
        problem = "must not contain ; , = or quotation marks"
    elif _MEANS.match(folded):
        problem = f'has a meaning of its own in lists; "{_MEANS.sub("", name).strip() or "Squad"}" would do'
    elif key.replace("_", "-") in words.types:
        problem = "is a unit type"
    elif key in RESERVED:
        problem = f'has a meaning of its own; "{name} 1" would do'
    elif name.isdecimal():
        problem = "is a number, which would be read as a count of units"
    elif is_name:
        problem = "is taken"
    elif taken:
        problem = "is the handle of another unit"
    if problem:
        raise UserError(
            f'The name "{name[:40]}" {problem}.',
            option="name",
            code="name-taken" if taken else "bad-name",
        )
    return name


def create_handle(side: str, units: Units, taken: Iterable[str] = ()) -> str:
    """A short handle such as `us3`: letters of the side and the next free number."""
    prefix = re.sub(r"[^a-z0-9]", "", ascii_letters(side))[:4] or "u"
    if prefix[-1].isdigit():
        prefix += "x"
    used = {unit.handle for unit in units.values()} | set(units) | set(taken)
    highest = max(
        (handle_number(handle) for handle in used if re.fullmatch(prefix + r"\d+", handle)),
        default=0,
    )
    number = highest + 1
    while f"{prefix}{number}" in used:
        number += 1
    return f"{prefix}{number}"


def find_type(raw: str, words: UnitWords) -> str:
    """A unit type of the game. Raises UserError with the nearest one."""
    folded = word_key(raw).replace(" ", "-")
    if folded in words.types:
        return folded
    hint = did_you_mean(folded, words.types) or f"Types are {', '.join(words.types)}."
    raise UserError(
        f'"{raw[:40]}" is not a unit type.', hint=hint, option="type", code="unknown-type"
    )


def edit_unit(unit: RosterUnit, text: str, system: System) -> RosterUnit:
    """The unit with `morale=5 state=shaken marker=+moved -fired reduced: morale=4` applied.

    `key=none` takes a number away, `marker=-x` or `-x` a marker or flag, `flip` turns it over. A
    type or state of its reduced side turns it, too. Raises UserError naming the word at fault.
    """
    was = unit
    words = system.words["units"]
    front, reduced = split_reduced_stats(text)
    if reduced is not None:
        was = unit = set_reduced_side(unit, reduced, words)
    pieces = [word for piece in front.split() if (word := piece.strip(","))]
    for word in join_pairs(pieces, words):
        unit = flip(unit, words) if word.casefold() == FLIP else _set_word(unit, word, system)
    return turn_to_fitting_side(was, unit, words)


def _set_word(unit: RosterUnit, word: str, system: System) -> RosterUnit:
    words = system.words["units"]
    typed_key, equals, value = split_word(word)
    key = typed_key.casefold()
    if key == "state" and equals:
        state = str(clean(Option("state", "enum", values=_list_states(system)), value))
        return replace(unit, state=state, marks=unit.marks - words.states_as_markers)
    if key in ("marker", "markers", "flag") and equals:
        for piece in value.split(","):
            unit = _mark(unit, piece, system)
        return unit
    if key == "type" and equals:
        return replace(unit, type=find_type(value, words))
    if equals and key == "half" and unit.type in words.reduced:
        fp, _, morale = value.partition("/")
        return set_reduced_side(unit, f"fp={fp} morale={morale}" if morale else value, words)
    if equals and key in words.keys:
        numbers = {name: number for name, number in unit.numbers.items() if name != key}
        option = words.keys[key]
        if plain_signs(value[:1]) in ("+", "-") and option.type == "int" and (option.min or 0) >= 0:
            # so many more or fewer
            more = int(clean(Option("number", "int", min=-99, max=99), value))
            numbers[key] = parse_value(
                option, str(max(int(option.min or 0), int(unit.numbers.get(key, 0)) + more))
            )
        elif value.casefold() not in ("", "none"):
            numbers[key] = parse_value(option, value)
        return replace(unit, numbers=numbers)
    if not equals:
        return _mark(unit, word, system)
    known = [*words.keys, "state", "marker"]
    named = [name for name, option in words.keys.items() if _is_called(option, key)]
    hint = suggest_names(key, named) or did_you_mean(key, known) or f"It may be {', '.join(known)}."
    raise UserError(
        f'A unit has no "{key[:40]}".', hint=hint, option="stats", code="unknown-attribute"
    )


def split_word(word: str) -> tuple[str, str, str]:
    """Return the key of `morale=5`, its equals sign and its value; a sign of full width counts."""
    position = plain_signs(word).find("=")
    if position < 0:
        return plain_signs(word), "", ""
    return plain_signs(word[:position]), "=", word[position + 1 :]


def _mark(unit: RosterUnit, raw: str, system: System) -> RosterUnit:
    """The unit with a marker, a flag or a state put on (`moved`, `+shaken`) or taken off
    (`-moved`).
    """
    plain = normalize_value(raw)
    sign, name = (plain[0], plain[1:]) if plain[:1] in "+-" and plain else ("+", plain)
    folded = comparison_key(name)
    words = system.words["units"]
    states = _list_states(system)
    markers = tuple(system.game["units"].get("markers") or ())
    if (state := folded.replace("_", "-")) in states:
        now = words.get_state(unit)
        change = words.join_states if sign == "+" else words.remove_state
        marks = unit.marks - words.states_as_markers
        if state in markers:
            marks = marks | {state} if sign == "+" else marks - {state}
        return replace(unit, state=change(now, state), marks=marks)
    of_flag = {flag: marker for marker, flag in words.marks.items()}
    for mark in (folded, folded.replace("_", "-"), folded.replace("-", "_")):
        if mark in markers or mark in words.flags:
            marker = of_flag.get(mark, mark)  # what a phase takes off is the marker
            marks = unit.marks | {marker} if sign == "+" else unit.marks - {marker, mark}
            return replace(unit, marks=frozenset(marks))
    raise _unknown_mark(raw, plain, [*states, *markers, *words.flags])


def _unknown_mark(raw: str, plain: str, known: list[str]) -> UserError:
    """Return the error for an unknown marker. What it suggests keeps the sign that was typed: the
    opposite must not be offered.
    """
    name = plain.lstrip("+-")
    hint = did_you_mean(comparison_key(name), known)
    if plain != name:
        hint = with_sign_of(raw, hint)
    return UserError(
        f'There is no marker "{name[:40]}".',
        hint=hint or f"Markers are {', '.join(dict.fromkeys(known))}.",
        option="stats",
        code="unknown-marker",
    )


def is_stat(word: str, system: System) -> bool:
    """Return whether a bare word names a state, marker or flag of the game's units."""
    folded = word_key(word)
    units = system.game["units"]
    known = (*_list_states(system), *(units.get("markers") or ()), *system.words["units"].flags)
    return folded in (name.replace("_", "-") for name in known)


def _list_states(system: System) -> tuple[str, ...]:
    return tuple(system.game["units"].get("states") or ())


def create_unit(
    name: str,
    type_: str,
    side: str,
    stats: str,
    system: System,
    units: Units,
    taken: Iterable[str] = (),
    *,
    started: bool = False,
) -> RosterUnit:
    """A unit as it is added; in a game that was `started` with the numbers that its type begins
    with. Raises UserError for a name, type or number that does not fit.
    """
    words = system.words["units"]
    checked = check_name(name, units, words)
    handle = create_handle(side, units, (*taken, checked.casefold()))
    unit = RosterUnit(checked, handle, find_type(type_, words), side)
    unit = add_starting_numbers(unit, system) if started else unit
    return edit_unit(unit, stats, system)


def add_starting_numbers(unit: RosterUnit, system: System) -> RosterUnit:
    """Return the unit with the numbers that its type begins a game with and that it lacks."""
    starts = system.game["units"].get("starts") or {}
    missing = {
        key: by_type[unit.type]
        for key, by_type in starts.items()
        if unit.type in by_type and key not in unit.numbers
    }
    return replace(unit, numbers={**unit.numbers, **missing}) if missing else unit


def add_units(game: Game, new: Iterable[RosterUnit]) -> Game:
    """The game with further units. Raises UserError when the roster is full."""
    units = {**game.units, **{unit.name.casefold(): unit for unit in new}}
    check_roster_room(units)
    return replace(game, units=units)


def check_roster_room(units: Units) -> None:
    """Raise UserError for more units than a roster holds."""
    if len(units) > MAX_ROSTER:
        raise UserError(f"A roster holds at most {MAX_ROSTER} units.", code="too-many")


def find_units_by_name(game: Game, names: Iterable[str]) -> list[RosterUnit]:
    """The game's units with these names; those that it has not are left out."""
    return [unit for name in names if (unit := game.units.get(name.casefold())) is not None]


def apply_changes(game: Game, changes: Iterable[Change], system: System | None) -> Game:
    """The game, which is one of this system, after the results of a sequence were written to its
    units, in order.
    """
    units = dict(game.units)
    for change in changes:
        key = change.unit.casefold()
        if (unit := units.get(key)) is not None:
            states = (
                system.words["units"].states_as_markers
                if system is not None and "state" in change.set
                else frozenset()
            )
            units[key] = apply_change(unit, change, states)
    return replace(game, units=units)


def apply_change(
    unit: RosterUnit, change: Change, states: frozenset[str] = frozenset()
) -> RosterUnit:
    """The unit with the change. A new state takes the place of markers with the name of a state, as
    old rosters hold: of these `states`."""
    if change.turn and not unit.turned:
        unit = turn_over(unit)
    numbers: dict[str, Any] = dict(unit.numbers)
    own: dict[str, Any] = {}
    for key, value in change.set.items():
        if key in ("state", "type", "side"):
            own[key] = str(value)
        elif value is None or value == "":
            numbers.pop(key, None)
        else:
            numbers[key] = tuple(value) if isinstance(value, list | tuple) else value
    return replace(
        unit, numbers=numbers, marks=(unit.marks - change.unmark - states) | change.mark, **own
    )


def change_to_json(change: Change) -> Json:
    """The change of a unit as a sealed roll holds it."""
    plain: Json = {"unit": change.unit, "set": dict(change.set)}
    if change.mark:
        plain["mark"] = sorted(change.mark)
    if change.unmark:
        plain["unmark"] = sorted(change.unmark)
    if change.turn:
        plain["turn"] = True
    return plain


def change_from_json(data: Json) -> Change:
    """The change of a unit that was in a sealed roll."""
    mark, unmark = (frozenset(data.get(key, ())) for key in ("mark", "unmark"))
    return Change(data["unit"], data["set"], mark, unmark, turn=data.get("turn") is True)


def add_joining_units(game: Game, joins: Iterable[Joining]) -> Game:
    """The game with units that come into play, on the side of those beside whom they appear:
    Hero 1, Hero 2.
    """
    units = dict(game.units)
    for type_, beside, state, marks in joins:
        friend = units.get(beside.casefold())
        if friend is None or len(units) >= MAX_ROSTER:
            continue
        number = 1
        taken = {*units, *(unit.handle for unit in units.values())}
        while f"{type_} {number}" in taken:
            number += 1
        name = f"{type_[:1].upper()}{type_[1:]} {number}"
        handle = create_handle(friend.side, units)
        units[name.casefold()] = RosterUnit(
            name, handle, type_, friend.side, state=state, marks=marks
        )
    return replace(game, units=units)


def clear_marks(units: Units, words: Iterable[str]) -> dict[str, RosterUnit]:
    """The units from which a phase takes these markers and numbers away: only those that change."""
    gone = frozenset(words)
    return {
        key: replace(
            unit,
            marks=unit.marks - gone,
            numbers={name: number for name, number in unit.numbers.items() if name not in gone},
        )
        for key, unit in units.items()
        if unit.marks & gone or unit.numbers.keys() & gone
    }


def describe_unit(unit: RosterUnit) -> str:
    """A unit in one line, as it is typed: name, handle, type, numbers, state, markers."""
    return f"{unit.name} ({unit.handle}): {_describe_values(unit)}"


def _describe_values(unit: RosterUnit) -> str:
    pieces = [
        unit.type,
        *(f"{key}={format_typed_number(value)}" for key, value in unit.numbers.items()),
    ]
    pieces += [piece for piece in (unit.state, *sorted(unit.marks)) if piece]
    pieces += [f"({describe_other_side(unit)})"] if unit.back is not None else []
    return " ".join(pieces)


def describe_other_side(unit: RosterUnit) -> str:
    """The side of its counter that is down, in words: `reduced: half-squad morale=4 fp=1`;
    nothing without one.
    """
    if unit.back is None:
        return ""
    down = [
        unit.back.type,
        *(f"{key}={format_typed_number(value)}" for key, value in unit.back.numbers.items()),
    ]
    return f"{'full' if unit.turned else REDUCED}: {' '.join(filter(None, down))}".rstrip(": ")


def format_typed_number(value: Any) -> str:
    """A number of a unit as it is typed: several with commas between them."""
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def handle_number(handle: str) -> int:
    """Return the number at the end of a handle; 0 if it has none."""
    found = _LAST_NUMBER.search(handle)
    return int(found[0]) if found else 0


def _is_called(option: Option, word: str) -> bool:
    """Return whether a number of a unit has this word in its name for people: rating, for lr."""
    name = f"{option.label} {option.help}".casefold()
    return len(word) > 2 and word.casefold() in re.findall(r"[a-z]+", name.partition(";")[0])
