"""The units that act and their targets, from the typed options.

This module resolves names, refuses or asks about units, and lists what a unit's card offers.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, product
from typing import NamedTuple

from cachetools import LRUCache

from bot.game.sides import make_unknown_side_error
from bot.game.state import Game
from bot.presentation.headline import find_target_option
from bot.rules.errors import UserError
from bot.rules.inputs.options import ACTS, TARGETS, Option
from bot.rules.inputs.unit_selectors import (
    AskingSide,
    expand_fired_weapons,
    expand_list,
    list_names,
    list_units,
)
from bot.rules.inputs.units import Roster, RosterUnit, UnitWords, split_items
from bot.rules.text.names import LETTERS, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.system import (
    ATTACKS,
    FIRES,
    Sequence,
    System,
    is_lost,
    list_lost_states,
    refuses_lost_unit,
)
from bot.ui.registry import build_sequence_spec
from bot.ui.typing import complete
from bot.ui.typing.command_text import format_command


class Aim(NamedTuple):
    """The roster units that act, and their targets.

    `option` is the option that names the targets; None if the sequence has none.
    """

    acting: tuple[RosterUnit, ...]
    targets: tuple[RosterUnit, ...]
    option: Option | None

    @property
    def sides(self) -> frozenset[str]:
        """The sides of the units that act."""
        return frozenset(unit.side for unit in self.acting) - {""}


def find_aim(sequence: Sequence, options: Mapping[str, object], roster: Roster) -> Aim:
    """Return the aim of a sequence with these options, whose lists are written out.

    Without a roster nobody acts. Raises UserError for a unit that both acts and is a target.
    """
    if not roster:
        return Aim((), (), None)
    target_option = find_target_option(sequence.inputs)
    acting_options = [
        option.name
        for option in sequence.inputs
        if option.part == ACTS and option.type in ("unit", "units")
    ]
    acting = list_units([options.get(name) for name in acting_options], roster)
    if target_option is None:
        return Aim(acting, list_units([], roster), None)
    targets = list_units([options.get(target_option.name)], roster)
    both = [unit.name for unit in acting if unit in targets]
    if both:
        raise UserError(
            f"{join_names(both)} cannot act and be the target at the same time.",
            hint=f"Take {join_names(both)} off {target_option.name}, or off the units that act.",
            option=target_option.name,
            code="unit-twice",
        )
    return Aim(acting, targets, target_option)


def format_shot(verb: str) -> str:
    """Return a verb as written before its target: `Fire at`, but `Fight` and `Attack`."""
    if verb in ("Attack", "Fight"):
        return verb
    return f"{verb} at"


def has_no_target(sequence: Sequence, options: Mapping[str, object], aim: Aim) -> bool:
    """Return whether roster units attack without a target and without a number that a target would
    bring, and the sequence allows that.
    """
    if not aim.acting or aim.option is None or aim.targets or sequence.verb not in ATTACKS:
        return False
    others = (
        option
        for option in sequence.inputs
        if option.brings.startswith(f"{aim.option.name}.") and option.type != "bool"
    )
    is_named = any(
        options.get(option.name) not in (None, "") for option in chain((aim.option,), others)
    )
    return not is_named and not aim.option.is_required


def find_own_targets(sequence: Sequence, aim: Aim, side: str) -> tuple[RosterUnit, ...]:
    """Return the targets that are on the attackers' side; () for a sequence that is no attack, and
    if attackers are of several sides.

    If no attacker is a roster unit, `side` counts, which is that of the player.
    """
    if sequence.verb not in ATTACKS or len(aim.sides) > 1:
        return ()
    sides = aim.sides or {side} - {""}
    return tuple(unit for unit in aim.targets if unit.side in sides)


SEVERAL = (";", ",", "..", "all", ":", "-")
"""Every text that names several units contains one of these."""
MOST_SHOWN = 4
"""The maximum number of commands that a hint writes out."""
OUT = ("out-or-jammed",)
"""Markers of units that cannot fire."""
WITHOUT = "without "
MOST_NAMED = 30
"""The maximum characters of a button that names the units left out."""


def build_asking_side(
    option: str, side: str, system: System | None, types: Collection[str] = ()
) -> AskingSide:
    """Return the units that `all` and a hex mean in an option, for a player of `side`.

    In options for acting units they are those of `side` that can act. `types`, if any, limits them.
    """
    acting = option in complete.ACTING
    return AskingSide(side, acting, list_lost_states(system), OUT if acting else (), types)


def _need_single_unit(
    sequence: Sequence, options: Mapping[str, object], name: str, roster: Roster, side: str
) -> None:
    """Raise UserError, with a command for each unit, if an option for one unit names several."""
    text = str(options[name])
    if " ".join(text.split()).casefold() in roster or not any(mark in text for mark in SEVERAL):
        return
    words = sequence.system.words["units"]
    try:
        units = list_names(text, words, roster, build_asking_side(name, side, sequence.system))
    except UserError:
        return  # the sequence refuses it in its own words
    if len(units) < 2:
        return
    spec = build_sequence_spec(sequence)
    pieces: list[str | Typed] = []
    for unit in units[:MOST_SHOWN]:
        if pieces:
            pieces.append("; ")
        pieces.append(Typed(format_command(spec, {**options, name: unit})))
    if len(units) > MOST_SHOWN:
        pieces.append(f" and so on, {len(units)} in all")
    message = f"{name} takes one unit at a time, not {len(units)}."
    hint = Phrase("One command for each: ", *pieces)
    raise UserError(message, hint=hint, option=name, code="too-many")


def resolve_unit_names(
    sequence: Sequence, options: Mapping[str, object], roster: Roster, side: str
) -> tuple[dict[str, object], Aim]:
    """Return the options with names in place of ranges, choices and commas, and their aim.

    Events hold names, so that they replay the same whatever units are in play by then. Raises
    UserError for names that cannot be resolved, and for a unit that both acts and is a target.
    """
    resolved = dict(options)
    named_options = [
        option for option in sequence.inputs if isinstance(resolved.get(option.name), str)
    ]
    selections = {
        option.name: _get_words_and_asking_side(sequence, option, side)
        for option in named_options
        if option.type == "units" or option.many
    }
    for option in named_options:
        text = str(resolved[option.name])
        if option.type == "unit" and not option.many and not option.free and roster:
            _need_single_unit(sequence, options, option.name, roster, side)
        if option.name not in selections:
            continue
        words, asking_side = selections[option.name]
        try:
            if option.type == "units":
                units = expand_list(text, words, roster, asking_side)
                resolved[option.name] = expand_fired_weapons(units, words, roster)
            elif roster and text.strip().casefold() not in roster:
                names = list_names(text, words, roster, asking_side)
                resolved[option.name] = "; ".join(names)
        except UserError as error:
            error.option = option.name
            raise
    return resolved, find_aim(sequence, resolved, roster)


def resolve_side_letters(
    sequence: Sequence, options: Mapping[str, object], game: Game
) -> dict[str, object]:
    """Return the options with the card's letters in place of the names of sides.

    A side that was left out is the one with the game's initiative. Raises UserError for an unknown
    side.
    """
    resolved = dict(options)
    for option in sequence.inputs:
        if option.complete != "side":
            continue
        given = str(resolved.get(option.name) or "").strip()
        names = [comparison_key(side) for side in game.sides[:2]]
        if comparison_key(given) in names:
            resolved[option.name] = LETTERS[names.index(comparison_key(given))]
        elif not given and names:
            held = game.initiative if game.initiative in game.sides[:2] else game.sides[0]
            resolved[option.name] = LETTERS[game.sides.index(held)]
        elif given and given not in LETTERS and names:
            raise make_unknown_side_error(given, game.sides[:2], option.name)
    return resolved


def uses_side_names(sequence: Sequence, game: Game) -> bool:
    """Return whether the answer names the sides of this game."""
    return len(game.sides) == 2 and any(option.complete == "side" for option in sequence.inputs)


def _get_words_and_asking_side(
    sequence: Sequence, option: Option, side: str
) -> tuple[UnitWords, AskingSide]:
    """Return the words for the units of an option, and the units that `all` and a hex mean."""
    words = sequence.system.words[option.units or "units"]
    types: Collection[str] = words.types
    if option.many and option.likely:
        types = [type for type in words.types if type in option.likely]
    return words, build_asking_side(option.name, side, sequence.system, types)


def drop_unable_units(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return the options without units that cannot be in their lists, and the names of these units.

    These units left the fight, are refused for their type or state, or should act though their
    weapons are out. A list of which nobody would be left stays.
    """
    remaining_options = dict(options)
    left_out = dict[str, None]()
    for option in sequence.inputs:
        text = remaining_options.get(option.name)
        if option.type != "units" or not isinstance(text, str):
            continue
        items = [item.strip() for item in split_items(text)]
        unable = {
            item: unit.name
            for item in items
            for unit in list_units([item], roster)
            if _is_unable(sequence, option, unit)
        }
        able = [item for item in items if item not in unable]
        if able:
            remaining_options[option.name] = "; ".join(able)
            left_out |= dict.fromkeys(unable.values())
    return remaining_options, tuple(left_out)


