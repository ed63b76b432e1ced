"""What nobody typed: what a listed unit lends to those beside it, what optional rules set, what was
typed before.

The card's modifier stays an option: the event holds its number, as if it had been typed, so the log
is played again whatever the roster says by then. What was only lent is left out again wherever the
inputs are used once more.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

from bot.game.decks import build_pile_inputs
from bot.game.events import UNIT, get_event_system
from bot.game.game_cache import LoadedGame
from bot.game.phases import get_phase
from bot.game.roster import is_of_game
from bot.game.state import Game, Json, unit_from_json
from bot.game.tracks import build_track_inputs, find_track_side
from bot.presentation.multi_unit_play import list_units_played_singly
from bot.presentation.run_sequence import EXTRA, list_acting_units, list_named_units
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK
from bot.rules.inputs.loadout import count_carried_weapons
from bot.rules.inputs.options import TURN, Option, is_left_out, split_words
from bot.rules.inputs.relations import list_link_names
from bot.rules.inputs.units import (
    Roster,
    RosterUnit,
    Unit,
    index_by_name,
    parse_units,
    split_items,
)
from bot.rules.sequence.linked_units import list_linked_names
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import join_names
from bot.rules.text.normalize import comparison_key, normalize_name
from bot.rulesets.catalog import list_lost_states
from bot.rulesets.optional_rules import OptionalRule
from bot.rulesets.system import Sequence, System
from bot.storage.store import Store
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec, Path

CARRIED, RIDERS, ACQUIRED = "carried", "riders", "acquired"
"""In what an option is lent by: a weapon, of which the unit's loadout says how many it has; the
option whose vehicles have riders on the roster (`in=`); the option with those who are shot at,
where the firer has acquired one of them."""
HOLDER, HELD = "holder", "held"
"""In what an option is lent by: the attribute with the names of what a unit has, of the unit that
has the one of another option; and of that unit, for a unit that is named in it."""
INSIDE = "inside"
OWN, OTHERS = "own ", "*"
"""In the phases that fill in an option: before a phase in the turn of the side that acts, and for
all phases that are not named."""

WORD = "word"
"""In what an option is lent by, where its word is the type of those who act."""


class DerivedInput(NamedTuple):
    """The option that was filled in, its value, and by what: the unit that lends, or the title
    of an optional rule or of the phase.
    """

    by: str
    option: str
    value: Any
    is_phase: bool = False


def derive_inputs_from_units(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> tuple[DerivedInput, ...]:
    """What roster units among these inputs lend; nothing where it was typed, or where a unit
    would only help itself.
    """
    found = (
        _derive_input_from_units(sequence, option, options, roster)
        for option in sequence.inputs
        if is_derived_from_units(option) and (roster or WORD in option.lends)
    )
    return tuple(loan for loan in found if loan is not None)


def is_derived_from_units(option: Option) -> bool:
    """Return whether units among the inputs fill in the option before it is read.

    What a leader of their squad lends is read with the inputs and is not one of them.
    """
    return bool(option.lends) and "through" not in option.lends


def add_derived_inputs(
    options: Mapping[str, object], filled: Iterable[DerivedInput]
) -> dict[str, object]:
    """The options with what is filled in."""
    return {**options, **{one.option: one.value for one in filled}}


def remove_derived_inputs(event: Mapping[str, Any]) -> dict[str, object]:
    """The inputs of an event without what its units only lent: with other units, others lend.

    What a phase may fill in is left out too: the next roll is in the phase that the game is in then.
    """
    inputs = dict(event.get("inputs") or {})
    system = get_event_system(event)
    sequence = system.sequences.get(event.get("target") or "") if system is not None else None
    if sequence is None:
        return inputs
    by_phases = [option.name for option in sequence.inputs if option.phases]
    inputs = {name: value for name, value in inputs.items() if name not in by_phases}
    names = [option.name for option in sequence.inputs if is_derived_from_units(option)]
    if not any(name in inputs for name in names):
        return inputs
    roster = index_by_name(unit_from_json(unit) for unit in event.get("used") or ())
    bare = {name: value for name, value in inputs.items() if name not in names}
    own = {
        loan.option
        for loan in derive_inputs_from_units(sequence, bare, roster)
        if str(inputs.get(loan.option)) == str(loan.value)
    }
    return {name: value for name, value in inputs.items() if name not in own}


def name_lending_units(reply: Reply, lent: tuple[DerivedInput, ...], sequence: Sequence) -> Reply:
    """The answer with the lender's name at the modifier that is lent."""
    lends = {option.name: option.lends for option in sequence.inputs}
    for loan in lent:
        reply = _name_lending_unit(reply, loan, lends[loan.option])
    return reply


