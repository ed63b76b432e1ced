"""Inputs that nobody typed: what units lend to others, what optional rules and the phase set.

The event holds a derived value as if it had been typed, so the log replays the same whatever the
roster holds by then. When the inputs of an event are used once more, derived values are removed.
This module also finds the last inputs of a user.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

from bot.game.decks import build_pile_inputs
from bot.game.events import UNIT, get_event_system
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
from bot.rulesets.optional_rules import OptionalRule
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import Sequence, System, list_lost_states
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec, Path

CARRIED, RIDERS, ACQUIRED = "carried", "riders", "acquired"
"""Keys of an option's `lends`.

`carried`: a weapon that the unit's loadout counts. `riders`: the option whose vehicles have riders
on the roster (`in=`). `acquired`: the option with the targets, for a firer who acquired one.
"""
HOLDER, HELD = "holder", "held"
"""Keys of an option's `lends`: the attribute that lists what a unit has.

`holder` finds the unit that has the unit of another option; `held` the unit that it has.
"""
INSIDE = "inside"
OWN = "own "
"""The prefix of a key of an option's `phases`: the phase in the acting side's own turn."""
OTHERS = "*"
"""The key of an option's `phases` for all phases that are not named."""

WORD = "word"
"""The key of an option's `lends` whose word is the type of the units that act."""


class DerivedInput(NamedTuple):
    """An option that was filled in, its value, and its origin.

    `by` is the unit that lends, or the title of an optional rule or of the phase.
    """

    by: str
    option: str
    value: Any
    is_phase: bool = False