def _is_unable(sequence: Sequence, option: Option, unit: RosterUnit) -> bool:
    """Return whether a unit can be in no list of this option as it is now."""
    is_acting = option.part == ACTS or option.name in complete.ACTING
    if refuses_lost_unit(option, unit, sequence.system):
        return True
    if is_acting and unit.marks & {*OUT}:
        return True
    refusal = find_refusal(sequence, option.name, unit)
    return refusal is not None and refusal.code in UNFIT and refusal.option == option.name


def offer_able_units(
    error: UserError,
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    typed: Callable[..., str],
) -> None:
    """Add to a refusal of units that cannot act the command for the others in the list.

    `typed` writes the command.
    """
    if error.code not in ("unit-unfit", "unit-gone") or error.better:
        return
    able_options, left_out = drop_unable_units(sequence, options, roster)
    if not left_out:
        return
    names = join_names(left_out)
    error.better = typed(able_options)
    button_names = names if len(names) <= MOST_NAMED else f"{len(left_out)} of them"
    error.right = f"{WITHOUT}{button_names}"
    if not error.hint or error.hint.startswith(("Choose another", "Choose other")):
        error.hint = f"Take {names} off the list."


ANYWAY = "anyway"
FORBIDDEN = "card-forbids"


def offer_override(
    error: UserError,
    sequence: Sequence,
    options: Mapping[str, object],
    typed: Callable[..., str],
) -> None:
    """Add to a refusal by the card the command that overrides it. `typed` writes the command."""
    has_override = any(option.name == ANYWAY for option in sequence.inputs)
    if error.code == FORBIDDEN and has_override and not error.better:
        error.better = typed({**options, ANYWAY: True})
        error.right = ANYWAY