def format_lent_inputs(sequence: Sequence, lent: Iterable[DerivedInput]) -> str:
    """Return what units lend, for an answer without lines: `From Lt Hill: + 1 leader.`"""
    lends = {option.name: option.lends for option in sequence.inputs}
    sentences = list[str]()
    for loan in lent:
        how = lends[loan.option]
        if "says" in how and loan.by != loan.value:
            sentences.append(how["says"].format(loan.by, loan.value))
        elif how.get("type") and isinstance(loan.value, int):
            sentences.append(f"From {loan.by}: {loan.value:+d} {how['type']}.".replace("+", "+ "))
    return " ".join(sentences)


def _name_lending_unit(reply: Reply, loan: DerivedInput, lends: Mapping[str, str]) -> Reply:
    """Return the answer with one loan named: in a sentence, or at its modifier."""
    if "says" in lends and loan.by != loan.value:
        sentence = Small(lends["says"].format(loan.by, loan.value))
        return replace(reply, lines=(*reply.lines, sentence))
    word = lends.get("type", "")
    if not word:  # no part of a line is called by the lender
        return reply
    lines = [
        _rename_line_part(part, word, loan) if isinstance(part, Line) else part
        for part in reply.lines
    ]
    return replace(reply, lines=tuple(lines))


def _rename_line_part(line: Line, word: str, loan: DerivedInput) -> Line:
    parts = tuple((loan.by, value) if name == word else (name, value) for name, value in line.parts)
    return line._replace(parts=parts) if parts != line.parts else line