def derive_inputs_from_units(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> tuple[DerivedInput, ...]:
    """Return the values that roster units among these inputs lend.

    Options that were typed are left out, and so is a unit that would only help itself.
    """
    loans = []
    for option in sequence.inputs:
        if is_derived_from_units(option) and (roster or WORD in option.lends):
            loan = _derive_input_from_units(sequence, option, options, roster)
            if loan is not None:
                loans.append(loan)
    return tuple(loans)


def is_derived_from_units(option: Option) -> bool:
    """Return whether units among the inputs fill in the option before it is read.

    What leaders lend to their squad does not count: it is read together with the inputs.
    """
    return bool(option.lends) and "through" not in option.lends


def add_derived_inputs(
    options: Mapping[str, object], filled: Iterable[DerivedInput]
) -> dict[str, object]:
    """Return the options together with the derived inputs."""
    return {**options, **{derived.option: derived.value for derived in filled}}


def remove_derived_inputs(event: Mapping[str, Any], systems: RuleSets) -> dict[str, object]:
    """Return the inputs of an event without those that its units lent or its phase set.

    Other units lend other values, and the next roll may be in another phase.
    """
    inputs = dict(event.get("inputs") or {})
    system = get_event_system(event, systems)
    sequence = system.sequences.get(event.get("target") or "") if system is not None else None
    if sequence is None:
        return inputs
    phase_options = [option.name for option in sequence.inputs if option.phases]
    inputs = _drop_inputs(inputs, phase_options)
    names = [option.name for option in sequence.inputs if is_derived_from_units(option)]
    if inputs.keys().isdisjoint(names):
        return inputs
    roster = index_by_name(unit_from_json(unit) for unit in event.get("used") or ())
    loans = derive_inputs_from_units(sequence, _drop_inputs(inputs, names), roster)
    lent_names = [loan.option for loan in loans if str(inputs.get(loan.option)) == str(loan.value)]
    return _drop_inputs(inputs, lent_names)


def _drop_inputs(inputs: Mapping[str, object], names: Container[str]) -> dict[str, object]:
    """Return the inputs without those of these names."""
    return {name: value for name, value in inputs.items() if name not in names}


def name_lending_units(reply: Reply, lent: tuple[DerivedInput, ...], sequence: Sequence) -> Reply:
    """Return the reply with the lender's name at each modifier that is lent."""
    lends = {option.name: option.lends for option in sequence.inputs}
    for loan in lent:
        reply = _name_lending_unit(reply, loan, lends[loan.option])
    return reply


def format_lent_inputs(sequence: Sequence, lent: Iterable[DerivedInput]) -> str:
    """Return what units lend as sentences, for a reply without lines: `From Lt Hill: + 1 leader.`"""
    lends = {option.name: option.lends for option in sequence.inputs}
    sentences = list[str]()
    for loan in lent:
        lends_spec = lends[loan.option]
        if "says" in lends_spec and loan.by != loan.value:
            sentences.append(lends_spec["says"].format(loan.by, loan.value))
        elif lends_spec.get("type") and isinstance(loan.value, int):
            sentences.append(
                f"From {loan.by}: {loan.value:+d} {lends_spec['type']}.".replace("+", "+ ")
            )
    return " ".join(sentences)


def _name_lending_unit(reply: Reply, loan: DerivedInput, lends: Mapping[str, str]) -> Reply:
    """Return the reply with the lender of one value named, in a sentence or at its modifier."""
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
    """Return the line with the lender's name at each modifier called `word`."""
    parts = tuple((loan.by, value) if name == word else (name, value) for name, value in line.parts)
    return line._replace(parts=parts) if parts != line.parts else line


def _derive_input_from_units(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return the value that a unit among the inputs lends to an option, in the way that its `lends`
    says; None if none lends it or the option was typed.

    Without a special way it is the highest number of the units that can lend it: of a single unit,
    or with `beside` of several.
    """
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
    """Return the units of a text; () if the sequence refuses them, which it does in its own words."""
    try:
        return parse_units(str(text or ""), sequence.system.words["units"], roster, option="")
    except UserError:
        return ()


def _derive_riders(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return the list of units with riders added after their vehicles, or only the riders if they
    have an option of their own.

    None if no vehicle has riders still in the fight, if that option is set, or if the list of
    vehicles cannot be read.
    """
    riders = [unit for key, unit in roster.items() if key == unit.handle and unit.numbers.get("in")]
    if not riders:
        return None
    vehicle_option = option.lends[RIDERS]
    joins_vehicles = vehicle_option == option.name
    if not joins_vehicles and not is_left_out(option, options.get(option.name)):
        return None
    vehicles = _parse_units_or_none(sequence, options.get(vehicle_option), roster)
    text = str(options.get(vehicle_option) or "")
    pieces = split_items(text) if vehicles else []
    if len(pieces) != len(vehicles):
        return None
    lost_states = list_lost_states(sequence.system)
    vehicle_names = {unit.name for unit in vehicles}
    candidates = [
        rider
        for rider in riders
        if rider.state not in lost_states and rider.name not in vehicle_names
    ]
    items = list[str]()
    added_names = list[str]()
    for vehicle, piece in zip(vehicles, pieces, strict=True):
        if joins_vehicles:
            items.append(piece.strip())
        for rider in _list_riders_of(vehicle, candidates, roster):
            added_names.append(rider.name)
            items.append(_place_rider(rider, sequence))
    if not added_names:
        return None
    return DerivedInput(added_names[0], option.name, "; ".join(items))


def _list_riders_of(
    vehicle: Unit, candidates: Iterable[RosterUnit], roster: Roster
) -> list[RosterUnit]:
    """Return the candidates that ride in a vehicle; none if it is no roster unit."""
    if not vehicle.name:
        return []
    vehicles = [roster[vehicle.name.casefold()]]
    return [rider for rider in candidates if list_linked_names(vehicles, rider.numbers["in"])]


def _place_rider(rider: RosterUnit, sequence: Sequence) -> str:
    """Return a rider's name, followed by `inside` if the game has that flag and no place is set."""
    words = sequence.system.words["units"]
    if INSIDE not in words.flags or rider.marks & {INSIDE, "outside"}:
        return rider.name
    return f"{rider.name} {INSIDE}"


def _derive_acquisition(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Derive the acquisition modifier from the first firer's marker on one of the targets.

    Return None if it is on none of them or the option was typed.
    """
    firers = _parse_units_or_none(sequence, options.get(option.lends["from"]), roster)
    firer = firers[0] if firers else None
    if firer is None or not firer.numbers.get(ACQUIRED):
        return None
    if not is_left_out(option, options.get(option.name)):
        return None
    targets = _parse_units_or_none(sequence, options.get(option.lends[ACQUIRED]), roster)
    units = [roster[unit.name.casefold()] for unit in targets if unit.name]
    if not list_linked_names(units, firer.numbers.get(ACQUIRED)):
        return None
    return DerivedInput(firer.name, option.name, int(firer.numbers.get(option.name) or 1))


def _derive_carried_count(
    option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return how many of a weapon the unit carries in its loadout, at most one for each man who
    fights. None if it carries none, if its counter or the player gives the number, or if it is not
    on the roster.
    """
    text = options.get(option.lends["from"])
    limit = str(options.get(option.lends["most"]) or "")
    unit = roster.get(normalize_name(text).casefold()) if isinstance(text, str) else None
    if unit is None or not is_left_out(option, options.get(option.name)):
        return None
    if unit.numbers.get(option.brings.partition(".")[2]) is not None:
        return None  # the number on its counter takes precedence
    count = count_carried_weapons(unit.numbers).get(option.lends[CARRIED], 0)
    count = min(count, int(limit)) if limit.isdecimal() else count
    return DerivedInput(unit.name, option.name, count) if count else None


def _derive_possession(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return the holder of the unit in another option, or the unit that it holds; None if there is
    none, if that unit is not on the roster, or if the option was typed.

    Units that are out of the game hold nothing and are not held.
    """
    typed = options.get(option.lends["from"])
    unit = roster.get(_strip_unit_name(typed)) if isinstance(typed, str) else None
    if unit is None or not is_left_out(option, options.get(option.name)):
        return None
    lost_states = list_lost_states(sequence.system)
    units = [
        other
        for key, other in roster.items()
        if key == other.handle and other.state not in lost_states
    ]
    if HOLDER in option.lends:
        unit_names = list_link_names(unit)
        attribute = option.lends[HOLDER]
        matches = [
            other for other in units if unit_names & _split_attribute_names(other, attribute)
        ]
    else:
        held_names = _split_attribute_names(unit, option.lends[HELD])
        type_ = option.lends.get("type", "")
        matches = [
            other for other in units if other.type == type_ and held_names & list_link_names(other)
        ]
    return DerivedInput(matches[0].name, option.name, matches[0].name) if matches else None


def _strip_unit_name(typed: str) -> str:
    """Return a typed unit name as a key of the roster, without quotation marks and blanks around
    it.
    """
    return normalize_name(typed.strip().strip("\"'\u201c\u201d")).casefold()


def _split_attribute_names(unit: RosterUnit, key: str) -> set[str]:
    """Return the names that an attribute of a unit lists, separated by commas, each as its
    comparison key; an empty set if the unit lacks the attribute.
    """
    names = str(unit.numbers.get(key) or "").split(",")
    return {comparison_key(name) for name in names if name.strip()}


def _derive_unit_type(
    sequence: Sequence, option: Option, options: Mapping[str, object], roster: Roster
) -> DerivedInput | None:
    """Return the type of the units that act as the option's word. None if they are of several
    types, if that type is no word of the option, or if the option was typed.
    """
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
    """Return the optional rules in force: those that the game chose, else the defaults of the
    system. () if the system is None.

    The choices of a game of another system do not count.
    """
    if system is None:
        return ()
    chosen = game.rules if game.system in ("", system.id) else {}
    return tuple(rule for rule in system.rules.values() if chosen.get(rule.name, rule.default))


def format_rules_in_force(system: System | None, game: Game) -> str:
    """Return the optional rules as a line: `Optional rules: Fog of war, Mud`; "" if there are none."""
    titles = [rule.title for rule in list_rules_in_force(system, game)]
    return f"Optional rules: {', '.join(titles)}" if titles else ""


def derive_inputs_from_rules(
    sequence: Sequence, options: Mapping[str, object], game: Game
) -> tuple[DerivedInput, ...]:
    """Return the values that the rules in force set for options that were left out; () without such
    a rule. A flag that was typed among the modifiers was not left out.
    """
    rules = list_rules_in_force(sequence.system, game)
    if not rules:
        return ()
    words = [word.replace("-", "_") for word in split_words(options.get("mods") or ())]
    inputs = {option.name: option for option in sequence.inputs}
    return tuple(
        DerivedInput(rule.title, name, value)
        for rule in rules
        for name, value in rule.sets.get(sequence.id, {}).items()
        if is_left_out(inputs[name], options.get(name)) and name not in words
    )


def derive_inputs_from_game(
    sequence: Sequence, options: Mapping[str, object], roster: Roster, game: Game, side: str
) -> tuple[DerivedInput, ...]:
    """Return the inputs that the optional rules in force and the phase of the game set.

    `side` is the side of the player, which counts if no roster unit acts.
    """
    rule_inputs = derive_inputs_from_rules(sequence, options, game)
    return (*rule_inputs, *_derive_inputs_from_phase(sequence, options, roster, game, side))


def _derive_inputs_from_phase(
    sequence: Sequence, options: Mapping[str, object], roster: Roster, game: Game, side: str
) -> tuple[DerivedInput, ...]:
    """Return the values that the phase of the game sets for options that were left out; () without
    a phase, or in a game of another system.

    The phase counts for the side of the first unit that acts, or for `side` if that is no roster
    unit or has no side.
    """
    phase_options = [
        option
        for option in sequence.inputs
        if option.phases and is_left_out(option, options.get(option.name))
    ]
    if not phase_options or not game.phase or not is_of_game(game, sequence.system):
        return ()
    first_unit = str(options.get(UNIT) or "").partition(";")[0]
    unit = roster.get(_strip_unit_name(first_unit))
    if unit is not None and unit.side:
        side = unit.side
    phase = get_phase(game, sequence.system)
    title = f"{game.turn_of} {phase.get('title', game.phase)}".strip()
    derived = []
    for option in phase_options:
        value = get_value_in_phase(option, game, side)
        if value:
            is_for_all_phases = {*option.phases} == {OTHERS}
            by = "" if is_for_all_phases else title
            derived.append(DerivedInput(by, option.name, value, is_phase=True))
    return tuple(derived)


def get_value_in_phase(option: Option, game: Game, side: str) -> str | int:
    """Return the value that the phase of the game gives an option for a side; "" for none.

    The word TURN stands for the number of the turn.
    """
    is_own = not game.turn_of or not side or side == game.turn_of
    own_value = option.phases.get(f"{OWN}{game.phase}", "") if is_own else ""
    value = own_value or option.phases.get(game.phase) or option.phases.get(OTHERS, "")
    return game.turn if value == TURN else value


def collect_tracks_and_piles(
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    game: Game,
    person: str,
    closed: Mapping[str, Any] | None = None,
) -> Json:
    """Return the tracks that a sequence reads and the piles that it draws from, as events hold
    them; {} if it has neither. In a game of another system they are as new.

    `person` is the side of the player, `closed` are the piles with closed cards. Raises UserError
    for inputs and piles that cannot be read.
    """
    names = [option.name for option in sequence.tracks]
    if not names and not sequence.decks:
        return {}
    is_own_system = is_of_game(game, sequence.system)
    piles: Json = {}
    if sequence.decks:
        pile_game = game if is_own_system else replace(game, decks={}, cards={})
        piles = build_pile_inputs(sequence.decks, pile_game, closed or {})
    if not names:
        return piles
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    units = list_units_played_singly(sequence, raw, roster)
    given = sequence.read_inputs({**raw, UNIT: units[0]} if units else raw, roster)
    sides = []
    for name in list_named_units(given):
        unit = roster.get(name.casefold())
        if unit:
            sides.append((unit.name, unit.side))
    track_game = game if is_own_system else replace(game, tracks={})
    side = find_track_side(sides, list_acting_units(given), person, track_game)
    tracks = build_track_inputs(names, sequence.system.tracks, track_game, side)
    return piles | tracks


def collect_tracks_after_choice(
    sequence: Sequence, shot: Mapping[str, Any], roster: Roster, game: Game
) -> Json:
    """Return the tracks and piles that a sequence reads when it goes on after a choice.

    Tracks are as they are now, piles as they were. `shot` is the event of the choice, with the
    inputs, side and `read` of the sequence that it continues.
    """
    read: Json = shot.get("read") or {}
    now = replace(game, decks={}, cards={})
    tracks = collect_tracks_and_piles(
        sequence, shot.get("inputs") or {}, roster, now, str(shot["side"]), read
    )
    piles = {name: value for name, value in read.items() if name.startswith(DECK)}
    return {**tracks, **piles}


def add_rule_notes(reply: Reply, ruled: tuple[DerivedInput, ...]) -> Reply:
    """Return the reply with notes that name the rules and the phase which set some input."""
    rules = dict.fromkeys(derived.by for derived in ruled if not derived.is_phase)
    phases = dict.fromkeys(derived.by for derived in ruled if derived.is_phase and derived.by)
    lines = [Small(f"By rule: {', '.join(rules)}")] if rules else []
    lines += [Small(f"{BY_PHASE}{', '.join(phases)}")] if phases else []
    return replace(reply, lines=(*reply.lines, *lines)) if lines else reply


BY_PHASE = "By the game's phase: "


def name_phase_once(reply: Reply, remarks: Iterable[str]) -> Reply:
    """Return the reply without the note about the phase if a remark or another line names it."""
    named = [part.text for part in reply.lines if _is_by_phase(part)]
    if not named:
        return reply
    without = replace(reply, lines=tuple(part for part in reply.lines if not _is_by_phase(part)))
    title = " ".join(named[0].split()[-2:])  # without the side: `British Rally Phase`
    return without if title in " ".join((without.format_text(), *remarks)) else reply


def _is_by_phase(part: Part) -> TypeGuard[Small]:
    return isinstance(part, Small) and part.text.startswith(BY_PHASE)


def depends_on_game(spec: CommandSpec) -> bool:
    """Return whether optional rules or the phase of a game set some options of a command."""
    return any(option.ruled or option.phases for option in spec.options)


def apply_rule_defaults(spec: CommandSpec, system: System | None, game: Game) -> CommandSpec:
    """Return a sequence's command with defaults from the rules in force and the phase of the game.

    Forms start with these values.
    """
    if system is None or not depends_on_game(spec):
        return spec
    values = {
        name: value
        for rule in list_rules_in_force(system, game)
        for name, value in rule.sets.get(spec.target, {}).items()
    }
    if game.phase and is_of_game(game, system):
        phase_values = {
            option.name: get_value_in_phase(option, game, "") for option in spec.options
        }
        values |= {name: value for name, value in phase_values.items() if value}
    options = (
        replace(option, default=values[option.name]) if option.name in values else option
        for option in spec.options
    )
    return spec._replace(options=tuple(options))


def find_last_inputs(
    newest_first: Iterable[Json], person: str, path: Path, systems: RuleSets
) -> Mapping[str, object]:
    """Return the inputs of a person's last use of a command in these events; {} if there is none."""
    for event in newest_first:
        if event.get("who") == person and event.get("command") == " ".join(path):
            return remove_derived_inputs(event, systems)
    return {}