def name_units_without_weapons(
    units: Iterable[RosterUnit], acting: Collection[str], system: System | None
) -> str:
    """Return the names of units on the firers' side that cannot fire as their weapons are out.

    `acting` are the names of the firers. Returns "" if there are none.
    """
    units = [*units]
    sides = {unit.side for unit in units if unit.name in acting}
    names = []
    for unit in units:
        is_of_side = unit.side in sides and unit.name not in acting
        if is_of_side and unit.marks & {*OUT} and not is_lost(unit, system):
            names.append(unit.name)
    return join_names(names) if names else ""


CLOSE = ("melee", "hand-to-hand", "close-assault")
"""Names of close combat in the games."""
MORALE = ("morale-check", "morale")
VEHICLE = "vehicle"
"""A part of the name of each sequence that fires at vehicles."""
MOST_ACTS = 4
"""The maximum number of sequences offered.

They are fire, close combat, the morale check, and sequences made for units of that kind.
"""
UNFIT = ("wrong-type", "unit-unfit", "unit-gone")
"""Error codes of units refused for their type or state."""
BY_NATURE = (
    *UNFIT,
    "no-firepower",
    "no-weapon",
    "card-refuses",
    FORBIDDEN,
)
"""Error codes of units refused whatever else is typed."""


def list_actions(
    system: System,
    unit: RosterUnit,
    seen: Collection[str],
    *,
    is_own: bool,
    at_vehicle: bool = False,
) -> Iterator[tuple[Sequence, str]]:
    """Yield the sequences offered for a unit, fire first, each with the option that takes the unit.

    `seen` are the ids of sequences that may be offered. If the unit `is_own`, it acts, else it is
    the target. `at_vehicle` puts fire at vehicles first.
    """
    sequences = [sequence for id, sequence in system.sequences.items() if id in seen]
    part = ACTS if is_own else TARGETS
    chosen = _choose_main_actions(sequences, part, unit, is_own=is_own, at_vehicle=at_vehicle)
    special = [
        sequence
        for sequence in sequences
        if sequence not in chosen and _is_mostly_for(sequence, unit, is_own=is_own)
    ]
    offers = (*chosen, *special[: MOST_ACTS - len(chosen)])
    for sequence in dict.fromkeys(offers):
        option = find_option_for_unit(sequence, part, unit)
        option = option or find_option_for_unit(sequence, ACTS, unit)
        error = find_refusal_error(sequence, option, unit)
        if error is None or error.code not in BY_NATURE:
            yield sequence, option


def _choose_main_actions(
    sequences: Iterable[Sequence], part: str, unit: RosterUnit, *, is_own: bool, at_vehicle: bool
) -> list[Sequence]:
    """Return the first fire, close combat and morale check for a unit in the role `part`, in this
    order; those that do not take it are missing.

    A morale check is only for a unit that `is_own`. For one that is not, `at_vehicle` prefers fire
    at vehicles.
    """
    fire = list[Sequence]()
    close = list[Sequence]()
    check = list[Sequence]()
    for sequence in sequences:
        if sequence.verb in FIRES and find_option_for_unit(sequence, part, unit):
            fire.append(sequence)
        if not close and sequence.id in CLOSE and _can_take_part(sequence, part, unit):
            close.append(sequence)
        if is_own and not check and sequence.id in MORALE and _can_take_part(sequence, ACTS, unit):
            check.append(sequence)
    if not is_own and at_vehicle:
        fire.sort(key=lambda sequence: VEHICLE not in sequence.id)
    return [*fire[:1], *close, *check]