def _derive_input_from_units(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    if RIDERS in option.lends:
        return _derive_riders(sequence, option, options, roster)
    text = options.get(option.lends["from"])
    if ACQUIRED in option.lends:
        return _derive_acquisition(sequence, option, options, roster)
    if CARRIED in option.lends:
        return _derive_carried_count(option, options, roster)
    if HOLDER in option.lends or HELD in option.lends:
        return _derive_possession(sequence, option, options, roster)
    if WORD in option.lends:
        return _derive_unit_type(sequence, option, options, roster)
    typed = options.get(option.name)
    if not isinstance(text, str) or not (typed is None or is_left_out(option, typed)):
        return None
    units = _parse_units_or_none(sequence, text, roster)
    lenders = [unit for unit in units if _can_lend(unit, option)]
    best = max(lenders, key=lambda unit: unit.number(option.name), default=None)
    if best is None or (len(units) > 1) != ("beside" in option.lends):
        return None  # who fires alone leads nobody; several who spot do so one by one
    return DerivedInput(best.name, option.name, best.number(option.name))


def _parse_units_or_none(sequence: Sequence, text: object, roster: Roster) -> tuple[Unit, ...]:
    """The units of a text; none where the sequence refuses them in its own words."""
    try:
        return parse_units(str(text or ""), sequence.system.words["units"], roster, option="")
    except UserError:
        return ()


def _derive_riders(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Those who ride on the vehicles of a list, behind each of them, or in a list of their own
    where that is empty.
    """
    riders = [one for key, one in roster.items() if key == one.handle and one.numbers.get("in")]
    if not riders:
        return None
    where = option.lends[RIDERS]
    beside = where == option.name
    units = _parse_units_or_none(sequence, options.get(where), roster)
    text = str(options.get(where) or "")
    pieces = split_items(text) if units else []
    if len(pieces) != len(units) or not (beside or is_left_out(option, options.get(option.name))):
        return None
    out = list_lost_states(sequence.system)
    words = sequence.system.words["units"]
    named = {unit.name for unit in units}
    aboard = [one for one in riders if one.state not in out]
    found = list[str]()
    lent = list[str]()
    for unit, piece in zip(units, pieces, strict=True):
        found += [piece.strip()] if beside else []
        for rider in aboard:
            if (
                unit.name
                and rider.name not in named
                and list_linked_names([roster[unit.name.casefold()]], rider.numbers["in"])
            ):
                lent.append(rider.name)
                is_placed = rider.marks & {INSIDE, "outside"} or INSIDE not in words.flags
                found.append(rider.name if is_placed else f"{rider.name} {INSIDE}")
    return DerivedInput(lent[0], option.name, "; ".join(found)) if lent else None


def _derive_acquisition(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """The acquisition marker of who fires, where it is on one of those who are shot at."""
    firer = next(
        iter(_parse_units_or_none(sequence, options.get(option.lends["from"]), roster)), None
    )
    if (
        firer is None
        or not firer.numbers.get(ACQUIRED)
        or not is_left_out(option, options.get(option.name))
    ):
        return None
    shot_at = _parse_units_or_none(sequence, options.get(option.lends[ACQUIRED]), roster)
    units = [roster[unit.name.casefold()] for unit in shot_at if unit.name]
    if not list_linked_names(units, firer.numbers.get(ACQUIRED)):
        return None
    return DerivedInput(firer.name, option.name, int(firer.numbers.get(option.name) or 1))


def _derive_carried_count(
    option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return how many of a weapon the roster unit carries in its loadout, at most one for each who
    fights.
    """
    text = options.get(option.lends["from"])
    most = str(options.get(option.lends["most"]) or "")
    unit = roster.get(normalize_name(text).casefold()) if isinstance(text, str) else None
    if unit is None or not is_left_out(option, options.get(option.name)):
        return None
    if unit.numbers.get(option.brings.partition(".")[2]) is not None:
        return None  # what is on its counter goes first
    count = count_carried_weapons(unit.numbers).get(option.lends[CARRIED], 0)
    count = min(count, int(most)) if most.isdecimal() else count
    return DerivedInput(unit.name, option.name, count) if count else None


def _derive_possession(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return who has the unit of another option in a list of names, or which unit it has.

    A unit that is out of the game has nothing and is no longer had.
    """
    typed = options.get(option.lends["from"])
    unit = roster.get(_strip_unit_name(typed)) if isinstance(typed, str) else None
    if unit is None or not is_left_out(option, options.get(option.name)):
        return None
    out = list_lost_states(sequence.system)
    units = [one for key, one in roster.items() if key == one.handle and one.state not in out]
    if HOLDER in option.lends:
        called = list_link_names(unit)
        found = [one for one in units if called & _split_attribute_names(one, option.lends[HOLDER])]
    else:
        listed = _split_attribute_names(unit, option.lends[HELD])
        type_ = option.lends.get("type", "")
        found = [one for one in units if one.type == type_ and listed & list_link_names(one)]
    return DerivedInput(found[0].name, option.name, found[0].name) if found else None


def _strip_unit_name(typed: str) -> str:
    """Return the name of a unit as a roster has it, without marks and blanks around it."""
    return normalize_name(typed.strip().strip("\"'\u201c\u201d")).casefold()


def _split_attribute_names(unit: RosterUnit, key: str) -> set[str]:
    """Return the names in an attribute of a unit, which are separated by commas."""
    names = str(unit.numbers.get(key) or "").split(",")
    return {comparison_key(name) for name in names if name.strip()}


def _derive_unit_type(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return the type of those who act as the word of the option, if they are all of that type."""
    text = str(options.get(option.lends["from"]) or "").casefold()
    is_possible = any(unit.type in option.values for unit in roster.values())
    is_possible = is_possible or any(word in text for word in option.values)
    if not is_possible or not is_left_out(option, options.get(option.name)):
        return None
    units = _parse_units_or_none(sequence, options.get(option.lends["from"]), roster)
    types = {unit.type for unit in units}
    if len(types) != 1:
        return None
    (word,) = types
    if word not in option.values:
        return None
    return DerivedInput(join_names(unit.word for unit in units), option.name, word)


def _can_lend(unit: Unit, option: Option) -> bool:
    fit = unit.type == option.lends["type"] and option.lends.get("not", "") not in unit.flags
    return bool(unit.name and fit and unit.numbers.get(option.name))


def list_rules_in_force(system: System | None, game: Game) -> tuple[OptionalRule, ...]:
    """The optional rules that a game is played with: its choice, else the default of its system."""
    if system is None:
        return ()
    chosen = game.rules if game.system in ("", system.id) else {}
    return tuple(rule for rule in system.rules.values() if chosen.get(rule.name, rule.default))


def format_rules_in_force(system: System | None, game: Game) -> str:
    """`Optional rules: Fog of war, Mud`; "" where none is in force."""
    found = [rule.title for rule in list_rules_in_force(system, game)]
    return f"Optional rules: {', '.join(found)}" if found else ""


def derive_inputs_from_rules(
    sequence: Sequence, options: Mapping[str, object], game: Game
) -> tuple[DerivedInput, ...]:
    """What the rules in force fill in of what was left out."""
    rules = list_rules_in_force(sequence.system, game)
    if not rules:
        return ()
    words = [word.replace("-", "_") for word in split_words(options.get("mods") or ())]
    known = {option.name: option for option in sequence.inputs}
    return tuple(
        DerivedInput(rule.title, name, value)
        for rule in rules
        for name, value in rule.sets.get(sequence.id, {}).items()
        if is_left_out(known[name], options.get(name)) and name not in words
    )


def derive_inputs_from_game(
    sequence: Sequence, options: Mapping[str, object], roster: Roster, game: Game, side: str
) -> tuple[DerivedInput, ...]:
    """Return what the optional rules in force and the phase of the game fill in.

    `side` is that of who acts if no unit of the roster does.
    """
    ruled = derive_inputs_from_rules(sequence, options, game)
    return (*ruled, *_derive_inputs_from_phase(sequence, options, roster, game, side))


def _derive_inputs_from_phase(
    sequence: Sequence, options: Mapping[str, object], roster: Roster, game: Game, side: str
) -> tuple[DerivedInput, ...]:
    """Return what the phase of the game fills in of what was left out."""
    asked = [one for one in sequence.inputs if one.phases]
    asked = [one for one in asked if is_left_out(one, options.get(one.name))]
    if not asked or not game.phase or not is_of_game(game, sequence.system.id):
        return ()
    first = str(options.get(UNIT) or "").partition(";")[0]
    unit = roster.get(_strip_unit_name(first))
    side = unit.side if unit is not None and unit.side else side
    phase = get_phase(game, sequence.system)
    title = f"{game.turn_of} {phase.get('title', game.phase)}".strip()
    return tuple(
        DerivedInput(
            "" if {*option.phases} == {OTHERS} else title, option.name, value, is_phase=True
        )
        for option in asked
        if (value := get_value_in_phase(option, game, side))
    )


def get_value_in_phase(option: Option, game: Game, side: str) -> str | int:
    """Return the value that the phase of the game gives an option for a side; "" for none.

    A whole number takes the number of the turn.
    """
    is_own = not game.turn_of or not side or side == game.turn_of
    own = option.phases.get(f"{OWN}{game.phase}", "") if is_own else ""
    value = own or option.phases.get(game.phase) or option.phases.get(OTHERS, "")
    return game.turn if value == TURN else value


def collect_tracks_and_piles(
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    game: Game,
    person: str,
    closed: Mapping[str, Any] | None = None,
) -> Json:
    """What the tracks are by now that a sequence reads, and the piles that it draws from, as its
    event holds them; `person` is the side of who acts, `closed` are the piles with closed cards.
    Raises UserError for inputs and piles that cannot be read."""
    names = [option.name for option in sequence.tracks]
    if not names and not sequence.decks:
        return {}
    own = is_of_game(game, sequence.system.id)
    here = game if own else replace(game, decks={}, cards={})
    piles = build_pile_inputs(sequence.decks, here, closed or {}) if sequence.decks else {}
    if not names:
        return piles
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    units = list_units_played_singly(sequence, raw, roster)
    given = sequence.read_inputs({**raw, UNIT: units[0]} if units else raw, roster)
    sides = [
        (unit.name, unit.side)
        for name in list_named_units(given)
        if (unit := roster.get(name.casefold()))
    ]
    game = game if own else replace(game, tracks={})
    return piles | build_track_inputs(
        names,
        sequence.system.tracks,
        game,
        find_track_side(sides, list_acting_units(given), person, game),
    )


def collect_tracks_after_choice(
    sequence: Sequence, shot: Mapping[str, Any], roster: Roster, game: Game
) -> Json:
    """Return what a sequence reads when it goes on after a choice: the tracks as they are now, its
    piles as they were.

    `shot` is the event of the choice with the inputs, side and `read` of the sequence that it
    carries on.
    """
    read: Json = shot.get("read") or {}
    now = replace(game, decks={}, cards={})
    tracks = collect_tracks_and_piles(
        sequence, shot.get("inputs") or {}, roster, now, str(shot["side"]), read
    )
    piles = {name: value for name, value in read.items() if name.startswith(DECK)}
    return {**tracks, **piles}


def add_rule_notes(reply: Reply, ruled: tuple[DerivedInput, ...]) -> Reply:
    """The answer, which names the rules and the phase that filled something in."""
    rules = dict.fromkeys(one.by for one in ruled if not one.is_phase)
    phases = dict.fromkeys(one.by for one in ruled if one.is_phase and one.by)
    lines = [Small(f"By rule: {', '.join(rules)}")] if rules else []
    lines += [Small(f"{BY_PHASE}{', '.join(phases)}")] if phases else []
    return replace(reply, lines=(*reply.lines, *lines)) if lines else reply


BY_PHASE = "By the game's phase: "


def name_phase_once(reply: Reply, remarks: Iterable[str]) -> Reply:
    """Return the answer without the line about the phase if a remark or another line names it."""
    named = [part.text for part in reply.lines if _is_by_phase(part)]
    if not named:
        return reply
    without = replace(reply, lines=tuple(part for part in reply.lines if not _is_by_phase(part)))
    title = " ".join(named[0].split()[-2:])  # without the side: `British Rally Phase`
    return without if title in " ".join((without.format_text(), *remarks)) else reply


def _is_by_phase(part: Part) -> TypeGuard[Small]:
    return isinstance(part, Small) and part.text.startswith(BY_PHASE)


def depends_on_game(spec: CommandSpec) -> bool:
    """Return whether optional rules or the phase of a game fill in some of its options."""
    return any(option.ruled or option.phases for option in spec.options)


def apply_rule_defaults(spec: CommandSpec, system: System | None, game: Game) -> CommandSpec:
    """A sequence's command as it is filled in there: what a rule in force or the phase sets is
    what its form begins with.
    """
    if system is None or not depends_on_game(spec):
        return spec
    values = {
        name: value
        for rule in list_rules_in_force(system, game)
        for name, value in rule.sets.get(spec.target, {}).items()
    }
    if game.phase and is_of_game(game, system.id):
        by_phases = {one.name: get_value_in_phase(one, game, "") for one in spec.options}
        values |= {name: value for name, value in by_phases.items() if value}
    options = (
        replace(one, default=values[one.name]) if one.name in values else one
        for one in spec.options
    )
    return spec._replace(options=tuple(options))


READ_BACK = 200
"""How many events are looked through."""


async def find_removed_unit(store: Store, loaded: LoadedGame, called: str) -> str:
    """The name of the unit that was called so, by its name or handle, and was taken off the
    roster; "" for none.
    """
    for row in await store.load_events(loaded.row, limit=READ_BACK, newest_first=True):
        after = row.data.get("after", {}).get("units", {})
        for key, unit in row.data.get("before", {}).get("units", {}).items():
            if unit and after.get(key, unit) is None and called.casefold() in (key, unit["handle"]):
                return str(unit["name"])
    return ""


async def load_last_inputs(
    store: Store, loaded: LoadedGame | None, user: str, path: Path
) -> Mapping[str, object]:
    """What this user gave to this command last, as the log of the game has it; {} where they did
    not.
    """
    person = loaded.find_person(user) if loaded is not None else None
    if loaded is None or person is None:
        return {}
    for row in await store.load_events(loaded.row, limit=READ_BACK, newest_first=True):
        event = row.data
        if event.get("who") == person.person and event.get("command") == " ".join(path):
            return remove_derived_inputs(event)
    return {}