def list_refused_offers(system: System, units: Iterable[RosterUnit]) -> Iterator[str]:
    """Yield a message for each sequence that is offered for one of the units and yet refuses it.

    Each type of unit and sequence is reported once.
    """
    reported = set[tuple[str, str]]()
    for unit, is_own in product(units, (True, False)):
        for sequence, option in list_actions(
            system, unit, system.sequences, is_own=is_own, at_vehicle=not is_own
        ):
            error = find_refusal_error(sequence, option, unit)
            if error is not None and (unit.type, sequence.id) not in reported:
                reported.add((unit.type, sequence.id))
                yield f"{sequence.title} is offered and refused: {error.message}"


def find_refusal_error(
    sequence: Sequence,
    option: str,
    unit: RosterUnit,
    example: Mapping[str, object] | None = None,
) -> UserError | None:
    """Return why the sequence refuses the unit alone in this option; None if it does not.

    Other inputs are as in `example`, by default the sequence's own.
    """
    inputs = sequence.example if example is None else example
    return _try_unit_alone(sequence, {**inputs, option: unit.name}, unit)


class Refusal(NamedTuple):
    """A sequence's refusal of a unit: code and option of the error, and its message with {} for the
    unit.
    """

    code: str
    option: str
    message: str


_REFUSALS = LRUCache[tuple[Sequence, str, str], Refusal | None](2048)
"""Refusals by sequence, option and kind of unit, so that each kind is tried once."""


def find_refusal(sequence: Sequence, option: str, unit: RosterUnit) -> Refusal | None:
    """Return why the sequence refuses the unit alone in this option; None if it does not.

    The unit has its own numbers; inputs that it does not bring are as in the example.
    """
    kind = repr((unit.type, unit.state, sorted(unit.marks), sorted(unit.numbers.items())))
    key = (sequence, option, kind)
    if key in _REFUSALS:
        return _REFUSALS[key]
    brought = {
        input_option.name
        for input_option in sequence.inputs
        if input_option.brings.partition(".")[0] == option
    }
    options = {name: value for name, value in sequence.example.items() if name not in brought}
    error = _try_unit_alone(sequence, {**options, option: unit.name}, unit)
    refusal = None
    if error is not None:
        message = error.message.replace(unit.name, "{}", 1)
        refusal = Refusal(error.code, error.option or option, message)
    _REFUSALS[key] = refusal
    return refusal


def _try_unit_alone(
    sequence: Sequence, options: Mapping[str, object], unit: RosterUnit
) -> UserError | None:
    """Return the error by which a sequence refuses these options, with only this unit on the
    roster; None if it takes them.
    """
    roster = {unit.name.casefold(): unit, unit.handle.casefold(): unit}
    try:
        written, _ = resolve_unit_names(sequence, options, roster, unit.side)
        sequence.plan(sequence.read_inputs(written, roster))
    except UserError as error:
        return error
    return None


def find_option_for_unit(sequence: Sequence, part: str, unit: RosterUnit) -> str:
    """Return the option of a sequence that takes the unit in this role; "" if there is none."""
    for option in sequence.inputs:
        if option.part != part or option.type not in ("unit", "units"):
            continue
        if option.type == "unit" or takes_type(sequence, option, unit.type):
            return option.name
    return ""


def takes_type(sequence: Sequence, option: Option, unit_type: str) -> bool:
    """Return whether an option's list takes units of this type.

    A list whose types are not unit types, such as weapons, takes all units.
    """
    system_words = sequence.system.words
    words = system_words.get(option.units or "units")
    if words is None or unit_type in words.types:
        return True
    return {*words.types}.isdisjoint(system_words["units"].types)


def _can_take_part(sequence: Sequence, part: str, unit: RosterUnit) -> bool:
    """Return whether a sequence takes the unit, and the unit has all numbers that it requires."""
    name = find_option_for_unit(sequence, part, unit)
    needed = [
        option.brings.removeprefix(f"{name}.") for option in sequence.inputs if option.is_required
    ]
    return bool(name) and all("." in key or not key or key in unit.numbers for key in needed)


def _is_mostly_for(sequence: Sequence, unit: RosterUnit, *, is_own: bool) -> bool:
    """Return whether a sequence is made mostly for units of this type or in this state."""
    name = find_option_for_unit(sequence, ACTS, unit)
    option = next((candidate for candidate in sequence.inputs if candidate.name == name), None)
    fits = option is not None and not {*option.likely}.isdisjoint(
        {unit.type, unit.state, *unit.marks}
    )
    return fits and is_own != sequence.hits_unit
